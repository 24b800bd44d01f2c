"""Finds the source lines of program counters with addr2line, which comes with the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from grader import paths
from grader.sandbox import launcher
from grader.sandbox.bubblewrap import View
from grader.sandbox.limits import Limits

SIMULATOR_HEADERS = str(paths.LABS / "sim" / "include")  # inlined into a program, not part of it
_ADDRESS = re.compile(r"0x[0-9a-f]+")
Location = tuple[str, int]  # file and line
UNKNOWN: Location = ("", 0)


def locations(binary: Path, counters: Iterable[int]) -> dict[int, Location]:
    """The file and line of each program counter; UNKNOWN where there is none.

    Where calls are inlined, it is the innermost location outside of the simulator's headers.
    """
    addresses = sorted(set(counters))
    by_address = dict.fromkeys(addresses, UNKNOWN)
    if not addresses:
        return by_address
    argv = ["addr2line", "-a", "-i", "-e", str(binary), *(hex(pc) for pc in addresses)]
    try:
        limits, view = Limits(seconds=20), View(reads=(binary,))
        output = launcher.launch(argv, limits, binary.parent, view=view).stdout
    except OSError:
        return by_address
    pc = -1
    for text in output.decode(errors="replace").splitlines():
        if _ADDRESS.fullmatch(text):
            pc = int(text, 16)
        elif by_address.get(pc) == UNKNOWN and (location := _location(text)):
            by_address[pc] = location
    return by_address


def _location(text: str) -> Location | None:
    """The location in a line of addr2line's output; None when it is unknown, in the simulator or in
    a header of the compiler, as that of _mm_load_si128()."""
    file, _, line = text.split(" (")[0].strip().rpartition(":")
    if not line.isdecimal() or line == "0" or file.startswith(("?", "/usr/")):
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
