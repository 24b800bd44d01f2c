"""Reads from a submission the files that are graded, wherever they lie in it, and opens no others.

Links are never followed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grader.bulk.intake import archive
from grader.bulk.intake.archive import OPENING, Candidate
from grader.bulk.intake.discover import Entry
from grader.files import MAX_FILE
from grader.model.spec import Lab
from grader.model.submission import Submission, harmless

MOST_FILES = 5_000  # of a student's folder that are looked at
DEEPEST = 12  # levels of folders below it


@dataclass(frozen=True)
class Files:
    """The files that are graded as one lab, by name; or the problem that keeps them from being
    graded. Neither: nothing was handed in."""

    contents: dict[str, bytes] = field(default_factory=dict)
    problem: str = ""


def submission(lab: Lab, contents: dict[str, bytes], home: Path) -> Submission:
    """Collected files as the pipeline takes them, to be built in `home`. Their folder is shown
    under the lab's name: what a grade says of the same files is the same for every student."""
    problems = [f"{lab.folder}/{name} is missing" for name in lab.submit if name not in contents]
    empty = [name for name, content in contents.items() if not content.strip()]
    problems += [f"{lab.folder}/{name} is empty" for name in empty]
    return Submission(lab, home, lab.folder, contents, problems, home)


def digest(entry: Entry, names: set[str]) -> str:
    """The hash of every byte that collect() might read for files of these names."""
    whole = hashlib.sha256(repr((entry.student, entry.problem, entry.notes)).encode())
    for name, path in entry.paths.items() if not entry.problem else ():
        whole.update(os.fsencode(name) + b"\0")
        if path.is_dir():
            for below, problem, fd in _walk(path):
                base = PurePosixPath(below).name
                if base in names or base.lower().endswith(archive.SUFFIXES):
                    whole.update(os.fsencode(f"{below}\0{problem}\0") + _hash(fd))
        else:
            whole.update(_hash_of(path))
    return whole.hexdigest()


def collect(entry: Entry, labs: list[Lab]) -> dict[str, Files]:
    """The files of each lab. Raises OSError when the machine is at fault."""
    if entry.problem:
        return {lab.id: Files(problem=entry.problem) for lab in labs}
    names = {name for lab in labs for name in lab.submit}
    candidates: list[Candidate] = []
    for name, path in entry.paths.items():
        if path.is_dir():
            inside, refused = _in_folder(path, names)
        elif name in names:
            inside, refused = [_single(path, name)], ""
        else:
            inside, refused = archive.candidates(path, names)
        if refused and len(entry.paths) == 1:
            return {lab.id: Files(problem=refused) for lab in labs}
        candidates += inside
    return {lab.id: choose(lab, candidates) for lab in labs}


def choose(lab: Lab, candidates: list[Candidate]) -> Files:
    """Of several files of a name, one in a folder named after the lab wins, then the least deep."""
    contents: dict[str, bytes] = {}
    for name in lab.submit:
        ranked = sorted(
            ((_rank(lab, c.path), c) for c in candidates if PurePosixPath(c.path).name == name),
            key=lambda pair: (pair[0], pair[1].path),
        )
        best = [c for rank, c in ranked if rank == ranked[0][0]]
        if not best:
            continue
        if problem := next((c.problem for c in best if c.problem), ""):
            return Files(problem=f"{harmless(best[0].path)} {problem}")
        if len({c.content for c in best}) > 1:
            both = " and ".join(harmless(c.path) for c in best[:2])
            return Files(problem=f"there are two files {name} that differ: {both}")
        contents[name] = best[0].content
    return Files(contents)


def _rank(lab: Lab, path: str) -> tuple[bool, int]:
    parts = PurePosixPath(path).parts
    parent = parts[-2] if len(parts) > 1 else ""
    return not (parent == lab.id or parent.startswith(f"{lab.id}_")), len(parts)


def _in_folder(folder: Path, names: set[str]) -> tuple[list[Candidate], str]:
    """The files of these names, also those in archives that lie directly in the folder."""
    candidates: list[Candidate] = []
    refused = ""
    for path, problem, fd in _walk(folder):
        name = PurePosixPath(path).name
        if name in names:
            file = _read(fd, path) if fd is not None else Candidate(path, problem=problem)
            candidates.append(file)
        elif "/" not in path and name.lower().endswith(archive.SUFFIXES) and fd is not None:
            inside, reason = archive.candidates(folder / name, names)
            candidates += [Candidate(f"{path}/{c.path}", c.content, c.problem) for c in inside]
            refused = refused or reason
    return candidates, "" if candidates else refused


def _walk(folder: Path) -> Iterator[tuple[str, str, int | None]]:
    """Everything below a folder: a file's path, "" and an open descriptor, or a path, what is wrong
    with it and None. Whoever iterates reads the descriptor before the next step closes it."""
    count = 0
    for here, folders, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        below = os.path.relpath(here, folder)
        depth = 0 if below == "." else below.count("/") + 1
        folders[:] = sorted(f for f in folders if not f.startswith(".") and depth < DEEPEST)
        for name in sorted([*files, *(f for f in folders if _is_link(f, descriptor))]):
            count += 1
            if count > MOST_FILES:
                return
            path = name if below == "." else f"{below}/{name}"
            yield from _opened(path, name, descriptor)
        for name in folders:  # it may bear the name of a file that is asked for
            path = name if below == "." else f"{below}/{name}"
            yield path, "is a folder", None


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _opened(path: str, name: str, folder: int) -> Iterator[tuple[str, str, int | None]]:
    try:
        fd = os.open(name, OPENING, dir_fd=folder)
    except OSError:
        yield path, "is a link" if _is_link(name, folder) else "cannot be read", None
        return
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            yield path, "", fd
        else:
            yield path, "is not a file", None
    finally:
        os.close(fd)


def _read(fd: int, path: str) -> Candidate:
    with os.fdopen(os.dup(fd), "rb") as file:
        content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        return Candidate(path, problem=f"has more than {MAX_FILE >> 20} MB")
    return Candidate(path, content)


def _single(path: Path, name: str) -> Candidate:
    """A file that was handed in by itself."""
    try:
        fd = os.open(path, OPENING)
    except OSError:
        return Candidate(name, problem="cannot be read")
    try:
        return _read(fd, name)
    finally:
        os.close(fd)


def _hash(fd: int | None) -> bytes:
    if fd is None:
        return b""
    with os.fdopen(os.dup(fd), "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _hash_of(path: Path) -> bytes:
    """The hash of a file; of one that is too large to be opened, its size is enough."""
    try:
        if (size := path.stat(follow_symlinks=False).st_size) > archive.MOST_BYTES:
            return str(size).encode()
        fd = os.open(path, OPENING)
    except OSError as problem:
        return str(problem.errno).encode()
    try:
        return _hash(fd)
    finally:
        os.close(fd)
