"""The times that performance.md works with are those of the committed results."""

import json
import re

import pytest

from grader import paths

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
