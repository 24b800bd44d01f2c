"""Reads files out of an archive: runs unpack.py inside the sandbox and takes what it prints.

The archive is a student's, or the zip of a whole class, as a learning management system makes it.
Nothing of it is unpacked to the disk.
"""

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from grader import paths
from grader.sandbox import launcher
from grader.sandbox.ending import early_end
from grader.sandbox.limits import Limits
from grader.sandbox.view import View, interpreter
from grader.sandbox.workspace import workspace

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
MOST_BYTES = 64 << 20  # of an archive that is opened
OPENING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
UNPACK = Path(__file__).with_name("unpack.py")
LIMITS = Limits(seconds=20, output=80 << 20, memory=1 << 30, address_space=2 << 30)


@dataclass(frozen=True)
class Candidate:
    """A file with a name that a lab asks for: its path in the submission, and its content, or the
    problem with it."""

    path: str
    content: bytes = b""
    problem: str = ""


class Member(msgspec.Struct):
    """A file of an archive, as unpack.py lists it."""

    path: str
    size: int
    problem: str


class Listing(msgspec.Struct):
    """The first line that unpack.py prints."""

    refused: str
    files: list[Member]
    others: list[str] = []


@dataclass(frozen=True)
class Opened:
    """What an archive has: the files of the names; a few others, by path; why it is refused."""

    files: list[Candidate] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    refused: str = ""


def candidates(archive: Path, names: set[str]) -> Opened:
    """The files of these names in a student's archive. Raises OSError when the machine is at
    fault."""
    try:
        size = archive.stat(follow_symlinks=False).st_size
    except OSError as problem:
        return Opened(refused=f"the submission cannot be read ({problem.strerror})")
    if size > MOST_BYTES:
        return Opened(refused=f"the archive has {size >> 20} MB; the limit is {MOST_BYTES >> 20}")
    with workspace() as work:
        copy = work / "archive"  # because the sandbox has another user
        with open(os.open(archive, OPENING), "rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target)
        return _opened(work, copy, names)


def nested(content: bytes, names: set[str]) -> Opened:
    """As candidates(), for a student's archive that was read from the zip of a class."""
    with workspace() as work:
        copy = work / "archive"
        copy.write_bytes(content)
        return _opened(work, copy, names)


def _opened(work: Path, copy: Path, names: set[str]) -> Opened:
    copy.chmod(0o644)
    return _unpacked(work, [str(copy), *sorted(names)], reads=(copy,))


def listing(file: Path) -> tuple[list[Member], str]:
    """Every file and folder of the zip of a class; or none, and why it is refused. Raises OSError
    when it cannot be opened, or the machine is at fault."""
    with _descriptor(file) as fd:
        finished = _run(paths.ROOT, [str(fd), "--list"], descriptors=(fd,))
    if isinstance(finished, str):
        return [], finished
    head = _head(finished)
    return head.files, f"the archive {head.refused}" if head.refused else ""


def members(file: Path, wanted: list[str]) -> Opened:
    """The files of the zip of a class at these paths. Raises OSError as listing() does."""
    with _descriptor(file) as fd:
        return _unpacked(paths.ROOT, [str(fd), "--members", *wanted], descriptors=(fd,))


@contextlib.contextmanager
def _descriptor(file: Path) -> Iterator[int]:
    """The zip of a class is large, so it is not copied: the sandbox gets it open."""
    fd = os.open(file, OPENING)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "is not a file", str(file))
        yield fd
    finally:
        os.close(fd)


def _unpacked(
    work: Path,
    arguments: list[str],
    reads: tuple[Path, ...] = (),
    descriptors: tuple[int, ...] = (),
) -> Opened:
    finished = _run(work, arguments, reads, descriptors)
    return Opened(refused=finished) if isinstance(finished, str) else _parsed(finished)


def _run(
    work: Path,
    arguments: list[str],
    reads: tuple[Path, ...] = (),
    descriptors: tuple[int, ...] = (),
) -> bytes | str:
    """What unpack.py prints; or why the archive is to blame that it does not."""
    argv = [sys.executable, "-I", "-S", str(UNPACK), *arguments]
    view = View((*reads, UNPACK, *interpreter()))
    finished = launcher.launch(argv, LIMITS, work, view=view, files=descriptors)
    if early := early_end(finished):
        if early.kind == "starved":
            raise OSError(errno.EBUSY, f"unpacking the archive {early.reason}")
        return "the archive takes more time or memory to unpack than any legitimate one"
    if finished.status != 0:
        raise OSError(errno.EIO, f"unpacking failed: {finished.last_error_line()}")
    return finished.stdout


def _head(stdout: bytes) -> Listing:
    return msgspec.json.decode(stdout.partition(b"\n")[0], type=Listing)


def _parsed(stdout: bytes) -> Opened:
    listing = _head(stdout)
    if listing.refused:
        return Opened(refused=f"the archive {listing.refused}")
    contents = memoryview(stdout)[stdout.index(b"\n") + 1 :]
    files = []
    for member in listing.files:
        files.append(Candidate(member.path, bytes(contents[: member.size]), member.problem))
        contents = contents[member.size :]
    return Opened(files, listing.others)
