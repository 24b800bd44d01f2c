"""Finds the source lines of program counters with addr2line, which comes with the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from grader import paths
from grader.sandbox import launcher
from grader.sandbox.limits import Limits
from grader.sandbox.view import View

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
    by_address = dict.fromkeys(counters, UNKNOWN)
    # A negative number would be an option of addr2line, which then finds nothing at all.
    addresses = sorted(pc for pc in by_address if 0 <= pc < 1 << 64)
    if not addresses:
        return by_address
    argv = ["addr2line", "-a", "-i", "-e", str(binary), *(hex(pc) for pc in addresses)]
    try:
        limits, view = Limits(seconds=20), View(reads=(binary,))
        output = launcher.launch(argv, limits, binary.parent, view=view).stdout
    except OSError:
        return by_address
    return by_address | {pc: at for pc, at in read(output).items() if pc in by_address}


def read(output: bytes) -> dict[int, Location]:
    """The locations in addr2line's output, by address; an address without one is left out."""
    by_address: dict[int, Location] = {}
    pc = -1
    for text in output.decode(errors="replace").splitlines():
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
    shown = shortened(file)
    in_simulator = str((paths.ROOT / shown).resolve()).startswith(SIMULATOR_HEADERS)
    return None if in_simulator else (shown, int(line))


def shortened(file: str) -> str:
    """The path relative to the course's folder or to the current one, if it is inside of them."""
    path = Path(file)
    for base in (paths.ROOT, Path.cwd()):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return file
