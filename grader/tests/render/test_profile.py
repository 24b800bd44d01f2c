"""The tables of `./grade run --profile` and the findings of `--check` in terminals of any width."""

from typing import Any

import msgspec

from grader.execute.profile import Kernel, LineCounters, Profile, told
from grader.model.counters import Counters
from grader.model.finding import Finding
from grader.render import profile as render


def counters(**values: Any) -> Counters:
    return msgspec.structs.replace(Counters(), **values)


GLOBAL = {"global_load_requests": 12345678, "global_load_sectors": 23456789}
SHARED = {"shared_load_requests": 34567, "shared_load_wavefronts": 45678}
CONSTANT = {"constant_requests": 7, "constant_serialisation": 2.5}
KERNEL = Kernel(
    launch=0,
    name="kernel_with_a_long_name",
    grid=(1, 2, 3),
    block=(32, 1, 1),
    blocks=6,
    counted_blocks=6,
    complete=True,
    counters=counters(**GLOBAL, **SHARED, **CONSTANT),
    occupancy_bound=0.5,
    lines=[
        LineCounters("folder/a.cu", 7, counters(**GLOBAL)),
        LineCounters("folder/a.cu", 8, counters(**SHARED, **CONSTANT)),
    ],
)
FINDING = told(
    Finding("undefined", text="a message of " + "several words " * 20, file="a_long.cu", line=3)
)


def test_unlimited_width_gives_one_table() -> None:
    lines = render.tables(Profile([KERNEL])).splitlines()
    assert [line.split() for line in lines[2:]] == [
        ["a.cu:7", "12345678", "23456789", "-", "-", "-", "-"],
        ["a.cu:8", "-", "-", "34567", "45678", "7", "2.50"],
        ["total", "12345678", "23456789", "34567", "45678", "7", "2.50"],
    ]
    assert len({len(line) for line in lines[1:]}) == 1, "columns are aligned"


def test_a_narrow_terminal_has_a_table_for_each_kind_of_memory() -> None:
    text = render.tables(Profile([KERNEL]), 45)
    assert max(map(len, text.splitlines())) <= 45
    rows = [line.split() for line in text.splitlines() if line.startswith("  ")]
    rows = [row for row in rows if row[0] in ("a.cu:7", "a.cu:8", "total")]
    assert [row[0] for row in rows] == ["a.cu:7", "total", "a.cu:8", "total", "a.cu:8", "total"]
    assert rows[2][1:] == ["34567", "45678"]


def test_tables_fit_any_width() -> None:
    for width in (1, 10, 20, 30):
        text = render.tables(Profile([KERNEL]), width)
        for value in ("12345678", "23456789", "34567", "45678", "2.50"):
            assert value in text


def test_a_launch_without_counters() -> None:
    empty = msgspec.structs.replace(KERNEL, counters=counters(), lines=[])
    for width in (None, 80):
        assert render.tables(Profile([empty]), width).splitlines()[-1].strip() == "total"


def test_findings_are_broken_between_words_in_a_terminal_only() -> None:
    profile = Profile([], [FINDING])
    assert len(render.findings(profile).splitlines()) == 2
    lines = render.findings(profile, width=80).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) > 3
    assert lines[0].startswith("error: undefined: a_long.cu:3:")
    assert " ".join(lines[:-1]).split() == render.findings(profile).splitlines()[0].split()


def test_legend_fits_the_width() -> None:
    for width in (80, 120, None):
        assert max(map(len, render.legend(width).splitlines())) <= (width or 100)
