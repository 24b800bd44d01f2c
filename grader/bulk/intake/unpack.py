"""Prints the files of an archive that have one of the NAMEs. Runs inside the sandbox.

    unpack.py ARCHIVE NAME...

stdout is one line of JSON, then the contents of the files, one after the other:

    {"refused": "", or why the whole archive is refused,
     "files": [{"path": in the archive, "size": of its content in bytes, "problem": "", or why this
                file is not read (its size is then 0)}]}

Nothing is extracted, so no link can be followed and no path can lead out of a folder. Standard
library only: `python -I -S` runs it.
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

MOST_BYTES = 1 << 20  # of a file
MOST_UNPACKED = 256 << 20  # of a tarball, which is read from end to end
MOST_MEMBERS = 20_000
MOST_FILES = 64  # with one of the names
DEEPEST = 32  # levels of folders
LARGE, RATIO = 64 << 10, 100  # a larger file that was compressed further than this is a bomb
ENCRYPTED = 0x1
DECOMPRESSORS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}


class Refused(Exception):  # noqa: N818 (it need not be an error)
    """The whole archive is refused; the message goes on after "the archive"."""


class Limited:
    """A decompressed tarball that may be read up to MOST_UNPACKED bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.left = MOST_UNPACKED

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(min(size, self.left + 1) if size >= 0 else self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            raise Refused(f"unpacks to more than {MOST_UNPACKED >> 20} MB")
        return data


class Collection:
    """The files collected from the archive: path, content, and the problem with it."""

    def __init__(self, names: list[str]) -> None:
        self.names = set(names)
        self.members = 0
        self.files: list[tuple[str, bytes, str]] = []

    def wants(self, path: str) -> bool:
        """Whether a member has one of the names. Raises Refused when the archive is hostile."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise Refused(f"contains more than {MOST_MEMBERS} files")
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if ".." in parts or path.startswith(("/", "\\")) or path[1:3] == ":\\":
            raise Refused("contains a path that leads out of it")
        if len(parts) > DEEPEST:
            raise Refused(f"contains folders more than {DEEPEST} deep")
        named = bool(parts) and parts[-1] in self.names and "__MACOSX" not in parts
        if named and len(self.files) >= MOST_FILES:
            raise Refused(
                f"contains more than {MOST_FILES} files with the names of the lab's files"
            )
        return named

    def add(self, path: str, content: bytes = b"", problem: str = "") -> None:
        if any(path == other for other, _, _ in self.files):
            raise Refused("contains two files with the same path")
        if len(content) > MOST_BYTES:
            content, problem = b"", too_large()
        self.files.append((path, content, problem))


def too_large() -> str:
    return f"has more than {MOST_BYTES >> 20} MB"


def read_zip(archive: zipfile.ZipFile, files: Collection) -> None:
    for member in archive.infolist():
        path = member.filename
        if not files.wants(path):
            continue
        kind = stat.S_IFMT(member.external_attr >> 16)
        if member.is_dir():
            files.add(path, problem="is a folder")
        elif kind not in (0, stat.S_IFREG):
            files.add(path, problem="is a link" if stat.S_ISLNK(kind) else "is not a file")
        elif member.flag_bits & ENCRYPTED:
            files.add(path, problem="is encrypted")
        elif member.file_size > MOST_BYTES:
            files.add(path, problem=too_large())
        elif member.file_size > LARGE and member.file_size > RATIO * member.compress_size:
            files.add(path, problem="is compressed so much that it must be a zip bomb")
        else:
            with archive.open(member) as file:
                files.add(path, file.read(MOST_BYTES + 1))


def read_tar(file: IO[bytes], files: Collection) -> None:
    limited = cast(Any, Limited(file))
    with tarfile.open(fileobj=limited, mode="r|") as archive:
        for member in archive:
            if not files.wants(member.name):
                continue
            if member.issym() or member.islnk():
                files.add(member.name, problem="is a link")
            elif member.isdir():
                files.add(member.name, problem="is a folder")
            elif not member.isreg() or member.issparse():
                files.add(member.name, problem="is not a file")
            elif member.size > MOST_BYTES:
                files.add(member.name, problem=too_large())
            else:
                content = archive.extractfile(member)
                files.add(member.name, content.read(MOST_BYTES + 1) if content else b"")


def read(path: str, files: Collection) -> None:
    """Reads the archive by its content's format, whatever its name ends in."""
    with open(path, "rb") as file:
        head = file.read(512)
        file.seek(0)
        openers = (opener for magic, opener in DECOMPRESSORS.items() if head.startswith(magic))
        decompress = next(openers, None)
        if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            with zipfile.ZipFile(file) as archive:
                read_zip(archive, files)
        elif decompress is not None:
            with decompress(file) as inside:
                read_tar(inside, files)
        elif head[257:262] == b"ustar":
            read_tar(file, files)
        elif not head:
            raise Refused("is empty")
        else:
            raise Refused("is neither a zip nor a tar archive")


def main(path: str, names: list[str]) -> None:
    collection, refused = Collection(names), ""
    try:
        read(path, collection)
    except Refused as problem:
        refused = str(problem)
    except MemoryError:
        refused = "needs too much memory to be unpacked"
    except RuntimeError as problem:  # zipfile raises it for an encrypted member
        refused = f"cannot be unpacked ({problem})"
    except Exception:  # noqa: BLE001 - any error of a parser is the archive's fault
        refused = "is damaged"
    files = [] if refused else collection.files
    listed = [{"path": p, "size": len(c), "problem": why} for p, c, why in files]
    head = json.dumps({"refused": refused, "files": listed})
    sys.stdout.buffer.write(head.encode() + b"\n" + b"".join(c for _, c, _ in files))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
