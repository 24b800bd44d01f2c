"""The figures of the class page, against values that were worked out independently."""

import math
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scipy import stats

from grader.classroom.bulk import class_records, names
from grader.classroom.bulk.store import Store
from grader.classroom.course import students
from grader.classroom.course.attempt import NOT_THERE, Attempt, HandIn
from grader.classroom.course.override import Override
from grader.classroom.course.person import Person
from grader.classroom.course.settings import Course, LabRules
from grader.classroom.page import checks, content
from grader.classroom.page.checks import CheckFigures
from grader.classroom.page.content import Content, LabFigures
from grader.model.result import Check, Result, Verdict
from grader.tests.classroom.bulk.made_runs import grade, hand_in, result

NOW = datetime(2027, 3, 1, tzinfo=UTC)
NEEDS_GPU = "need a GPU"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "run", resume=False)
    yield store
    store.close()


def shown(store: Store, course: Course | None = None) -> Content:
    course = course or Course()
    grades = class_records.finals(store, course)
    everybody = students.students(store.submissions(), course)
    return content.content(store, grades, course, names.Names(everybody, None))


def only(page: Content) -> LabFigures:
    (lab,) = page.labs
    return lab


def by_name(lab: LabFigures) -> dict[str, CheckFigures]:
    return {check.name: check for check in lab.checks}


def class_of(store: Store, results: dict[str, Result]) -> None:
    """Each student hands in one file for lab 3, and gets this result."""
    for student in results:
        hand_in(store, student, {"lab3": student.encode()})
    grade(store, {f"lab3 {student}": each for student, each in results.items()})


def judged(earned: float, *lines: Check) -> Result:
    return msgspec.structs.replace(result(earned=earned), checks=list(lines))


def line(name: str, verdict: Verdict = "pass", **more: Any) -> Check:
    points = 5 * (verdict == "pass")
    return Check(f"lab3/A/{name}", name, "correct", verdict, points, 5, "A", **more)


def test_discrimination_is_the_point_biserial_correlation_with_the_rest(store: Store) -> None:
    verdicts: list[Verdict] = ["pass", "pass", "fail", "pass", "fail", "fail", "pass", "skip"]
    earned = [80.0, 60, 35, 75, 20, 55, 30, 10]
    class_of(
        store,
        {
            f"s{n}": result(earned=points, tile=verdict, all="pass", none="fail")
            for n, (verdict, points) in enumerate(zip(verdicts, earned, strict=True))
        },
    )
    figures = by_name(only(shown(store)))
    passed = [verdict == "pass" for verdict in verdicts[:7]]
    rest = [p - 5 * y for p, y in zip(earned, passed, strict=False)]
    expected = stats.pointbiserialr(passed, rest).statistic
    assert figures["tile"].discrimination == pytest.approx(expected, abs=1e-12)
    # The textbook's formula, a second way: (M1 - M0) / s * sqrt(p q)
    ones = [r for r, y in zip(rest, passed, strict=True) if y]
    zeros = [r for r, y in zip(rest, passed, strict=True) if not y]
    spread = math.sqrt(sum((r - sum(rest) / 7) ** 2 for r in rest) / 7)
    textbook = (sum(ones) / 4 - sum(zeros) / 3) / spread * math.sqrt(12 / 49)
    assert expected == pytest.approx(textbook)
    assert figures["tile"].pass_rate == pytest.approx(4 / 7)
    assert figures["tile"].verdicts["skip"] == 1 and figures["tile"].judged == 7
    assert figures["all"].discrimination is None and figures["none"].discrimination is None
    assert figures["none"].pass_rate == 0


def test_a_check_that_the_weak_pass_is_reversed() -> None:
    passed = [True, True, False, False, False, True]
    rest = [0.1, 0.2, 0.9, 0.8, 0.7, 0.3]
    value = checks.correlation(passed, rest)
    assert value is not None and value < -0.9
    assert checks.correlation(passed[:4], rest[:4]) is None  # too few
    assert checks.correlation(passed, [0.5] * 6) is None  # the rest is the same for all
    assert checks.correlation([False] * 6, rest) is None


@pytest.mark.parametrize(
    ("value", "word"), [(0.4, "strong"), (0.39, "fair"), (0.1, "weak"), (-0.01, "reversed")]
)
def test_discrimination_has_a_word(value: float, word: str) -> None:
    figures = CheckFigures("x", "x", "correct", "", False, 1, Counter(), value, ())
    assert figures.meaning == word


def test_times_leave_out_what_was_not_timed(store: Store) -> None:
    class_of(
        store,
        {
            f"s{n}": judged(5, line("tile", seconds=seconds), line("hidden", hidden=True))
            for n, seconds in enumerate([0.0, 3.0, 1.0, 2.0, 10.0])
        },
    )
    figures = by_name(only(shown(store)))
    assert (figures["tile"].median, figures["tile"].slowest) == (2.5, 10)
    assert figures["hidden"].median is None
    assert [check.name for check in only(shown(store)).slowest] == ["tile"]
    assert only(shown(store)).seconds == 16


def test_figures_count_grades_and_unmeasured_points(store: Store) -> None:
    hand_in(store, "a", {"lab3": b"a"})
    hand_in(store, "b", {"lab3": b"b"})
    hand_in(store, "c", {"lab3": None})
    hand_in(store, "d", {"lab3": b"d"})
    rejected = Attempt("e", "lab3", "rejected", "", "a link")
    store.save_submission(HandIn("e"), "digest", [rejected], {})
    grade(store, {"lab3 a": result(earned=85), "lab3 b": result(earned=17, tile="uncertain")})
    lab = only(shown(store))
    assert dict(lab.states) == {"graded": 2, "missing": 1, "error": 1, "rejected": 1}
    assert lab.unsure == 1
    assert lab.shares == [1.0, 0.2] and lab.points == [85, 17] and lab.out_of == 85
    assert (lab.median, lab.median_points) == (0.6, 51)
    assert [(r.least, r.most, r.reason, r.count) for r in lab.unmeasured] == [
        (15, 15, NEEDS_GPU, 2)
    ]


def test_points_set_by_hand_count_of_all_points(store: Store) -> None:
    class_of(store, {"a": result(earned=17), "b": result(earned=85)})
    store.overrides.add(Override("a", "lab3", 50, "on paper", NOW))
    lab = only(shown(store))
    assert lab.shares == [0.5, 1.0] and lab.out_of is None
    assert lab.notes == {"set by hand": 1}
    assert [rest.count for rest in lab.unmeasured] == [1]  # of b; an override decides all points
    store.overrides.add(Override("b", "lab3", 3, "an old compiler", NOW, "lab3/A/tile"))
    notes = [note for note in shown(store).changed if note.final.student.id == "b"]
    assert [(note.kind, note.text) for note in notes] == [
        ("set by hand", "lab3/A/tile: 3, an old compiler")
    ]


def test_the_weights_make_the_course(store: Store) -> None:
    labs = ("lab1", "lab2", "lab3", "lab4")
    hand_in(store, "a", dict.fromkeys(labs[:3], b"a") | {"lab4": None})
    hand_in(store, "b", {"lab1": b"b", "lab2": None, "lab3": b"b", "lab4": None})
    results = {
        f"{lab} a": result(lab, 85 * part) for lab, part in zip(labs, (1, 0.5, 0), strict=False)
    }
    grade(store, results | {"lab1 b": result("lab1", 34)})  # lab 3 of b fails
    course = Course(lab={"lab1": LabRules(weight=3), "lab2": LabRules(weight=2)})
    page = shown(store, course)
    total = {row.student.id: row.total for row in page.rows}
    assert total["a"].share == pytest.approx((3 * 1 + 2 * 0.5 + 1 * 0) / 6)
    # Lab 2 has no due date, lab 3 failed, and lab 4 was handed in by no one.
    assert total["b"].share is None and total["b"].open == ("lab2", "lab3")
    assert total["b"].ahead == ("lab4",) and page.totals == [total["a"].share]


def test_student_without_counting_grade_has_no_result(store: Store) -> None:
    hand_in(store, "a", {"lab3": b"a"})
    grade(store, {})
    (row,) = shown(store).rows
    assert row.total.share is None and row.total.open == ("lab3",)


def test_mistakes_count_once_per_submission(store: Store) -> None:
    flipped = {"diagnosis": "mask-flipped", "message": ["flipped", "", "why", "3", "4", "5"]}
    group = (Person("Ann"), Person("Ben"))
    hand_in(store, "team", {"lab3": b"team"}, people=group)
    hand_in(store, "cem", {"lab3": b"cem"})
    hand_in(store, "dan", {"lab3": b"dan"})
    team = judged(0, line("a", "fail", **flipped), line("b", "fail", **flipped), line("c", "fail"))
    cem = judged(5, line("a", "fail", **flipped), line("b"))
    broken = Check("lab3/compiles", "compiles", "build", "fail", message=["file.cu:3: error"])
    dan = judged(0, broken, line("a", "skip", needs="compiles"))
    grade(store, {"lab3 team": team, "lab3 cem": cem, "lab3 dan": dan})
    lab = only(shown(store))
    found = {mistake.name: mistake for mistake in lab.mistakes}
    assert [(name, found[name].count) for name in found] == [
        ("mask-flipped", 2),
        ("does not compile", 1),
        ("other failures, without a known cause", 1),
    ]
    assert found["mask-flipped"].checks == (("a", 2), ("b", 1))
    assert found["mask-flipped"].example.student.id == "cem"  # it makes no other mistake
    assert found["mask-flipped"].message == ("flipped", "why", "3", "4", "…")
    assert (lab.submissions, lab.states["graded"], lab.without_fail) == (3, 4, 0)


def test_reasons_that_differ_in_figures_or_names_are_one(store: Store) -> None:
    results = {}
    for n, name in enumerate(("Ann Archer", "Ben Baker", "Cem Carver")):
        said = f"{name}: its time varies by {n}.5 %"
        results[name] = judged(5, line("speed", "uncertain", message=[said]), line("b"))
    results["Dan"] = judged(5, line("speed", "uncertain"), line("b", "error", message=["broke"]))
    class_of(store, results)
    reasons = only(shown(store)).reasons
    assert [(r.state, len(r.finals), r.subjects) for r in reasons] == [
        ("error", 1, ("b",)),
        ("unsure", 3, ("speed",)),
        ("unsure", 1, ("speed",)),
    ]
    assert [r.text for r in reasons[1:]] == [
        "such as: Ann Archer: its time varies by 0.5 %",
        "the grader does not say why",
    ]


def test_best_attempt_is_marked(store: Store) -> None:
    hand_in(store, "a", {"lab3": b"good"})
    hand_in(store, "a", {"lab3": b"bad"})
    grade(store, {"lab3 good": result(earned=80), "lab3 bad": result(earned=8)})
    assert only(shown(store)).notes == {}
    page = shown(store, Course(attempts="best"))
    assert only(page).notes == {"attempt": 1} and only(page).points == [80]
    assert page.changed[0].text == "attempt 1 of 2 counts"


def test_lab10_comes_after_lab9_in_the_columns_and_the_rows(store: Store) -> None:
    for student in ("ann", "ben"):
        hand_in(store, student, {lab: student.encode() for lab in ("lab10", "lab2", "lab1")})
    grade(store, {})
    page = shown(store)
    order = ["lab1", "lab2", "lab10"]
    assert [lab.id for lab in page.labs] == order
    assert [[final.lab for final in row.finals] for row in page.rows] == [order, order]


def test_open_decisions_come_first_with_their_resolution(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"})
    hand_in(store, "ben", {"lab3": b"a"})  # the same bytes
    hand_in(store, "cem", {"lab3": b"c"}, notes="late, not on the roster")
    two = (Person("Dan"), Person("Dee"))
    hand_in(store, "dan_dee", {"lab3": b"d"}, people=two)  # a group has one submission
    for starter in ("fay", "gus"):
        hand_in(store, starter, {"lab3": b"s"})
    earned = {"lab3 a": 60, "lab3 d": 50, "lab3 s": 0}
    grade(store, {key: result(earned=points) for key, points in earned.items()})
    row = Attempt("eve", "lab3", "wrong name", "", 'no x.cu; did you mean to hand in "X.cu"?')
    store.save_submission(HandIn("eve", f'{NOT_THERE}: "Y.cu"'), "", [row], {})
    found = shown(store).decisions
    assert [(d.state, [f.student.id for f in d.finals]) for d in found] == [
        ("wrong name", ["eve"]),
        ("take", ["eve"]),
        ("roster", ["cem"]),
        ("identical files", ["ann", "ben"]),
        ("error", ["cem"]),
    ]
    assert found[0].text == row.reason and "[[take]]" in found[0].settles
