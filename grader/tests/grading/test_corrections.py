"""A change that makes each failing check pass is the first line of the first of them, and the last
thing on the screen, where nothing waits for it."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import paths
from grader.correction.candidates import candidates
from grader.grading import corrections
from grader.model import spec
from grader.tests import captured

pytestmark = pytest.mark.apart


def graded(
    folder: Path, lab: str, file: str, *changes: tuple[str, str]
) -> tuple[list[dict[str, Any]], str]:
    """The corrections of a solution with mistakes in it, and what was printed."""
    (source,) = paths.SOLUTIONS.glob(f"{lab}_*/{file}")
    text = source.read_text()
    for other in spec.load(lab).submit:
        shutil.copy(source.with_name(other), folder)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / file).write_text(text)
    report = folder / "grade.json"
    options = ["--src", str(folder), "--no-speed", "--correct", "--json", str(report)]
    done = captured.grade(lab, *options, timeout=300)
    written = json.loads(report.read_bytes())
    for found in written["corrections"]:
        for part in found["parts"]:
            failing = [c for c in written["checks"] if (c["part"], c["verdict"]) == (part, "fail")]
            causes = [line for c in failing for line in c["message"] if " (tried: " in line]
            assert causes == failing[0]["message"][:1]
            assert causes[0].startswith(f"{found['changes'][0]['place']}: ")
    return written["corrections"], done.stdout


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
    said = " ".join(printed.split())
    assert said.count(f"(tried: then every result of part {found['parts'][0]} is right)") == 1
    assert said.index("differ") < said.index("again: ./grade") < said.index("(tried")


# What one lab's file has instead of what the solution has, and what is said of it.
NAMED = {
    "behind #else": ("lab8", "grayscale.c", "45, 0x21", "45, 0x20", "`0x20` should be `0x21`"),
    "race": ("lab4", "shared_tile.cu", ">= tile || row < 0 || row >= tile",
             "> tile || row < 0 || row > tile", "`>` should be `>=`, 2 times"),
    "bits": ("lab2", "global_memory.cu", "identical_kernel<<<", "correlate_kernel<<<",
             "`correlate_kernel` should be `identical_kernel`"),
    "grid": ("lab3", "constant_mask.cu", "ceil_div(height, ROWS)", "ceil_div(height, BLOCK_HEIGHT)",
             "`BLOCK_HEIGHT` should be `ROWS`"),
    "z": ("lab7", "layers.cu", ", channels);", ");", "the grid's z, `channels`, is missing"),
    "index": ("lab8", "grayscale.cu", "h_grey + first, streams[i % STREAMS]",
              "h_grey + first, streams[i]", "`% STREAMS` is missing"),
}  # fmt: skip


@pytest.mark.slow("a grade, and a search with the edited program")
@pytest.mark.parametrize("kind", NAMED)
def test_a_mistake_of_each_kind_is_named(kind: str, tmp_path: Path) -> None:
    lab, file, right, wrong, said = NAMED[kind]
    found, printed = graded(tmp_path, lab, file, (right, wrong))
    assert [change["what"].startswith(said) for f in found for change in f["changes"]] == [True], (
        printed
    )


def test_an_edit_that_a_grade_refuted_is_no_cause_of_another_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (edit, *_) = candidates("int f(int x) { return x + 1; }", "", [])

    class Found:
        part = SimpleNamespace(id="C")

        def right(self) -> list[Any]:
            return [[(edit, None)]]

    monkeypatch.setattr(corrections, "_judged", lambda *_: ({"C"}, 1.0))
    refuted: set[Any] = set()
    assert corrections._best(None, Found(), {"C"}, set(), refuted)[1] == {"C"}  # type: ignore[arg-type]
    assert corrections._best(None, Found(), {"C"}, set(), refuted) == ([], set())  # type: ignore[arg-type]


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
