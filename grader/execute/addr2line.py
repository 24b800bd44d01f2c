"""From program counters to the lines of the source: addr2line, which comes with the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from grader import paths
from grader.sandbox import launcher
from grader.sandbox.bubblewrap import View

OURS = str(paths.LABS / "sim" / "include")  # inlined into the program, and not what it says
_ADDRESS = re.compile(r"0x[0-9a-f]+")
Place = tuple[str, int]
UNKNOWN: Place = ("", 0)


def places(binary: Path, counters: Iterable[int]) -> dict[int, Place]:
    """The file and line of each program counter; UNKNOWN for one that has none.

    Of the calls that were inlined there, the innermost counts that is not the simulator's own.
    """
    wanted = sorted(set(counters))
    found = dict.fromkeys(wanted, UNKNOWN)
    if not wanted:
        return found
    argv = ["addr2line", "-a", "-i", "-e", str(binary), *(hex(pc) for pc in wanted)]
    try:
        limits, view = launcher.Limits(seconds=20), View(reads=(binary,))
        said = launcher.launch(argv, limits, binary.parent, view=view).stdout
    except OSError:
        return found
    pc = -1
    for text in said.decode(errors="replace").splitlines():
        if _ADDRESS.fullmatch(text):
            pc = int(text, 16)
        elif found.get(pc) == UNKNOWN and (place := _place(text)) and _theirs(place[0]):
            found[pc] = place
    return found


def _place(text: str) -> Place | None:
    file, _, line = text.split(" (")[0].strip().rpartition(":")
    if not line.isdecimal() or line == "0" or file.startswith("?"):
        return None
    return nearer(file), int(line)


def _theirs(file: str) -> bool:
    return not str((paths.ROOT / file).resolve()).startswith(OURS)


def nearer(file: str) -> str:
    """The path as seen from the project or from here, where that is shorter."""
    path = Path(file)
    for base in (paths.ROOT, Path.cwd()):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return file
