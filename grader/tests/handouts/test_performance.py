"""What pages say of times in prose and in performance.md's table is in the committed results."""

import json
import re
from collections.abc import Iterator

import pytest

from grader import paths
from labs.studies.reproduce import published

TEXT = (paths.ROOT / "handouts/performance.md").read_text()
SPEEDS = json.loads((paths.ROOT / "labs/studies/gpu/results.json").read_text())["speeds"]
ROW = re.compile(r"^\| (lab \d.*?) \|.*\| (\d+) \| (\d+) \| (\d+) \| (\d+) % \|$", re.MULTILINE)
ROWS = {m[1]: tuple(map(int, m.groups()[1:])) for m in ROW.finditer(TEXT)}
# The row of the page, and the speed check that it quotes.
QUOTED = {
    "lab 2, 13×13, global memory": ("lab2", "A"),
    "lab 3, 13×13, constant mask": ("lab3", "A"),
    "lab 4, 13×13, shared tile": ("lab4", "B"),
    "lab 4, 13×13, register tile": ("lab4", "D"),
    "lab 5, two passes of 17": ("lab5", "B"),
    "lab 5, fused": ("lab5", "C"),
    "lab 6 C, two passes of 17": ("lab6", "C"),
    "lab 8 E, grey (bytes, 12288×8192)": ("lab8", "E"),
}


def test_every_row_is_quoted_from_a_check() -> None:
    assert ROWS.keys() == QUOTED.keys()


@pytest.mark.parametrize("row", QUOTED)
def test_a_time_and_its_share_of_the_floor(row: str) -> None:
    memory, arithmetic, time, share = ROWS[row]
    lab, part = QUOTED[row]
    measured = next(s["solution_ns"] for s in SPEEDS if (s["lab"], s["part"]) == (lab, part))
    assert time == pytest.approx(measured / 1e3, abs=0.6)
    assert share == pytest.approx(100 * max(memory, arithmetic) / time, abs=1)


MEASURED = re.compile(
    r"<!-- ((?:experiment|measured|timed) [^:]+): begin -->(.*?)<!-- \1: end -->", re.DOTALL
)
NOT_PROSE = re.compile(
    r"<!-- ([^:]+): begin -->.*?<!-- \1: end -->|^```.*?^```|^\|.*?$", re.DOTALL | re.MULTILINE
)
TOLD = re.compile(r"\b([\d,]+(?:\.\d+)?)\** (µs|ms|%)|\b(\d+\.\d+)\** (times)|\b(\d\.\d+)×(10)⁻")
SOURCES = {"lab1": ["000"], "lab2": ["000"], "lab3": ["003"], "lab4": ["003", "004"]}
IN_MICROSECONDS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def _told(page: str) -> list[tuple[str, str]]:
    """The measured numbers that stand in a page's prose, up to its questions, with their units."""
    prose = NOT_PROSE.sub("", page.partition("\n## Questions")[0])
    found = ([part for part in match.groups() if part] for match in TOLD.finditer(prose))
    return [(number, unit) for number, unit in found]


def _known(lab: str, page: str) -> Iterator[float]:
    """What the page's blocks measured, in the blocks' units, and what the lab's sources published:
    times in microseconds, ratios as they are."""
    for block in MEASURED.finditer(page):
        yield from map(float, re.findall(r"(?<= )\d+(?:\.\d+)?(?= \|)", block[2]))
    for source in (each for each in published.load() if each.id in SOURCES[lab]):
        for row in (row for table in source.tables for row in table.rows if row.published):
            assert row.published
            yield row.published * IN_MICROSECONDS.get(row.unit, 1.0)
    reference = paths.ROOT / "labs/studies/reproduce/reference.json"
    for name, row in json.loads(reference.read_text())["experiments"]["000"]["rows"].items():
        if name.startswith("error "):
            yield row["value"]


def _is_known(number: str, unit: str, known: list[float]) -> bool:
    """Whether a number is one of the known ones, rounded."""
    decimals = len(number.partition(".")[2])
    if unit == "10":  # the digits before a power of ten
        known = [float(f"{value:e}".partition("e")[0]) for value in known]
    scale = 1e3 if unit == "ms" else 1.0
    return any(
        abs(value / scale - float(number.replace(",", ""))) <= 0.5001 * 10**-decimals
        for value in known
    )


@pytest.mark.parametrize("lab", ["lab1", "lab2", "lab3", "lab4"])
def test_a_measured_number_in_prose_is_in_a_table_of_its_page_or_published(lab: str) -> None:
    page = (paths.ROOT / f"handouts/{lab}.md").read_text()
    told, known = _told(page), list(_known(lab, page))
    assert told
    assert [number for number in told if not _is_known(*number, known)] == []


def test_a_stale_number_in_prose_is_found() -> None:
    page = "Ours takes **46.8** ms.\n\n<!-- measured h: begin -->\n| A | 46768 | 1.21 |\n"
    page += "<!-- measured h: end -->\n\nIt is 1.3 times as fast.\n\n## Questions\n\n7 ms?\n"
    assert _told(page) == [("46.8", "ms"), ("1.3", "times")]
    assert _is_known("46.8", "ms", [46768, 1.21]) and not _is_known("1.3", "times", [46768, 1.21])
