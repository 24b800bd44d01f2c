"""Prints the files of an archive that have one of the NAMEs. Runs inside the sandbox.

    unpack.py ARCHIVE NAME...              a student's archive: the files with these names
    unpack.py DESCRIPTOR --list            a zip of a whole class, open already: what is in it
    unpack.py DESCRIPTOR --members PATH... the files of such a zip at these paths

A name counts also where a browser or a copy added to it: "work (1).cu" is a "work.cu" (copied()).
stdout is one line of JSON, then the contents of the files, one after the other:

    {"refused": "", or why the whole archive is refused,
     "files": [{"path": in the archive, "size": of its content in bytes, "problem": "", or why this
                file is not read (its size is then 0)}],
     "others": the paths of a few other files: of those whose names have the same suffixes, if any}

Nothing is extracted, so no link can be followed and no path can lead out of a folder. Standard
library only: `python -I -S` runs it.
"""

import bz2
import gzip
import json
import lzma
import re
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import IO, Any, cast

MOST_BYTES = 1 << 20  # of a file
MOST_UNPACKED = 256 << 20  # of a tarball, which is read from end to end
MOST_BEHIND_END = 100  # reads of a tarball that give nothing
MOST_MEMBERS = 20_000
MOST_LISTED = 200_000  # members of the zip of a class
MOST_FILES = 64  # with one of the names
MOST_OTHERS, MOST_NAME = 40, 200
MOST_NESTED = 64 << 20  # bytes of a student's archive in the zip of a class
DEEPEST = 32  # levels of folders
# Of an archive in an archive, which is not opened, or of a kind that cannot be.
PACKED = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".rar", ".7z")
CPP = {".cc", ".cpp", ".cxx"}  # that an editor saves C and CUDA under
LARGE, RATIO = 64 << 10, 100  # a larger file that was compressed further than this is a bomb
ENCRYPTED = 0x1
DECOMPRESSORS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}


# What browsers, file managers and learning management systems add to the name of a second copy.
COPIED = re.compile(
    r"( ?\(\d{1,3}\)|-\d{1,3}| - Copy( \(\d{1,3}\))?| copy( \d{1,3})?)(?=\.[^.]+$)", re.ASCII
)


def copied(name: str) -> str:
    """The name without what was added to it because there was a file of this name already."""
    return COPIED.sub("", name)


def is_other(name: str, wanted: set[str]) -> bool:
    """Whether a file that is not wanted may be meant as one that is, or have it inside: its name
    has such a suffix, perhaps before another, as in "work.cu.txt"."""
    suffixes = {PurePosixPath(each).suffix for each in wanted} - {"", ".txt", ".h", ".log", ".head"}
    if len(name) >= MOST_NAME:
        return False
    suffixes |= CPP if suffixes else set()
    return is_packed(name) or any(suffix in name.lower() for suffix in suffixes)


def is_of_macos(path: str) -> bool:
    """Whether macOS keeps there what it knows about a file, and not the file: "__MACOSX/._x"."""
    parts = PurePosixPath(path).parts
    return "__MACOSX" in parts or any(part.startswith("._") for part in parts)


def is_packed(name: str) -> bool:
    """Whether a name, without what macOS hides, is an archive's."""
    return name.lower().endswith(PACKED) and not name.startswith(".")


class Refused(Exception):  # noqa: N818 (it need not be an error)
    """The whole archive is refused; the message goes on after "the archive"."""


class Limited:
    """A decompressed tarball that may be read up to MOST_UNPACKED bytes.

    tarfile goes on reading behind the end to skip a member: one that claims a terabyte would take
    it minutes. An ordinary tarball is read there a few times.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.left = MOST_UNPACKED
        self.left_behind_end = MOST_BEHIND_END

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(min(size, self.left + 1) if size >= 0 else self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            raise Refused(f"unpacks to more than {MOST_UNPACKED >> 20} MB")
        if not data and size:
            self.left_behind_end -= 1
            if self.left_behind_end < 0:
                raise Refused("is damaged: it ends before its last file does")
        return data


class Collection:
    """The files collected from the archive: path, content, and the problem with it."""

    def __init__(self, names: list[str]) -> None:
        self.names = set(names)
        self.others: list[str] = []
        self.rest: list[str] = []
        self.members = 0
        self.files: list[tuple[str, bytes, str]] = []

    def wants(self, path: str) -> bool:
        """Whether a member has one of the names. Raises Refused when the archive is hostile."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise Refused(f"contains more than {MOST_MEMBERS} files")
        parts = PurePosixPath(path).parts
        if ".." in parts or path.startswith("/") or path[1:3] == ":/":
            raise Refused("contains a path that leads out of it")
        if len(parts) > DEEPEST:
            raise Refused(f"contains folders more than {DEEPEST} deep")
        if not parts:
            return False
        named = not self.names.isdisjoint((parts[-1], copied(parts[-1])))
        named = named and not is_of_macos(path)
        if named and len(self.files) >= MOST_FILES:
            raise Refused(
                f"contains more than {MOST_FILES} files with the names of the lab's files"
            )
        beside = self.others if is_other(parts[-1], self.names) else self.rest
        if not named and len(beside) < MOST_OTHERS and not path.endswith("/"):
            beside.append(path)
        return named

    def add(self, path: str, content: bytes = b"", problem: str = "") -> None:
        if any(path == other for other, _, _ in self.files):
            raise Refused("contains two files with the same path")
        if len(content) > MOST_BYTES:
            content, problem = b"", too_large()
        self.files.append((path, content, problem))


def too_large() -> str:
    return f"has more than {MOST_BYTES >> 20} MB"


def slashed(path: str) -> str:
    """Old tools of Windows write backslashes between folders."""
    return path.replace("\\", "/")


def read_zip(archive: zipfile.ZipFile, files: Collection) -> None:
    for member in archive.infolist():
        path = slashed(member.filename)
        if not files.wants(path):
            continue
        kind = stat.S_IFMT(member.external_attr >> 16)
        if path.endswith("/"):
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
            path = slashed(member.name)
            if not files.wants(path):
                continue
            if member.issym() or member.islnk():
                files.add(path, problem="is a link")
            elif member.isdir():
                files.add(path, problem="is a folder")
            elif not member.isreg() or member.issparse():
                files.add(path, problem="is not a file")
            elif member.size > MOST_BYTES:
                files.add(path, problem=too_large())
            else:
                content = archive.extractfile(member)
                files.add(path, content.read(MOST_BYTES + 1) if content else b"")


def read_archive(path: str, files: Collection) -> None:
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


def list_members(file: IO[bytes], files: Collection) -> None:
    """Every member of the zip of a class, by its path. What leads out of it is left out."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
    if len(members) > MOST_LISTED:
        raise Refused(f"contains more than {MOST_LISTED} files")
    listed: dict[str, str] = {}
    for member in members:
        parts = PurePosixPath(slashed(member.filename)).parts
        if parts and ".." not in parts and parts[0] != "/" and len(parts) <= DEEPEST:
            kind = stat.S_IFMT(member.external_attr >> 16)
            folder = "is a folder" if member.is_dir() else ""
            listed["/".join(parts)] = "is a link" if stat.S_ISLNK(kind) else folder
    files.files = [(path, b"", problem) for path, problem in listed.items()]


def read_members(file: IO[bytes], files: Collection) -> None:
    """The members at the paths that the collection has for names."""
    most = MOST_NESTED
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            path = "/".join(PurePosixPath(slashed(member.filename)).parts)
            if path not in files.names:
                continue
            if stat.S_ISLNK(member.external_attr >> 16):
                files.add(path, problem="is a link")
            elif member.flag_bits & ENCRYPTED:
                files.add(path, problem="is encrypted")
            elif member.file_size > most:
                files.add(path, problem=f"has more than {MOST_NESTED >> 20} MB")
            else:
                with archive.open(member) as inside:
                    content = inside.read(most + 1)
                most -= len(content)
                files.files.append((path, content, ""))


def shown(path: str) -> str:
    """The path as JSON can have it: tarfile gives bytes that are no UTF-8 as lone surrogates."""
    return path.encode(errors="surrogateescape").decode(errors="replace")


def main(source: str, arguments: list[str]) -> None:
    mode = arguments[0] if arguments else ""
    collection, refused = Collection(arguments), ""
    try:
        if mode in ("--list", "--members"):
            collection.names.discard(mode)
            with open(int(source), "rb", closefd=False) as file:
                (list_members if mode == "--list" else read_members)(file, collection)
        else:
            read_archive(source, collection)
    except Refused as problem:
        refused = str(problem)
    except MemoryError:
        refused = "needs too much memory to be unpacked"
    except RuntimeError as problem:  # zipfile raises it for an encrypted member
        refused = f"cannot be unpacked ({problem})"
    except Exception:  # noqa: BLE001 - any error of a parser is the archive's fault
        refused = "is damaged"
    files = [] if refused else collection.files
    listed = [{"path": shown(p), "size": len(c), "problem": why} for p, c, why in files]
    others = [shown(path) for path in collection.others or collection.rest]
    head = json.dumps({"refused": refused, "files": listed, "others": others})
    sys.stdout.buffer.write(head.encode() + b"\n" + b"".join(c for _, c, _ in files))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
