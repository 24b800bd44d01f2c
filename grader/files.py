"""Reading and writing files that others may be damaging, reading or writing meanwhile.

Set-up uses it on the system's Python: the standard library alone."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

MAX_FILE = 1 << 20
REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EROFS: "copy the repository to a folder that you can write to",
    errno.EACCES: "copy the repository to a folder that you can write to",
    errno.EPERM: "copy the repository to a folder that you can write to",
}


def remedy(problem: OSError) -> str:
    """What to do about a disk that cannot be written to; "" where the problem is another."""
    return REMEDIES.get(problem.errno or 0, "")


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file, never through a link. Raises OSError that says what it is."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise OSError(0, "is missing") from None
    except OSError as problem:
        if path.is_symlink():
            raise OSError(0, "is a link; put the file itself there") from None
        raise OSError(0, f"cannot be read ({problem.strerror})") from None
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "is not a file")
        if info.st_size > MAX_FILE:
            raise OSError(0, f"has {info.st_size} bytes; the limit is {MAX_FILE}")
        return file.read(MAX_FILE + 1)


@contextlib.contextmanager
def prepared(path: Path, data: bytes) -> Iterator[Path]:
    """`data` on the disk beside `path`, in a file that is to be renamed to it; removed if it is
    not. A disk that is full says so here, before anything is replaced."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield part
    finally:
        part.unlink(missing_ok=True)


def replace(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all: a reader never sees half of it."""
    with prepared(path, data) as part:
        part.replace(path)


def update(path: Path, data: bytes) -> None:
    """As replace(), but a file that has these bytes already is left alone and keeps its date."""
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return
    replace(path, data)
