"""Reads files that others wrote and may still change, and writes files whole or not at all.

Standard library only: `./grade setup` imports it before any package is installed.
"""

import codecs
import contextlib
import errno
import io
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

MAX_FILE = 1 << 20
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip, of every file
REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f)",
    errno.EROFS: "copy the repository to a folder that you can write to",
    errno.EACCES: "copy the repository to a folder that you can write to",
    errno.EPERM: "copy the repository to a folder that you can write to",
}


_MAGIC = {
    codecs.BOM_UTF16_LE: "UTF-16: save it as UTF-8",
    codecs.BOM_UTF16_BE: "UTF-16: save it as UTF-8",
    b"\x7fELF": "a compiled program",
    b"PK\3\4": "a zip archive, as a document of an office program is",
    b"%PDF": "a PDF",
    b"{\\rtf": "a document with fonts",
}


def no_source(content: bytes) -> str:
    """What a file is that no compiler reads, and what to do; "" where it may be source code."""
    known = next((words for magic, words in _MAGIC.items() if content.startswith(magic)), "")
    what = known or ("a binary file" if b"\0" in content[:512] else "")
    return what if not what or "save" in what else f"{what}: give the text that you edit"


def remedy(problem: OSError) -> str:
    """What the user can do about a disk that cannot be written to; "" for any other problem."""
    return REMEDIES.get(problem.errno or 0, "")


def read_regular(path: Path, limit: int = MAX_FILE, *, truncate: bool = False) -> bytes:
    """The content of a regular file of at most `limit` bytes. Never follows a link at `path`, and
    never waits for a pipe.

    truncate: of a longer file, returns the first `limit` bytes.
    Raises OSError, whose `strerror` says to a person what is wrong with the file: it is missing, a
    link, no regular file (a folder, a pipe, a device), not readable or longer than `limit`.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise OSError(errno.ENOENT, "is missing") from None
    except OSError as problem:
        if path.is_symlink():
            raise OSError(errno.ELOOP, "is a link; put the file itself there") from None
        raise OSError(problem.errno, f"cannot be read ({problem.strerror})") from None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "is not a file")
        if info.st_size > limit and not truncate:
            raise OSError(errno.EFBIG, f"has {info.st_size} bytes; the limit is {limit}")
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(fd)


@contextlib.contextmanager
def prepared(path: Path, data: bytes, *, sync: bool = True) -> Iterator[Path]:
    """Yields a file beside `path` that holds `data` and is on the disk, for the caller to rename to
    `path`; it is removed at the end if it was not renamed. A full disk raises OSError here, before
    anything is replaced.

    sync: whether to wait for the disk; thousands of files that can be made again need not."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
        except OSError as problem:  # the file that the user knows
            problem.filename = str(path)
            raise
        yield part
    finally:
        part.unlink(missing_ok=True)


def replace(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Writes a file whole or not at all: no reader ever sees half of it. sync: as in prepared().
    Raises OSError."""
    with prepared(path, data, sync=sync) as part:
        part.replace(path)


def zipped(
    members: Mapping[str, bytes],
    level: int | None = None,
    *,
    stored: bool = False,
    programs: Collection[str] = (),
) -> bytes:
    """A zip of the members by their paths, in their order: the same members give the same bytes.

    level: of the compression. stored: without any. programs: the members that can be run."""
    import zipfile  # most commands need none

    data = io.BytesIO()
    method = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(data, "w") as archive:
        for path, content in members.items():
            entry = zipfile.ZipInfo(path, FIRST_DAY)
            entry.create_system = 3  # Unix, wherever it is packed
            entry.external_attr = (0o100755 if path in programs else 0o100644) << 16
            archive.writestr(entry, content, method, level)
    return data.getvalue()


def update(path: Path, data: bytes, *, sync: bool = True) -> None:
    """As replace(), but a file that has these bytes already is left alone and keeps its date."""
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return
    replace(path, data, sync=sync)
