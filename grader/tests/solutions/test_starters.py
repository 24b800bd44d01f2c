"""The starters match the solutions, and every exercise is complete."""

import shutil
from pathlib import Path

import pytest

from grader import paths
from grader.model import outline, spec
from grader.tests import captured
from solutions import starters

SOLUTION = """\
int add(int a, int b) {
    /* TODO 1: return the sum.  (about 1 line) */
    // BEGIN SOLUTION
    // STARTER: (void)a, (void)b;
    // STARTER: return 0;
    return a + b;
    // END SOLUTION
}
"""
STARTER = """\
int add(int a, int b) {
    /* TODO 1: return the sum.  (about 1 line) */
    (void)a, (void)b;
    return 0;
}
"""
LAB = 'submit = ["add.c"]\n[[part]]\nid = "A"\nhints = ["one", "two", "three"]\n'


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of one lab without any problem."""
    for name, text in (
        ("labs/lab9_add/lab.toml", LAB),
        ("solutions/lab9_add/add.c", SOLUTION),
        ("solutions/lab9_add/notes.md", "# Why\n"),
        ("starter/lab9_add/add.c", STARTER),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_this_course_has_no_drift_and_no_gap() -> None:
    assert starters.problems() == []


@pytest.mark.parametrize("lab", outline.available())
def test_starter_compiles_without_a_warning(lab: str, tmp_path: Path) -> None:
    copy = tmp_path / spec.load(lab).folder  # another path, so that it is compiled again
    shutil.copytree(paths.ROOT / "starter" / copy.name, copy)
    build = captured.grade("build", lab, "--src", copy)
    assert build.returncode == 0, build.stderr
    assert "warning" not in build.stderr


def test_split_preserves_the_todo_and_the_placeholder() -> None:
    text, exercises = starters.split(SOLUTION)
    assert text == STARTER
    (exercise,) = exercises
    assert (exercise.number, exercise.promised, exercise.lines) == (1, 1, 1)


def test_a_complete_course_passes(course: Path) -> None:
    assert starters.problems(course) == []


def test_write_makes_files_that_check_accepts(course: Path) -> None:
    (course / "starter/lab9_add/add.c").unlink()
    assert starters.write(course) == ["starter/lab9_add/add.c"]
    assert starters.write(course) == []
    assert starters.problems(course) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("starter/lab9_add/add.c", "return 0", "return 1", "starter/lab9_add/add.c differs from"),
        ("solutions/lab9_add/add.c", "TODO 1", "TODO 2", "no comment 'TODO 1:'"),
        ("solutions/lab9_add/add.c", "TODO 1: ", "", "no comment 'TODO 1:'"),
        ("solutions/lab9_add/add.c", "(about 1 line)", "", "(about N lines)"),
        ("solutions/lab9_add/add.c", "about 1 line", "about 9 lines", "but there are 1"),
        ("solutions/lab9_add/add.c", "// STARTER: ", "", "the starter would be empty here"),
        ("solutions/lab9_add/add.c", "// END SOLUTION", "", "without // END SOLUTION"),
        ("solutions/lab9_add/add.c", "// BEGIN SOLUTION", "", "without // BEGIN SOLUTION"),
        ("solutions/lab9_add/add.c", "    // BEGIN", "    int c; // BEGIN", "without // BEGIN"),
        ("labs/lab9_add/lab.toml", '"three"', '" "', "must have 3 hints"),
        ("labs/lab9_add/lab.toml", ', "three"', "", "must have 3 hints"),
        ("labs/lab9_add/lab.toml", "add.c", "sub.c", "solutions/lab9_add/sub.c is missing"),
    ],
)
def test_a_problem_is_reported(course: Path, file: str, old: str, new: str, message: str) -> None:
    text = (course / file).read_text()
    assert old in text
    (course / file).write_text(text.replace(old, new))
    assert any(message in problem for problem in starters.problems(course))


def test_exercise_without_a_region_is_reported(course: Path) -> None:
    (course / "solutions/lab9_add/add.c").write_text(STARTER)
    assert any("no exercise" in problem for problem in starters.problems(course))


def test_stray_and_missing_files_are_reported(course: Path) -> None:
    (course / "starter/lab9_add/notes.txt").write_text("x")
    (course / "starter/lab9_add/add.c").unlink()
    (course / "solutions/lab9_add/notes.md").unlink()
    assert starters.problems(course) == [
        "solutions/lab9_add/notes.md is missing",
        "starter/lab9_add/add.c is missing; run `make starters`",
        "starter/lab9_add/notes.txt belongs to no lab",
    ]
