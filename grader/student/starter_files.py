"""The unsolved starter files of a lab, and how to restore them.

The release puts them into labs/labN_*/starter/ of a student's copy; the whole course generates them
from the solutions. Those in starter/ are the student's to change.

A student's file is never lost. Before it is replaced, it gets a second name in a backup folder, and
the file that replaces it is already on the disk. Both names are links to the same bytes: a backup
needs no space on a full disk, and contains what an editor writes at the last moment. The standard
library alone.
"""

import contextlib
import os
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from grader import files, paths


class LabFiles(Protocol):
    """Which files of a lab a student edits: a Lab or an Outline."""

    @property
    def folder(self) -> str: ...
    @property
    def submit(self) -> Sequence[str]: ...


def contents(lab: LabFiles) -> dict[str, bytes]:
    """The unsolved files by name. Raises OSError where this copy of the course lacks one."""
    return {name: _unsolved(lab.folder, name) for name in lab.submit}


def _unsolved(folder: str, name: str) -> bytes:
    file, solution = paths.LABS / folder / "starter" / name, paths.SOLUTIONS / folder / name
    if solution.is_file() and not file.exists():
        from solutions import starters  # which students do not have

        return starters.split(solution.read_text(encoding="utf-8"))[0].encode()
    try:
        return files.read_regular(file)
    except OSError as problem:
        raise OSError(0, f"{problem.strerror}; get the course's copy again", str(file)) from problem


def changed(lab: LabFiles, folder: Path) -> list[str]:
    """The names of the files in `folder` that differ from the starter or are missing."""
    return [name for name, data in contents(lab).items() if not _holds(folder / name, data)]


def _holds(file: Path, data: bytes) -> bool:
    try:
        return files.read_regular(file) == data
    except OSError:
        return False


def restore(lab: LabFiles, folder: Path, now: datetime) -> Path | None:
    """Replaces every changed file in `folder` by its starter. Returns the backup folder, or None
    where no file was replaced. Raises OSError; then all files are as before."""
    starters = contents(lab)
    names = changed(lab, folder)
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        parts = {n: stack.enter_context(files.prepared(folder / n, starters[n])) for n in names}
        backup = _backed_up([folder / n for n in names if os.path.lexists(folder / n)], now)
        for name, part in parts.items():
            part.replace(folder / name)
    return backup


def _backed_up(originals: list[Path], now: datetime) -> Path | None:
    """Gives each file a second name in a new backup folder beside it."""
    if not originals:
        return None
    folder = _new_folder(originals[0].parent, f"backup-{now:%Y-%m-%d-%H%M%S}")
    try:
        for original in originals:
            _second_name(original, folder / original.name)
    except BaseException:
        with contextlib.suppress(OSError):  # not empty: the files in it stay
            folder.rmdir()
        raise
    return folder


def _new_folder(home: Path, name: str) -> Path:
    """Makes a folder that did not exist: two resets in one second get two folders."""
    number = 1
    while True:
        folder = home / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def _second_name(original: Path, copy: Path) -> None:
    if original.is_dir() and not original.is_symlink():
        raise OSError(0, "is a folder; move it away first", str(original))
    try:
        os.link(original, copy, follow_symlinks=False)
    except OSError:  # a file system without hard links, or another user's file
        if not original.is_symlink() and not original.is_file():
            raise
        shutil.copy2(original, copy, follow_symlinks=False)
        if not copy.is_symlink():
            with copy.open("rb") as file:
                os.fsync(file.fileno())
