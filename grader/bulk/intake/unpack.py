"""Reads an archive inside a sandbox and prints the members that are wanted; extracts nothing.

    unpack.py ARCHIVE NAME...

stdout: one line of JSON, then the contents of the files one after the other:

    {"refused": "" or why nothing is taken,
     "files": [{"path": in the archive, "size": bytes that follow, "problem": "" or why it is not
                taken (size is then 0)}]}

A member is wanted when the last part of its path is one of the NAMEs. Nothing is written, so there
is no link to follow and no path to leave. Standard library only: it is run by `python -I -S`.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import IO, Any, cast

MOST_BYTES = 1 << 20  # of a file that is taken
MOST_UNPACKED = 256 << 20  # of a whole tarball, which is read from end to end
MOST_MEMBERS = 20_000
MOST_WANTED = 64  # members of a wanted name
DEEPEST = 32  # folders
LARGE, RATIO = 64 << 10, 100  # a file this large that was packed this small is a bomb
ENCRYPTED = 0x1
PACKERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}


class Refused(Exception):  # noqa: N818 (it need not be an error)
    """Why nothing of the archive is taken."""


class Counted:
    """The unpacked bytes of a tarball, up to a limit."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.left = MOST_UNPACKED

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(min(size, self.left + 1) if size >= 0 else self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            raise Refused(f"unpacks to more than {MOST_UNPACKED >> 20} MB")
        return data


class Taken:
    """What is taken so far."""

    def __init__(self, names: list[str]) -> None:
        self.names = set(names)
        self.members = 0
        self.files: list[tuple[str, bytes, str]] = []

    def wants(self, path: str) -> bool:
        """Whether a member is one of the wanted. Raises Refused for an archive that is hostile."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise Refused(f"holds more than {MOST_MEMBERS} files")
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if ".." in parts or path.startswith(("/", "\\")) or path[1:3] == ":\\":
            raise Refused("names a path outside of itself")
        if len(parts) > DEEPEST:
            raise Refused(f"holds folders more than {DEEPEST} deep")
        wanted = bool(parts) and parts[-1] in self.names and "__MACOSX" not in parts
        if wanted and len(self.files) >= MOST_WANTED:
            raise Refused(f"holds more than {MOST_WANTED} files of the wanted names")
        return wanted

    def add(self, path: str, content: bytes = b"", problem: str = "") -> None:
        if any(path == other for other, _, _ in self.files):
            raise Refused("holds two files of the same path")
        if len(content) > MOST_BYTES:
            content, problem = b"", too_large()
        self.files.append((path, content, problem))


def too_large() -> str:
    return f"has more than {MOST_BYTES >> 20} MB"


def read_zip(archive: zipfile.ZipFile, taken: Taken) -> None:
    for member in archive.infolist():
        path = member.filename
        if not taken.wants(path):
            continue
        kind = stat.S_IFMT(member.external_attr >> 16)
        if member.is_dir():
            taken.add(path, problem="is a folder")
        elif kind not in (0, stat.S_IFREG):
            taken.add(path, problem="is a link" if stat.S_ISLNK(kind) else "is not a file")
        elif member.flag_bits & ENCRYPTED:
            taken.add(path, problem="is encrypted")
        elif member.file_size > MOST_BYTES:
            taken.add(path, problem=too_large())
        elif member.file_size > LARGE and member.file_size > RATIO * member.compress_size:
            taken.add(path, problem="was packed as only a bomb can be")
        else:
            with archive.open(member) as file:
                taken.add(path, file.read(MOST_BYTES + 1))


def read_tar(file: IO[bytes], taken: Taken) -> None:
    counted = cast(Any, Counted(file))
    with tarfile.open(fileobj=counted, mode="r|") as archive:
        for member in archive:
            if not taken.wants(member.name):
                continue
            if member.issym() or member.islnk():
                taken.add(member.name, problem="is a link")
            elif member.isdir():
                taken.add(member.name, problem="is a folder")
            elif not member.isreg() or member.issparse():
                taken.add(member.name, problem="is not a file")
            elif member.size > MOST_BYTES:
                taken.add(member.name, problem=too_large())
            else:
                content = archive.extractfile(member)
                taken.add(member.name, content.read(MOST_BYTES + 1) if content else b"")


def read(path: str, taken: Taken) -> None:
    """Takes what is wanted, by what the archive is and not by what it is called."""
    with open(path, "rb") as file:
        head = file.read(512)
        file.seek(0)
        packer = next((opener for magic, opener in PACKERS.items() if head.startswith(magic)), None)
        if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            with zipfile.ZipFile(file) as archive:
                read_zip(archive, taken)
        elif packer is not None:
            with packer(file) as inside:
                read_tar(inside, taken)
        elif head[257:262] == b"ustar":
            read_tar(file, taken)
        elif not head:
            raise Refused("is empty")
        else:
            raise Refused("is neither a zip nor a tar archive")


def main(path: str, names: list[str]) -> None:
    taken, refused = Taken(names), ""
    try:
        read(path, taken)
    except Refused as problem:
        refused = str(problem)
    except MemoryError:
        refused = "needs too much memory to be unpacked"
    except RuntimeError as problem:  # zipfile's word for an encrypted member
        refused = f"cannot be unpacked ({problem})"
    except Exception:  # noqa: BLE001 - whatever a parser stumbles over is the archive's fault
        refused = "is damaged"
    files = [] if refused else taken.files
    listed = [{"path": p, "size": len(c), "problem": why} for p, c, why in files]
    head = json.dumps({"refused": refused, "files": listed})
    sys.stdout.buffer.write(head.encode() + b"\n" + b"".join(c for _, c, _ in files))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
