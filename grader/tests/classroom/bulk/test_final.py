"""Final grades: which attempt counts, what lateness and overrides do, who shares a grade."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from grader.classroom.bulk import class_records
from grader.classroom.bulk.store import Store
from grader.classroom.course import decided, students
from grader.classroom.course.final import Final
from grader.classroom.course.override import Override
from grader.classroom.course.person import Person
from grader.classroom.course.settings import Course, Extension, Group, LabRules
from grader.classroom.export import appeals
from grader.classroom.export import grades as grading
from grader.model.score import Score, Unmeasured
from grader.tests.classroom.bulk.made_runs import grade, hand_in, result

DUE = datetime(2027, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LATE = Course(late_percent_per_day=10, lab={"lab3": LabRules(due=DUE)})
ANN, BEN = Person("Ann", "ann@x", sis="1"), Person("Ben", "ben@x", lms="1")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "run", resume=False)
    yield store
    store.close()


def of(store: Store, course: Course = LATE) -> dict[tuple[str, str], Final]:
    return {(each.student.id, each.lab): each for each in class_records.finals(store, course)}


def points(store: Store, course: Course = LATE) -> dict[str, float | None]:
    return {student: each.points for (student, _), each in of(store, course).items()}


def override(store: Store, student: str, number: float | None) -> None:
    store.overrides.add(Override(student, "lab3", number, "by hand", datetime.now(UTC)))


def test_ungraded_submission_has_no_points(store: Store) -> None:
    hand_in(store, "ann", {"lab3": None})
    hand_in(store, "ben", {"lab3": b"b"})
    hand_in(store, "cem", {"lab3": b"c"})
    assert points(store) == {"ann": None, "ben": None, "cem": None}
    grade(store, {"lab3 b": result(earned=0)})
    finals = of(store)
    assert points(store) == {"ann": None, "ben": 0, "cem": None}
    ahead = "due 2027-03-01 12:00, so it does not count yet"
    assert finals["ann", "lab3"].why == f"no file.cu; {ahead}"
    assert finals["cem", "lab3"].why == "the grader or the machine failed: out of memory"
    assert [u.points for u in finals["ben", "lab3"].unmeasured] == [15]


def test_lateness_deducts_points_and_extension_restores_them(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"}, DUE + 1.5 * DAY, (ANN,))
    hand_in(store, "ben", {"lab3": b"b"}, DUE - DAY)
    hand_in(store, "cem", {"lab3": b"c"}, notes="resubmitted, late")
    grade(store, {f"lab3 {c}": result() for c in "abc"})
    assert points(store) == {"ann": 48, "ben": 60, "cem": 54}
    assert of(store)["ann", "lab3"].why == "2 days late: 20 % off"
    for name in ("ann", "Ann", "ann@x", "1"):
        more = Course(
            late_percent_per_day=10, lab=LATE.lab, extension=[Extension(name, "lab3", days=1)]
        )
        assert points(store, more)["ann"] == 54
    assert points(store, Course())["ann"] == 60
    # Canvas marks as late what is within an extension, and says no time.
    ill = Course(late_percent_per_day=10, lab=LATE.lab, extension=[Extension("cem", "lab3", 3)])
    assert points(store, ill)["cem"] == 60 and not of(store, ill)["cem", "lab3"].late.days


def test_one_check_is_set_by_hand_and_lateness_still_counts(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"}, DUE + DAY)
    judged = result(earned=60, race="fail", bounds="pass", speed="uncertain")
    unsure = (Unmeasured(5, "uncertain on this machine"), Unmeasured(15, "need a GPU"))
    judged = msgspec.structs.replace(judged, score=Score(60, 80, 100, unsure))
    grade(store, {"lab3 a": judged})

    def set_check(check: str, points: float | None) -> Final:
        now = datetime.now(UTC)
        of_check = Override("ann", "lab3", points, "read it", now, f"lab3/A/{check}", "login7")
        store.overrides.add(of_check)
        return of(store)["ann", "lab3"]

    assert (set_check("race", 4).points, of(store)["ann", "lab3"].out_of) == (64 * 0.9, 80)
    both = set_check("speed", 5)  # which nothing had decided
    assert (both.points, both.out_of) == (69 * 0.9, 85)
    assert [each.points for each in both.unmeasured] == [15]
    assert both.result and both.result.checks[0].message[0].startswith("set to 4 of 5 by the instr")
    assert set_check("gone", 3).points == both.points
    assert set_check("race", None).points == 65 * 0.9
    (race,) = decided.find(judged, "RACE")
    assert race.id == "lab3/A/race" and len(decided.find(judged, "e")) == 2
    override(store, "ann", 93.5)  # of the whole lab, which counts before those of its checks
    assert of(store)["ann", "lab3"].points == 93.5
    rows = b"".join(data for _, data in appeals.render(grading.of(store))).decode().splitlines()
    assert len(rows) == 6 and rows[4].endswith(
        ",ann,lab3,lab3/A/race,taken back,,read it,93.5,login7"
    )


def test_a_check_that_is_graded_again_replaces_its_points_alone() -> None:
    old = result(earned=60, a="fail", b="pass", c="uncertain", d="pass")
    unsure = (Unmeasured(5, "uncertain on this machine"), Unmeasured(15, "need a GPU"))
    old = msgspec.structs.replace(old, score=Score(60, 80, 100, unsure))
    again = result(earned=0, a="pass", b="fail", c="pass", d="error", new="pass")
    new = decided.graded_again(old, again)
    assert [check.verdict for check in new.checks] == ["pass", "fail", "pass", "pass"]
    assert new.score == Score(65, 85, 100, (Unmeasured(15, "need a GPU"),))
    assert [bool(check.details.get(decided.AGAIN)) for check in new.checks] == [1, 1, 1, 0]
    back = decided.graded_again(new, result(earned=0, c="uncertain"))
    assert back.score.measured == 80 and back.score.earned == 60
    assert sum(each.points for each in back.score.unmeasured) == 20


def test_an_override_replaces_everything_and_survives(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"}, DUE + DAY)
    hand_in(store, "ben", {"lab3": None})
    grade(store, {"lab3 a": result()})
    override(store, "ann", 93.5)
    override(store, "ben", 50)
    override(store, "gone", 50)
    finals = of(store)
    assert (finals["ann", "lab3"].points, finals["ann", "lab3"].out_of) == (93.5, 100)
    assert finals["ben", "lab3"].points == 50 and not finals["ann", "lab3"].unmeasured
    assert finals["ann", "lab3"].why == "set to 93.5 of 100 by the instructor: by hand"
    hand_in(store, "ann", {"lab3": b"new"}, DUE)
    assert points(store)["ann"] == 93.5
    override(store, "ann", None)
    assert points(store)["ann"] is None
    assert [each.points for each in store.overrides.every()] == [93.5, 50, 50, None]


def test_other_files_are_another_attempt(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"}, DUE)
    grade(store, {"lab3 a": result(earned=80)})
    hand_in(store, "ann", {"lab3": b"b"}, DUE + 3 * DAY)
    grade(store, {"lab3 b": result(earned=85)})
    hand_in(store, "ann", {"lab3": b"b"}, DUE + 3 * DAY, key="another grader ")
    grade(store, {"lab3 another grader b": result(earned=84)})
    assert [row.number for row in store.attempts("ann")] == [1, 2]
    assert points(store) == {"ann": 84 * 0.7}
    best = Course(attempts="best", late_percent_per_day=10, lab=LATE.lab)
    assert points(store, best) == {"ann": 80}
    assert points(store, Course(attempts="best")) == {"ann": 84}


def test_withdrawn_files_are_missing_but_best_attempt_counts(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"})
    grade(store, {"lab3 a": result()})
    hand_in(store, "ann", {"lab3": None})
    assert points(store) == {"ann": None}
    assert points(store, Course(attempts="best")) == {"ann": 60}
    hand_in(store, "ann", {"lab3": b"a"})
    assert points(store) == {"ann": 60}


def test_a_submission_of_two_is_a_grade_for_each(store: Store) -> None:
    hand_in(store, "submission_7", {"lab3": b"a"}, people=(ANN, BEN))
    grade(store, {"lab3 a": result()})
    assert points(store) == {"Ann": 60, "Ben": 60}


def test_numbers_of_two_kinds_are_not_one_student(store: Store) -> None:
    """Ann's number in the school's system is Ben's in the learning management system."""
    hand_in(store, "ann", {"lab3": b"a"}, people=(ANN,))
    hand_in(store, "ben", {"lab3": b"b"}, people=(BEN,))
    grade(store, {"lab3 a": result(earned=1), "lab3 b": result(earned=2)})
    assert points(store) == {"ann": 1, "ben": 2}


def test_later_group_submission_counts_for_both_members(store: Store) -> None:
    hand_in(store, "ann", {"lab3": b"a"}, DUE - DAY, (ANN,))
    hand_in(store, "ben", {"lab3": b"b"}, DUE, (BEN,))
    hand_in(store, "cem", {"lab3": b"c"}, DUE)
    grade(store, {f"lab3 {c}": result(earned=n) for n, c in enumerate("abc")})
    grouped = Course(group=[Group(["ann@x", "Ben"]), Group(["nobody", "cem"])])
    assert points(store, grouped) == {"ann": 1, "ben": 1, "cem": 2}
    hand_in(store, "ben", {"lab3": None}, DUE, (BEN,))
    assert points(store, grouped) == {"ann": 0, "ben": 0, "cem": 2}


def test_two_people_of_one_name_stay_two(store: Store) -> None:
    twins = (Person("Kim", "kim1@x"), Person("Kim", "kim2@x"))
    hand_in(store, "submission_7", {"lab3": b"a"}, people=twins)
    grade(store, {"lab3 a": result()})
    assert points(store) == {"Kim": 60, "Kim (2)": 60}
    everybody = students.students(store.submissions(), Course())
    assert [each.id for each in students.matching(everybody, "kim2@x")] == ["Kim (2)"]
    assert len(students.matching(everybody, "Kim")) == 1  # the id, which is exact


def test_labs_are_late_on_their_own(store: Store) -> None:
    course = Course(
        late_percent_per_day=10,
        grace_days=1,
        lab={"lab1": LabRules(due=DUE - DAY), "lab3": LabRules(due=DUE)},
    )
    hand_in(store, "ann", {"lab1": b"a", "lab3": b"a"}, DUE + DAY)
    grade(store, {"lab1 a": result("lab1"), "lab3 a": result()})
    finals = of(store, course)
    assert (finals["ann", "lab1"].late.days, finals["ann", "lab1"].points) == (2, 54)
    assert (finals["ann", "lab3"].late.days, finals["ann", "lab3"].points) == (1, 54)
