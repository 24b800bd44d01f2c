"""Is the code that is counted the code that was timed?

`h200/sources.csv` has a hash of each program's files as they were timed; comments and blank space
do not count. A program that changed since then leaves the comparison (README.md). Besides,
`differences` compares what the simulator counts with what Nsight Compute counted of the same
launch: grid and block exactly, loaded sectors within 5 %.
"""

import csv
import hashlib
import math
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from grader.predict.counts import Counts
from grader.source import lexer
from labs.studies.predict import programs
from labs.studies.predict.programs import HERE

SOURCES = HERE / "h200" / "sources.csv"
NEAR = 0.05  # loads may differ so much: nvcc moves a few, and not all blocks are counted
# Functions whose loads differ more though the code is the same: nvcc keeps the sum, which the
# source reads from memory for each tap, in a register, so two of three loads are left.
KNOWN = (
    "lab2-poor-exact-sum-in-memory correlate_identical",
    "lab2-poor-sum-in-memory correlate_device",
)
# Programs that are not what was timed and stay so. Without a name here, a test finds those that a
# change of a header drops from the comparison.
LEFT_OUT: tuple[str, ...] = ()
_BLANK = re.compile(r"(\w?)\s+(\w?)")
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def _without(blank: re.Match[str]) -> str:
    """Nothing for blank space, but a space between two words."""
    return " ".join(blank.groups()) if all(blank.groups()) else "".join(blank.groups())


def digest(files: list[Path], folders: list[Path]) -> str:
    """Of the files' code and of the headers that they include from `folders`."""
    found = hashlib.sha256()
    waiting, visited = list(files), set()
    while waiting:
        file = waiting.pop(0)
        if file in visited:
            continue
        visited.add(file)
        text = lexer.without_comments(file.read_text(), " ").replace("\\\n", " ")
        found.update(f"{file.name} {_BLANK.sub(_without, text)}\n".encode())
        for name in _INCLUDE.findall(text):
            homes = (home / name for home in (file.parent, *folders))
            waiting += [home for home in homes if home.is_file()][:1]
    return found.hexdigest()[:32]


@cache
def of_program(program: str) -> str:
    return digest(programs.sources(program), programs.folders(program))


def timed() -> dict[str, str]:
    """The digests of the programs as they were timed."""
    with SOURCES.open() as file:
        return {row["library"]: row["digest"] for row in csv.DictReader(file)}


@cache
def changed() -> dict[str, str]:
    """The programs that are not what was timed, and what to do about each."""
    now = set(programs.programs())
    found = {}
    for program, was in timed().items():
        if program not in now:
            found[program] = "it no longer exists"
        elif of_program(program) != was:
            found[program] = (
                "its code changed after it was timed: where nvcc makes the same PTX of it, its"
                f" digest in h200/sources.csv becomes {of_program(program)}; else put a diff that"
                " takes it back into timed/ (labs/studies/predict/README.md)"
            )
    return found


def differences(name: str, launches: list[Counts]) -> list[str]:
    """What differs between the counted launches of a call and those of Nsight Compute: none for the
    same code."""
    rows = _counters()[name]
    if len(rows) != len(launches):
        return [f"{len(launches)} launches, on the GPU {len(rows)}"]
    found = []
    for row, counts in zip(rows, launches, strict=True):
        grid, block = (math.prod(map(int, row[key].split("x"))) for key in ("grid", "block"))
        pairs = {"blocks": (counts.blocks, grid), "threads": (counts.threads, block)}
        for key, (here, there) in pairs.items():
            if here != there:
                found.append(f"{here} {key}, on the GPU {there}")
        sectors = float(row["load_sectors"])
        if name.rsplit(" ", 1)[0] not in KNOWN and not _near(counts.load_sectors, sectors):
            found.append(f"{counts.load_sectors} sectors loaded, on the GPU {sectors:.0f}")
    return found


def _near(here: float, there: float) -> bool:
    return abs(here - there) <= NEAR * there


@cache
def _counters() -> dict[str, list[dict[str, str]]]:
    """The rows of counters.csv by the name of the call, in the order of the launches."""
    found = defaultdict(list)
    with (HERE / "h200" / "counters.csv").open() as file:
        for row in sorted(csv.DictReader(file), key=lambda row: int(row["launch"])):
            size = "x".join(row[key] for key in "abcd")
            found[f"{row['library']} {row['function']} {size}"].append(row)
    return dict(found)
