"""The names that the course's libraries and those of the machine define."""

import re
import struct
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from grader import paths
from grader.compile.permitted import elf

# In the order in which a submission's own definition would hide theirs.
MACHINE = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libgomp.so.1", "libstdc++.so.6")
_ARCHIVE, _MEMBER = b"!<arch>\n", 60  # begin of an archive, and the size of a member's header
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(rb"sim_\w+")
_RENAMED = re.compile(rb"redefine_extname \w+ (\w+)")
# What a macro stands for whose name is not the simulator's own.
_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(?!SIM_|sim_)\w+(.*)$", re.MULTILINE)
_DECLARED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")


@lru_cache(maxsize=64)
def of_library(file: Path, _: float) -> frozenset[str]:
    """The names that an archive, an object or a shared library defines; none if it is not there.
    The second argument is the time of its last change."""
    try:
        data = file.read_bytes()
        names = _of_archive(data) if data.startswith(_ARCHIVE) else _of_object(data)
    except (OSError, elf.ObjectError, struct.error, ValueError):  # or it is being written
        return frozenset()
    return frozenset(names)


def of_course(course: Path) -> frozenset[str]:
    """What the runtime and the lab's own parts define. course: the folder of these parts."""
    library = paths.BUILD / "lib" / "plain"
    parts = [*library.glob("*.a"), *library.glob("runtime/runner/*.o"), *course.glob("*.o")]
    return _together(parts)


def of_machine() -> frozenset[str]:
    """What the C and C++ libraries of this machine define."""
    return _together(filter(None, map(_found, MACHINE)))


@lru_cache(maxsize=1)
def of_simulator_headers() -> frozenset[str]:
    """The simulator's functions that its headers, or what the translator writes, call in a
    student's file. What a header only declares is for the runner."""
    folder = paths.LABS / "sim"
    code = b"\n".join(f.read_bytes() for f in sorted((folder / "include").rglob("*.h")))
    written = b"\n".join(f.read_bytes() for f in sorted((folder / "translate").rglob("*.py")))
    counted = Counter(_WORD.findall(_COMMENT.sub(b"", code)))
    names = {*(word for word, times in counted.items() if times > 1), *_RENAMED.findall(code)}
    names |= counted.keys() & set(_WORD.findall(written))
    return frozenset(name.decode() for name in names)


@lru_cache(maxsize=1)
def not_for_programs() -> frozenset[str]:
    """The simulator's names that a program must not use itself: all but those in the macros that
    stand for functions of CUDA or the C library, such as malloc()."""
    folder = paths.LABS / "sim"
    files = [*(folder / "include").rglob("*.h"), *(folder / "translate").rglob("*.py")]
    code = b"\n".join(_COMMENT.sub(b"", f.read_bytes()) for f in sorted(files))
    joined = code.replace(b"\\\n", b" ")
    used = {word for macro in _MACRO.findall(joined) for word in _WORD.findall(macro)}
    return frozenset(name.decode() for name in {*_WORD.findall(code)} - used)


@lru_cache(maxsize=16)
def of_lab_headers(folder: str) -> frozenset[str]:
    """The functions that a lab's headers declare: those to write, and those that are given."""
    files = [*(paths.LABS / folder).glob("*.h"), *(paths.LABS / "runtime").glob("*.h")]
    files = [f for f in files if not f.name.startswith("test_")]
    code = b"\n".join(_COMMENT.sub(b"", file.read_bytes()) for file in files)
    return frozenset(name.decode() for name in _DECLARED.findall(code))


def _together(files: Iterable[Path]) -> frozenset[str]:
    return frozenset().union(*(of_library(file, file.stat().st_mtime) for file in files))


@lru_cache(maxsize=8)
def _found(name: str) -> Path | None:
    """Where a shared library of the machine is."""
    folders = [Path(f) for f in ("/lib64", "/usr/lib64", "/lib", "/usr/lib")]
    folders = [*Path("/usr/lib").glob("*-linux-gnu"), *folders]
    return next((f / name for f in folders if (f / name).is_file()), None)


def _of_archive(data: bytes) -> list[str]:
    """The names in an archive's index, its first member: how many there are, where each is, and
    then the names."""
    size = int(data[len(_ARCHIVE) + 48 : len(_ARCHIVE) + 58])
    start = len(_ARCHIVE) + _MEMBER
    (count,) = struct.unpack_from(">I", data, start)
    names = data[start + 4 + 4 * count : start + size].split(b"\0")[:count]
    return [name.decode() for name in names]


def _of_object(data: bytes) -> list[str]:
    symbols = elf.parsed(data).symbols
    return [s.name for s in symbols if s.is_defined() and s.binding != elf.LOCAL and s.name]
