"""The time of the last commit of a git clone, read without git: a repository that a student made
could make git run programs.

Reads HEAD, its branch (loose or in packed-refs) and the commit (loose or in a pack; in a pack only
where it is stored whole, as git stores the newest commit). Whatever is not as expected gives None.
No link is followed, and what is read is bounded.
"""

import contextlib
import os
import re
import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from grader.classroom.bulk.intake.archive import OPENING

SMALL = 1 << 20  # bytes of a ref, of packed-refs and of a commit
MOST_PACKS = 64
COMMIT = 1  # the type of an object in a pack
BRANCH = re.compile(rb"ref: (refs(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)+)\s*")
HASH = re.compile(rb"([0-9a-f]{40})\s*")
COMMITTER = re.compile(rb"^committer [^\n]*> (\d{1,11}) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


def last_commit(git: Path) -> datetime | None:
    """When the commit was made that is checked out in the clone whose .git this is."""
    try:
        top = os.open(git, OPENING | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        commit = _commit(top, _head(top))
    except (OSError, ValueError, IndexError, struct.error, zlib.error):
        return None
    finally:
        os.close(top)
    return _time(commit)


def _head(top: int) -> str:
    """The hash of the commit that is checked out. Raises ValueError, OSError."""
    head = _read(top, "HEAD")
    if match := HASH.fullmatch(head):
        return match[1].decode()
    if (match := BRANCH.fullmatch(head)) is None:
        raise ValueError("HEAD is neither a branch nor a commit")
    with contextlib.suppress(FileNotFoundError):
        if loose := HASH.fullmatch(_read(top, match[1].decode())):
            return loose[1].decode()
    for line in _read(top, "packed-refs").splitlines():
        sha, _, name = line.partition(b" ")
        if name == match[1] and HASH.fullmatch(sha):
            return sha.decode()
    raise ValueError("the branch has no commit")


def _commit(top: int, sha: str) -> bytes:
    """The text of a commit. Raises ValueError, OSError, zlib.error, struct.error, IndexError."""
    with contextlib.suppress(FileNotFoundError):
        data = _inflated(_read(top, f"objects/{sha[:2]}/{sha[2:]}"))
        head, _, text = data.partition(b"\0")
        if not head.startswith(b"commit "):
            raise ValueError("the object is not a commit")
        return text
    for index in _packs(top):
        with _file(top, f"objects/pack/{index}") as fd:
            offset = _offset(fd, bytes.fromhex(sha))
        if offset is not None:
            with _file(top, f"objects/pack/{index.removesuffix('.idx')}.pack") as fd:
                return _packed(fd, offset)
    raise ValueError("no pack has the commit")


def _packs(top: int) -> list[str]:
    folder = _open(top, "objects/pack", os.O_DIRECTORY)
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".idx"))[:MOST_PACKS]
    finally:
        os.close(folder)


def _offset(fd: int, sha: bytes) -> int | None:
    """Where the object lies in the pack of an index, version 2; None: it is in another pack."""
    if os.pread(fd, 8, 0) != b"\xfftOc\0\0\0\2":
        raise ValueError("an index of a different version")
    fan = struct.unpack("!256I", os.pread(fd, 1024, 8))
    low, high, count = fan[sha[0] - 1] if sha[0] else 0, fan[sha[0]], fan[255]
    while low < high:
        middle = (low + high) // 2
        found = os.pread(fd, 20, 1032 + 20 * middle)
        if found == sha:
            (offset,) = struct.unpack("!I", os.pread(fd, 4, 1032 + 24 * count + 4 * middle))
            if offset >> 31:
                raise ValueError("a pack of more than 2 GB")
            return int(offset)
        low, high = (middle + 1, high) if found < sha else (low, middle)
    return None


def _packed(fd: int, offset: int) -> bytes:
    """The object at this offset of a pack."""
    data = os.pread(fd, SMALL, offset)
    if data[0] >> 4 & 7 != COMMIT:
        raise ValueError("no commit that is stored whole")
    start = 0
    while data[start] & 0x80:  # the size
        start += 1
    return _inflated(data[start + 1 :])


def _inflated(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, SMALL)


def _time(commit: bytes) -> datetime | None:
    match = COMMITTER.search(commit.partition(b"\n\n")[0])
    if match is None:
        return None
    offset = timedelta(hours=int(match[3]), minutes=int(match[4]))
    try:
        zone = timezone(-offset if match[2] == b"-" else offset) if offset else UTC
        return datetime.fromtimestamp(int(match[1]), zone)
    except (ValueError, OverflowError, OSError):
        return None


@contextlib.contextmanager
def _file(top: int, path: str) -> Iterator[int]:
    fd = _open(top, path)
    try:
        yield fd
    finally:
        os.close(fd)


def _read(top: int, path: str) -> bytes:
    with _file(top, path) as fd, open(fd, "rb", closefd=False) as file:
        return file.read(SMALL)


def _open(top: int, path: str, flags: int = 0) -> int:
    """Opens a path below `top`, and follows no link on the way."""
    *folders, name = path.split("/")
    here = os.dup(top)
    try:
        for folder in folders:
            below = os.open(folder, OPENING | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, OPENING | flags, dir_fd=here)
    finally:
        os.close(here)
