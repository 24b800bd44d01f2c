"""Comparing two runs shows whose grades changed, by which check and why."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from grader.classroom.bulk import class_records
from grader.classroom.bulk.comparison import CheckChange, changes
from grader.classroom.bulk.history import past
from grader.classroom.bulk.store import Store
from grader.classroom.commands import diff
from grader.classroom.course.attempt import Attempt, HandIn
from grader.classroom.course.override import Override
from grader.classroom.course.settings import Course
from grader.tests.classroom.bulk.made_runs import MADE, grade, hand_in, result

NOW = datetime(2027, 3, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A run of three: ann and ben with the same file, cem with none."""
    store = Store(tmp_path / "run", resume=False)
    hand_in(store, "ann", {"lab3": b"a"})
    hand_in(store, "ben", {"lab3": b"a"})
    hand_in(store, "cem", {"lab3": None})
    grade(store, {"lab3 a": result(x="pass", y="fail")})
    assert keep(store) == 1
    yield store
    store.close()


def keep(store: Store) -> int:
    return store.history.add(NOW, (past(each) for each in class_records.finals(store, Course())))


def test_no_changes_make_no_new_run(store: Store) -> None:
    assert keep(store) == 1 and changes(store, 1, 1) == []


def test_a_changed_spec_is_named_with_the_check_that_it_moves(store: Store) -> None:
    for student in ("ann", "ben"):
        hand_in(store, student, {"lab3": b"a"}, key="new spec ")
    better = result(earned=65, x="pass", y="pass", z="fail")
    grade(store, {"lab3 new spec a": better}, {**MADE, "the spec": "2"})
    assert keep(store) == 2
    found = changes(store, 1, 2)
    assert [(each.student, each.gain, each.causes) for each in found] == [
        ("ann", 5, ("the spec",)),
        ("ben", 5, ("the spec",)),
    ]
    assert found[0].checks == (
        CheckChange("A  y", "fail", "pass", 5),
        CheckChange("A  z", "", "fail", 0),
    )
    text = "\n".join(diff.words(store, 1, 2, everything=False))
    assert "2 of 3 grades changed" in text and "lab3: the spec changed (2)" in text
    assert "  ann: 60 of 85 -> 65 of 85  +5" in text and "A  z: no such check -> fail" in text


def test_a_grade_made_anew_that_stays_is_counted_only(store: Store) -> None:
    for student in ("ann", "ben"):
        hand_in(store, student, {"lab3": b"a"}, key="other machine ")
    grade(
        store,
        {"lab3 other machine a": result(x="pass", y="fail")},
        {**MADE, "the machine": "2"},
    )
    assert keep(store) == 2
    text = "\n".join(diff.words(store, 1, 2, everything=False))
    assert "0 of 3 grades changed" in text
    assert "the machine changed (2); 2 graded again, with the same points" in text
    assert "ann" not in text and "ann" in "\n".join(diff.words(store, 1, 2, everything=True))


def test_another_version_is_named_with_what_it_came_to(store: Store) -> None:
    old = result(x="pass", y="fail").grader_version
    hand_in(store, "ann", {"lab3": b"a"}, key="new a ")
    hand_in(store, "ben", {"lab3": b"a"}, key="new b ")
    newer = {
        "lab3 new a a": replace(result(earned=65, x="pass", y="pass"), grader_version="2.0.0 (c2)"),
        "lab3 new b a": replace(result(earned=50, x="fail", y="fail"), grader_version="2.0.0 (c2)"),
    }
    grade(store, newer, {**MADE, "the grader": "2"})
    assert keep(store) == 2
    second = diff.words(store, 1, 2, everything=False)[1]
    assert second == f"made with {old}, then with 2.0.0 (c2): 1 gained 5 points, 1 lost 10"
    assert diff.words(store, 1, 1, everything=False)[1:] == []


def test_the_same_version_is_not_named(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"}, key="new spec ")
    grade(store, {"lab3 new spec a": result(earned=65, x="pass", y="pass")})
    keep(store)
    assert "made with" not in "\n".join(diff.words(store, 1, 2, everything=True))


def test_files_overrides_and_late_arrivals_are_causes(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"b"})
    hand_in(store, "cem", {"lab3": b"c"})
    hand_in(store, "dan", {"lab3": b"a"})
    grade(store, {"lab3 b": result(earned=0), "lab3 c": result(earned=85)})
    store.overrides.add(Override("ben", "lab3", 99, "by hand", NOW))
    assert keep(store) == 2
    found = {each.student: each for each in changes(store, 1, 2)}
    assert found["ann"].causes == ("the submission",) and found["ann"].gain == -60
    assert found["ben"].causes == () and found["ben"].gain == 39
    assert found["cem"].causes == ("the submission",) and found["cem"].gain is None
    assert found["dan"].before is None
    text = "\n".join(diff.words(store, 1, 2, everything=False))
    assert "ben: 60 of 85 -> 99 of 100  +39" in text and "by the instructor: by hand" in text
    assert "cem: missing -> 85 of 85" in text and "dan: not in the run -> 60 of 85" in text


def test_a_name_that_a_student_made_reaches_no_terminal_raw(store: Store) -> None:
    hand_in(store, "\x1b[31m\u202e", {"lab3": b"a"})
    keep(store)
    assert not {"\x1b", "\u202e"} & set("\n".join(diff.words(store, 1, 2, everything=True)))


def test_what_both_runs_left_out_is_no_change(store: Store) -> None:
    """cem handed in nothing: the words for that, and checks that neither run made, say nothing."""
    row = Attempt("cem", "lab3", "missing", "", "no file.cu; handed in: notes.txt")
    store.save_submission(HandIn("cem"), "digest", [row], {})
    hand_in(store, "ann", {"lab3": b"a"}, key="new spec ")
    grade(store, {"lab3 new spec a": result(x="pass", y="fail", z="skip")})
    assert keep(store) == 2
    (change,) = changes(store, 1, 2)
    assert (change.student, change.checks) == ("ann", ())
    assert "1 graded again" in "\n".join(diff.words(store, 1, 2, everything=False))
