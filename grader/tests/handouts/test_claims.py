"""What labs 5 to 8 say of measured times agrees with the tables on their pages."""

import re
from collections.abc import Callable

import pytest

from grader import paths
from handouts.facts import counted_list, kinds
from handouts.facts.blocks import Block, FactsError

Rows = list[list[float]]
# A page, words of it, and whether its table bears them out. In the tables of labs 5 to 7 a row has
# the baseline, ours, speed-up, least possible, fastest library; in that of lab 8 theirs, speed-up,
# ours, speed-up.
CLAIMS: tuple[tuple[str, str, Callable[[Rows], bool]], ...] = (
    ("lab5", "The two passes gain more than the 8.5 times", lambda t: t[1][2] > 1.2 * 8.5),
    ("lab5", "both passes in about the time of part A alone", lambda t: _near(t[2][1], t[0][1])),
    ("lab6", "Still, it takes many times as long", lambda t: t[2][2] > 10),
    ("lab6", "but is only about twice as fast", lambda t: 1.7 < t[0][2] < 2.3),
    ("lab6", "a fifth of the sectors", lambda _: _near(5 * _sectors("A"), _sectors("baseline"))),
    (
        "lab6",
        "part B gains most",
        lambda t: t[0][1] / t[1][1] > max(t[0][2], t[1][1] / t[2][1]),
    ),
    ("lab6", "but gains little: two passes", lambda t: t[1][1] / t[2][1] < 1.3),
    ("lab7", "In A there is little to gain", lambda t: max(t[0][2], t[1][2]) < 1.5),
    ("lab7", "the library is faster than our solution in float", lambda t: t[5][4] < t[5][1]),
    ("lab7", "and slower in double", lambda t: t[4][4] > t[4][1]),
    ("lab7", "is *faster* in double than in float", lambda t: t[2][4] < t[3][4]),
    ("lab7", "more than 45 · 10¹² per second", lambda t: 45 < 27.1e3 / t[2][4] < 50),
    ("lab8", "made this 92 times faster", lambda t: round(t[4][1]) == 92),
    ("lab8", "The largest factor, 13,", lambda t: round(t[1][0] / t[2][0]) == 13),
    ("lab8", "the kernel took 7.5 ms", lambda t: round(t[7][0], 1) == 7.5),
    ("lab8", "the function around it 160 ms", lambda t: t[9][0] == 160),
    ("lab8", "the same cores gain more than ten times", lambda t: _least(t, 1, 2) > 10),
    (
        "lab8",
        "From C to D almost nothing is left, on both machines",
        lambda t: max(t[3][i] / t[4][i] for i in (0, 2)) < 1.1,
    ),
    ("lab8", "several times as long as the kernel", lambda t: 5 < t[6][0] / t[7][0] < 10),
    ("lab8", "and hundreds of times on ours", lambda t: 200 < t[6][2] / t[7][2] < 1000),
    ("lab8", "only about a tenth over the pinned", lambda t: 0.07 < 1 - t[11][2] / t[10][2] < 0.14),
)


def _near(one: float, other: float) -> bool:
    return abs(one / other - 1) < 0.1


def _least(table: Rows, before: int, after: int) -> float:
    """The smaller gain of two rows on their machine and ours."""
    return min(table[before][i] / table[after][i] for i in (0, 2))


def _sectors(part: str) -> float:
    runs = counted_list.read()["lab6"].runs
    return next(r.counters["global_load_sectors"] / r.pixels for r in runs if r.part == part)


def _page(lab: str) -> str:
    return (paths.ROOT / f"handouts/{lab}.md").read_text(encoding="utf-8")


def _rows(page: str) -> Rows:
    """The numbers of the measured table, which handouts.facts fills; nan for none."""
    block = re.search(r"<!-- (timed bench|source reproduced): begin -->(.*?)<!--", page, re.DOTALL)
    assert block
    rows = [line.split("|")[3:-1] for line in block[2].splitlines() if line.startswith("| ")]
    return [[_number(cell) for cell in row] for row in rows[1:]]


def _number(cell: str) -> float:
    found = re.match(r"[\d.]+", cell.strip().replace(",", ""))
    return float(found[0]) if found else float("nan")


@pytest.mark.parametrize(
    ("lab", "words", "holds"), CLAIMS, ids=[f"{lab}-{words[:40]}" for lab, words, _ in CLAIMS]
)
def test_the_table_bears_out_the_words(lab: str, words: str, holds: Callable[[Rows], bool]) -> None:
    page = _page(lab)
    assert words in " ".join(page.split())
    assert holds(_rows(page))


@pytest.mark.parametrize("lab", ["lab5", "lab6", "lab7", "lab8"])
def test_a_page_has_one_date(lab: str) -> None:
    assert len(set(re.findall(r"\b20\d\d-\d\d-\d\d\b", _page(lab)))) == 1


@pytest.mark.parametrize(
    ("page", "name", "words"),
    [
        ("lab2.md", "timed bench", "has no baseline of lab2 A"),
        ("lab1.md", "timed bench", "has no times of lab1"),
        ("lab7.md", "source reproduced", "lab7 has no experiment"),
    ],
)
def test_a_table_that_was_not_measured_is_refused(page: str, name: str, words: str) -> None:
    with pytest.raises(FactsError, match=words):
        kinds.content(page, Block(name, 0, 1))


def test_the_numbers_of_the_front_page_are_those_of_the_labs() -> None:
    handouts = paths.ROOT / "handouts"
    rows = re.findall(r"^\| (\d) \| .*\| (.*\?) \|$", (handouts / "README.md").read_text(), re.M)
    assert len(rows) == 8
    for lab, question in rows:
        page = (handouts / f"lab{lab}.md").read_text()
        for number in re.findall(r"\d+(?:\.\d+)?", question):
            assert re.search(rf"(?<![\d.]){number}(?![\d.]\d|\d)", page), (lab, number)
