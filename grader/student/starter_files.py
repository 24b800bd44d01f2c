"""The starters as they were: a copy in labs/labN_*/starter/, and how one is put back.

The student's file is never lost: before it is replaced it has a second name in a backup folder, and
what replaces it is on the disk. Both names lead to the same bytes, so that this takes no room on a
full disk, and what an editor writes at the last moment is in the backup too.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from datetime import datetime
from pathlib import Path

from grader import files, paths
from grader.model.spec import Lab


def contents(lab: Lab) -> dict[str, bytes]:
    """The unsolved files by name. Raises OSError where this copy of the course lacks one."""
    found = {}
    for name in lab.submit:
        file = paths.LABS / lab.folder / "starter" / name
        try:
            found[name] = files.read_regular(file)
        except OSError as problem:
            raise OSError(
                0, f"{problem.strerror}; get the course's copy again", str(file)
            ) from problem
    return found


def changed(lab: Lab, folder: Path) -> list[str]:
    """The names of the files that are not as they were; a missing one is among them."""
    return [name for name, data in contents(lab).items() if not _holds(folder / name, data)]


def _holds(file: Path, data: bytes) -> bool:
    try:
        return files.read_regular(file) == data
    except OSError:
        return False


def restore(lab: Lab, folder: Path, now: datetime) -> Path | None:
    """Puts every changed file of a lab back as it was. Returns the folder where what was there is
    kept; None when there was nothing. Raises OSError with everything in its place."""
    wanted = contents(lab)
    names = changed(lab, folder)
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        parts = {n: stack.enter_context(files.prepared(folder / n, wanted[n])) for n in names}
        backup = _backed_up([folder / n for n in names if os.path.lexists(folder / n)], now)
        for name, part in parts.items():
            part.replace(folder / name)
    return backup


def _backed_up(originals: list[Path], now: datetime) -> Path | None:
    """Gives each file a second name in a new folder beside it."""
    if not originals:
        return None
    folder = _new_folder(originals[0].parent, f"backup-{now:%Y-%m-%d-%H%M%S}")
    try:
        for original in originals:
            _second_name(original, folder / original.name)
    except BaseException:
        with contextlib.suppress(OSError):  # not empty: what is in there stays
            folder.rmdir()
        raise
    return folder


def _new_folder(home: Path, name: str) -> Path:
    """A folder that was not there: two resets in one second get one each."""
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
    except OSError:  # a file system without links, or another's file
        if not original.is_symlink() and not original.is_file():
            raise
        shutil.copy2(original, copy, follow_symlinks=False)
        if not copy.is_symlink():
            with copy.open("rb") as file:
                os.fsync(file.fileno())
