"""The student's source with the counters of each line."""

from dataclasses import dataclass
from pathlib import Path

from grader.model import plain_text
from grader.model.counters import Counters, accumulate
from grader.model.submission import Submission
from grader.session.report_data import Traced

CONTEXT = 3  # lines shown above and below a line with counters
LONGEST = 160  # characters of a line; the rest is cut off

# Heading, what it means, and the counters that it adds up.
COLUMNS = (
    (
        "global",
        "32-byte sectors of global memory, loaded and stored",
        ("global_load_sectors", "global_store_sectors"),
    ),
    (
        "shared",
        "wavefronts of shared memory, loads and stores",
        ("shared_load_wavefronts", "shared_store_wavefronts"),
    ),
    (
        "conflicts",
        "of those, extra wavefronts caused by bank conflicts",
        ("shared_load_conflicts", "shared_store_conflicts"),
    ),
    ("constant", "words read from constant memory", ("constant_words",)),
)


@dataclass(frozen=True)
class Cell:
    """A counter of a line. `heat`: its value over the column's largest, from 0 to 1."""

    text: str
    heat: float


@dataclass(frozen=True)
class ListingLine:
    """A line of the source. Its number is 0 where lines are left out."""

    number: int
    text: str
    cells: list[Cell]


@dataclass(frozen=True)
class Listing:
    """The lines of one file, with what a traced run counted on them."""

    file: str
    headings: list[tuple[str, str]]  # and their meanings
    rows: list[ListingLine]
    total: list[str]


def listings(submission: Submission, run: Traced) -> list[Listing]:
    """A listing for each submitted file that has a line with counters."""
    by_line: dict[tuple[str, int], Counters] = {}
    for kernel in run.profile.kernels:
        for line in kernel.lines:
            accumulate(by_line.setdefault((line.file, line.line), Counters()), line.counters)
    listed = []
    for name, content in submission.contents.items():
        file = submission.path(name)
        counted = {n: c for (f, n), c in by_line.items() if f == file and n}
        if counted:
            listed.append(_listing(file, content.decode(errors="replace").splitlines(), counted))
    return listed


def _listing(file: str, lines: list[str], counted: dict[int, Counters]) -> Listing:
    used = [c for c in COLUMNS if any(_sum(counters, c[2]) for counters in counted.values())]
    most = [max(_sum(c, names) for c in counted.values()) for _, _, names in used]
    shown = sorted(
        {n for line in counted for n in range(line - CONTEXT, line + CONTEXT + 1)}
        & set(range(1, len(lines) + 1))
    )
    rows: list[ListingLine] = []
    for before, number in zip([0, *shown], shown, strict=False):
        if number != before + 1:
            rows.append(ListingLine(0, "", [Cell("", 0)] * len(used)))
        counters = counted.get(number, Counters())
        values = [_sum(counters, names) for _, _, names in used]
        cells = [Cell(f"{v:,}" if v else "", v / m) for v, m in zip(values, most, strict=True)]
        rows.append(ListingLine(number, plain_text.line(lines[number - 1], LONGEST), cells))
    total = [f"{sum(_sum(c, names) for c in counted.values()):,}" for _, _, names in used]
    return Listing(Path(file).name, [(name, meaning) for name, meaning, _ in used], rows, total)


def _sum(counters: Counters, names: tuple[str, ...]) -> int:
    return sum(int(getattr(counters, name)) for name in names)
