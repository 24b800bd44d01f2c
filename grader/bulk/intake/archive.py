"""Reads files out of an archive: runs unpack.py inside the sandbox and takes what it prints."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.sandbox import bubblewrap, launcher
from grader.sandbox.bubblewrap import View
from grader.sandbox.ending import early_end
from grader.sandbox.limits import Limits
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


def candidates(archive: Path, names: set[str]) -> tuple[list[Candidate], str]:
    """The files of these names; or none, and why the archive is refused. Raises OSError when the
    machine is at fault."""
    try:
        size = archive.stat(follow_symlinks=False).st_size
    except OSError as problem:
        return [], f"the submission cannot be read ({problem.strerror})"
    if size > MOST_BYTES:
        return [], f"the archive has {size >> 20} MB; the limit is {MOST_BYTES >> 20}"
    with workspace() as work:
        copy = work / "archive"  # because the sandbox has another user
        with open(os.open(archive, OPENING), "rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target)
        copy.chmod(0o644)
        argv = [sys.executable, "-I", "-S", str(UNPACK), str(copy), *sorted(names)]
        view = View((copy, UNPACK, *bubblewrap.interpreter()))
        finished = launcher.launch(argv, LIMITS, work, view=view)
    if early := early_end(finished):
        if early.kind == "starved":
            raise OSError(errno.EBUSY, f"unpacking the archive {early.reason}")
        return [], "the archive takes more time or memory to unpack than any honest one"
    if finished.status != 0:
        raise OSError(errno.EIO, f"unpacking failed: {finished.last_error_line()}")
    return _parsed(finished.stdout)


def _parsed(stdout: bytes) -> tuple[list[Candidate], str]:
    head, _, contents = stdout.partition(b"\n")
    listing = msgspec.json.decode(head, type=Listing)
    if listing.refused:
        return [], f"the archive {listing.refused}"
    files = []
    for member in listing.files:
        files.append(Candidate(member.path, contents[: member.size], member.problem))
        contents = contents[member.size :]
    return files, ""
