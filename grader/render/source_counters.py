"""The student's source beside the counters of its lines, the hotter the more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.grading.evidence import Traced
from grader.model.counters import Counters, accumulate
from grader.model.submission import Submission

CONTEXT = 3  # lines shown above and below one that counts
LONGEST = 160  # characters of a line

# Heading, what it is, and the counters that it adds up.
COLUMNS = (
    (
        "global",
        "sectors of 32 bytes, loaded and stored",
        ("global_load_sectors", "global_store_sectors"),
    ),
    (
        "shared",
        "turns of shared memory, loads and stores",
        ("shared_load_wavefronts", "shared_store_wavefronts"),
    ),
    ("lost", "of them lost to bank conflicts", ("shared_load_conflicts", "shared_store_conflicts")),
    ("constant", "words of constant memory", ("constant_words",)),
)


@dataclass(frozen=True)
class Cell:
    """A counter of a line. `heat`: its part of the column's largest, from 0 to 1."""

    text: str
    heat: float


@dataclass(frozen=True)
class Row:
    """A line of the source; `number` 0: lines are left out here."""

    number: int
    text: str
    cells: list[Cell]


@dataclass(frozen=True)
class Listing:
    """The lines of one file that a traced run counted."""

    file: str
    headings: list[tuple[str, str]]
    rows: list[Row]
    total: list[str]


def listings(submission: Submission, run: Traced) -> list[Listing]:
    """One for each submitted file with a line that counts."""
    by_line: dict[tuple[str, int], Counters] = {}
    for kernel in run.profile.kernels:
        for line in kernel.lines:
            accumulate(by_line.setdefault((line.file, line.line), Counters()), line.counters)
    found = []
    for name, content in submission.contents.items():
        file = f"{submission.shown}/{name}"
        counted = {n: c for (f, n), c in by_line.items() if f == file and n}
        if counted:
            found.append(_listing(file, content.decode(errors="replace").splitlines(), counted))
    return found


def _listing(file: str, lines: list[str], counted: dict[int, Counters]) -> Listing:
    used = [c for c in COLUMNS if any(_sum(counters, c[2]) for counters in counted.values())]
    most = [max(_sum(c, names) for c in counted.values()) for _, _, names in used]
    shown = sorted(
        {n for line in counted for n in range(line - CONTEXT, line + CONTEXT + 1)}
        & set(range(1, len(lines) + 1))
    )
    rows: list[Row] = []
    for before, number in zip([0, *shown], shown, strict=False):
        if number != before + 1:
            rows.append(Row(0, "", [Cell("", 0)] * len(used)))
        counters = counted.get(number, Counters())
        values = [_sum(counters, names) for _, _, names in used]
        cells = [Cell(f"{v:,}" if v else "", v / m) for v, m in zip(values, most, strict=True)]
        rows.append(Row(number, _plain(lines[number - 1]), cells))
    total = [f"{sum(_sum(c, names) for c in counted.values()):,}" for _, _, names in used]
    return Listing(Path(file).name, [(name, said) for name, said, _ in used], rows, total)


def _sum(counters: Counters, names: tuple[str, ...]) -> int:
    return sum(int(getattr(counters, name)) for name in names)


def _plain(line: str) -> str:
    text = line.expandtabs(4)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
