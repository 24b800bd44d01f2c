"""Walks through a student's folder and reads its files. Links are never followed."""

import hashlib
import os
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from grader.classroom.bulk.intake import archive
from grader.classroom.bulk.intake.archive import OPENING, Candidate
from grader.files import MAX_FILE

MOST_FILES = 5_000  # of a student's folder that are looked at
DEEPEST = 12  # levels of folders below it


def walk(folder: Path) -> Iterator[tuple[str, str, int | None]]:
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
        for name in folders:  # it may have the name of a requested file
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


def read_candidate(fd: int, path: str) -> Candidate:
    with os.fdopen(os.dup(fd), "rb") as file:
        content = file.read(MAX_FILE + 1)
    return limited(Candidate(path, content))


def limited(file: Candidate) -> Candidate:
    """The file; without its content where that is too large for a program of a lab."""
    if len(file.content) <= MAX_FILE:
        return file
    return Candidate(file.path, problem=f"has more than {MAX_FILE >> 20} MB")


def read_single(path: Path, name: str) -> Candidate:
    """A file that was handed in by itself."""
    try:
        fd = os.open(path, OPENING)
    except OSError:
        return Candidate(name, problem="cannot be read")
    try:
        return read_candidate(fd, name)
    finally:
        os.close(fd)


def hash_open(fd: int | None) -> bytes:
    if fd is None:
        return b""
    with os.fdopen(os.dup(fd), "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def state(file: Path) -> tuple[int, int, int]:
    status = file.stat(follow_symlinks=False)
    return status.st_ino, status.st_mtime_ns, status.st_size


@cache
def hash_once(file: Path, _state: tuple[int, int, int]) -> str:
    """The hash of the zip of a class, which all of its entries share."""
    with open(os.open(file, OPENING), "rb") as whole:
        return hashlib.file_digest(whole, "sha256").hexdigest()


def hash_of(path: Path) -> bytes:
    """The hash of a file; of one that is too large to be opened, its size is enough."""
    try:
        if (size := path.stat(follow_symlinks=False).st_size) > archive.MOST_BYTES:
            return str(size).encode()
        fd = os.open(path, OPENING)
    except OSError as problem:
        return str(problem.errno).encode()
    try:
        return hash_open(fd)
    finally:
        os.close(fd)
