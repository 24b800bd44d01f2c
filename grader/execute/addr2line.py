"""Finds the source lines of program counters with addr2line, which comes with the compiler."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from grader import paths
from grader.sandbox import launcher

SIMULATOR_HEADERS = str(paths.LABS / "sim" / "include")  # inlined into a program, not part of it
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_LINE = re.compile(r"[1-9][0-9]{0,8}")
_NOTE = re.compile(r" \(discriminator \d+\)$")  # of addr2line; a file may be "tile (1).cu"
Location = tuple[str, int]  # file and line
UNKNOWN: Location = ("", 0)


def locations(binary: Path, counters: Iterable[int]) -> dict[int, Location]:
    """The file and line of each program counter; UNKNOWN where there is none.

    Where calls are inlined, it is the innermost location outside of the simulator's headers.
    """
    known = _known(identity(binary))
    wanted = list(counters)
    # A negative number would be an option of addr2line, which then finds nothing at all.
    new = sorted({pc for pc in wanted if 0 <= pc < 1 << 64} - known.keys())
    if new:
        known |= _asked(binary, new)
    return {pc: known.get(pc, UNKNOWN) for pc in wanted}


@lru_cache(maxsize=8)
def _known(_: tuple[str, int, int]) -> dict[int, Location]:
    """What is known of a binary: the checks of a grading ask for much the same."""
    return {}


def identity(binary: Path) -> tuple[str, int, int]:
    """Differs when a binary is another one, with the same path or not."""
    try:
        found = binary.stat()
    except OSError:
        return str(binary), 0, 0
    return str(binary), found.st_ino, found.st_mtime_ns


def _asked(binary: Path, addresses: list[int]) -> dict[int, Location]:
    """What addr2line says of them; {} when it cannot be run."""
    argv = ["addr2line", "-a", "-i", "-e", str(binary), *(hex(pc) for pc in addresses)]
    output = launcher.tool_output(argv, binary)
    found = read_locations(output)
    return {pc: found.get(pc, UNKNOWN) for pc in addresses} if output else {}


def functions(binary: Path) -> list[tuple[int, str]]:
    """The functions of a program, in order: where each begins, and its name for the linker."""
    rows = (line.split() for line in launcher.tool_output(["nm", str(binary)], binary).splitlines())
    return sorted((int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW")


def read_locations(output: str) -> dict[int, Location]:
    """The locations in addr2line's output, by address; an address without one is left out."""
    by_address: dict[int, Location] = {}
    pc = -1
    for text in output.splitlines():
        if _ADDRESS.fullmatch(text):
            pc = int(text, 16)
        elif pc >= 0 and pc not in by_address and (location := _location(text)):
            by_address[pc] = location
    return by_address


def _location(text: str) -> Location | None:
    """The location in a line of addr2line's output; None when it is unknown, in the simulator or in
    a header of the compiler, as that of _mm_load_si128()."""
    file, _, line = _NOTE.sub("", text).strip().rpartition(":")
    if not _LINE.fullmatch(line) or not file or "\0" in file or file.startswith(("?", "/usr/")):
        return None
    shown, in_simulator = _place(file)
    return None if in_simulator else (shown, int(line))


@lru_cache(maxsize=256)  # thousands of lines are of a few files
def _place(file: str) -> tuple[str, bool]:
    """The path as it is shown, and whether it is a header of the simulator."""
    shown = shortened(file)
    return shown, str((paths.ROOT / shown).resolve()).startswith(SIMULATOR_HEADERS)


def shortened(file: str) -> str:
    """The path relative to the course's folder or to the current one, if it is inside of them."""
    path = Path(file)
    for base in (paths.ROOT, Path.cwd()):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return file
