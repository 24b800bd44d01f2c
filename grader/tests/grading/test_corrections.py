"""`tried: one change ...`: named where it makes each failing check pass, and else not."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.correction.candidates import candidates
from grader.grading import corrections
from grader.tests import captured

pytestmark = pytest.mark.apart


def graded(
    folder: Path, lab: str, file: str, *changes: tuple[str, str]
) -> tuple[list[dict[str, Any]], str]:
    """The corrections of a solution with mistakes in it, and what was printed."""
    (source,) = paths.SOLUTIONS.glob(f"{lab}_*/{file}")
    text = source.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / file).write_text(text)
    report = folder / "grade.json"
    options = ["--src", str(folder), "--no-speed", "--correct", "--json", str(report)]
    done = captured.grade(lab, *options, timeout=300)
    return json.loads(report.read_bytes())["corrections"], done.stdout


SWAPPED = (
    "pixel(d_image, width, height, x + a, y + b",
    "pixel(d_image, width, height, y + b, x + a",
)


@pytest.mark.slow("a grade, and a search with the edited program")
def test_a_change_that_makes_all_checks_right_is_named(tmp_path: Path) -> None:
    (found,), printed = graded(tmp_path, "lab3", "constant_mask.cu", SWAPPED)
    (change,) = found["changes"]
    assert "are exchanged in `pixel(" in change["what"]
    assert change["place"].startswith(str(tmp_path))
    assert len(found["parts"]) == 1 and found["checks"] > 3
    assert f"tried: with one change, every result of part {found['parts'][0]} is right" in printed


@pytest.mark.slow("a grade, and a search with the edited program")
def test_two_mistakes_have_no_such_change(tmp_path: Path) -> None:
    far = ("const int size = 2 * radius + 1", "const int size = 3 * radius + 2")
    found, printed = graded(tmp_path, "lab1", "cpu_loop.c", far)
    assert not found or "size" in str(found), printed


def test_where_many_values_are_right_only_the_place_is_named() -> None:
    edit = next(e for e in candidates("int f(int x) { return x + 1; }", "", []) if e.rank == 0)
    assert corrections._said(edit, 2) == (1, edit.sentence())
    line, words = corrections._said(edit, 17)
    assert line == 1 and words.startswith("look at `") and edit.what not in words


@pytest.mark.slow("a grade of a starter")
def test_a_starter_is_not_searched() -> None:
    done = captured.grade("lab1", "--correct", "--no-speed", "--src", "starter", timeout=100)
    assert "tried" not in done.stdout
