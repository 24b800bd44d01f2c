"""The course's total by the labs' weights where no lab has a due date: what is missing is not 0
unless --missing says so, and a lab that nobody handed in does not count."""

from pathlib import Path

import pytest

from grader.classroom.bulk.store import Store
from grader.classroom.course.settings import Course, LabRules
from grader.classroom.export import gradebook, grades
from grader.tests.classroom.bulk.made_runs import grade, hand_in, result

WEIGHTS = {"lab1": LabRules(weight=1), "lab3": LabRules(weight=3), "lab4": LabRules(weight=0)}


@pytest.mark.parametrize(
    ("missing", "course", "totals"),
    [
        ("blank", Course(), {"ann": 75, "ben": None}),
        ("zero", Course(), {"ann": 50, "ben": 0.5 / 3 * 100}),
        ("blank", Course(lab=WEIGHTS), {"ann": 62.5, "ben": None}),
        ("zero", Course(lab=WEIGHTS), {"ann": 62.5, "ben": 12.5}),
        ("zero", Course(lab={lab: LabRules(weight=0) for lab in WEIGHTS}), {"ann": None}),
    ],
)
def test_total_uses_lab_weights(
    missing: grades.Missing, course: Course, totals: dict[str, float | None], tmp_path: Path
) -> None:
    store = Store(tmp_path / "run", resume=False)
    hand_in(store, "ann", {"lab1": b"a", "lab3": b"a", "lab4": None})
    hand_in(store, "ben", {"lab1": b"b", "lab3": None, "lab4": None})
    grade(
        store,
        {
            "lab1 a": result("lab1", 85),
            "lab3 a": result("lab3", 42.5),
            "lab1 b": result("lab1", 42.5),
        },
    )
    every = tuple(grades.of(store).every)
    found = grades.Grades(store, every, missing=missing, rules=course)
    for student, expected in totals.items():
        share = found.course_share(student)
        assert (share is None) == (expected is None)
        assert share is None or 100 * share == pytest.approx(expected)
    table = dict(gradebook.render(found))[gradebook.NAME].decode().splitlines()
    assert table[0].endswith(",course_percent")
    expected = totals["ann"]
    assert table[1].endswith(f",{expected:g}" if expected is not None else ",")
    store.close()
