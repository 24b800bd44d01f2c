"""The names that the course's libraries and those of the machine define."""

import re
import struct
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from grader import paths
from grader.compile.permitted import elf
from grader.source.code import Code

# In the order in which a submission's own definition would hide theirs.
MACHINE = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libgomp.so.1", "libstdc++.so.6")
_ARCHIVE, _MEMBER = b"!<arch>\n", 60  # begin of an archive, and the size of a member's header
_WORD = re.compile(r"sim_\w+")


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
    headers, written = _simulator()
    counted = Counter(word for code in headers for word in _WORD.findall(code.plain))
    pragmas = [words for code in headers for _, words, _ in code.pragmas]
    names = {words[-1] for words in pragmas if words[:1] == ["redefine_extname"]}
    names |= {word for word, times in counted.items() if times > 1}
    return frozenset(names | counted.keys() & {*_WORD.findall("\n".join(written))})


@lru_cache(maxsize=1)
def not_for_programs() -> frozenset[str]:
    """The simulator's names that a program must not use itself: all but those in the macros that
    stand for functions of CUDA or the C library, such as malloc()."""
    headers, written = _simulator()
    files = [*headers, *map(Code, written)]  # the translator's modules have macros in their texts
    names = {word for file in files for word in _WORD.findall(file.plain)}
    for macro in (d for file in files for d in file.directives if d.name == "define"):
        name, *words = macro.said() or [""]
        if not name.startswith(("SIM_", "sim_")):
            names -= {word for text in words for word in _WORD.findall(text)}
    return frozenset(names)


def _simulator() -> tuple[list[Code], list[str]]:
    """The simulator's headers, and the translator's modules."""
    folder = paths.LABS / "sim"
    headers = [Code(f.read_text()) for f in sorted((folder / "include").rglob("*.h"))]
    return headers, [f.read_text() for f in sorted((folder / "translate").rglob("*.py"))]


@lru_cache(maxsize=16)
def of_lab_headers(folder: str) -> frozenset[str]:
    """The functions that a lab's headers declare: those to write, and those that are given."""
    files = [*(paths.LABS / folder).glob("*.h"), *(paths.LABS / "runtime").glob("*.h")]
    files = [f for f in files if not f.name.startswith("test_")]
    return frozenset(call.name for file in files for call in Code(file.read_text()).calls())


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
