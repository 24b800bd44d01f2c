"""What a lab that was not handed in does to the course's result: 0 after its due date, nothing
before, open where nobody can say; and gradebook.csv has what the class page shows."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.classroom.bulk import class_records
from grader.classroom.bulk.names import Names
from grader.classroom.bulk.store import Store
from grader.classroom.course import course_total
from grader.classroom.course.course_total import CourseTotal
from grader.classroom.course.override import Override
from grader.classroom.export import gradebook, grades
from grader.classroom.page import content
from grader.tests.classroom.bulk.made_runs import grade, hand_in, result

PAST, FUTURE = "2027-03-01T12:00:00Z", "2027-05-01T12:00:00Z"
READ = datetime(2027, 4, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """lab1 is due, lab3 not yet, lab4 never; lab5 counts for nothing. Nobody has lab6."""
    store = Store(tmp_path / "run", resume=False)
    labs = ("lab1", "lab3", "lab4", "lab5", "lab6")
    due = f"[lab.lab1]\ndue = {PAST}\nweight = 3\n[lab.lab3]\ndue = {FUTURE}\n"
    more = '[lab.lab5]\nweight = 0\n[[extension]]\nstudent = "ext"\nlab = "lab1"\ndays = 60\n'
    store.keep_setting(class_records.COURSE, (due + more).encode())
    store.keep_setting(class_records.COLLECTED, READ.isoformat().encode())
    handed_in = {
        "all": labs[:4], "no1": labs[1:4], "no3": ("lab1", "lab4"), "no4": labs[:2],
        "none": (), "ext": labs[1:4], "err": labs[:4], "by hand": labs[1:4],
    }  # fmt: skip
    for student, theirs in handed_in.items():
        files = {lab: student.encode() if lab in theirs else None for lab in labs}
        hand_in(store, student, files)
    results = {
        f"{lab} {student}": result(lab, 68)  # 80 % of what was measured
        for student, theirs in handed_in.items()
        for lab in theirs
        if (student, lab) != ("err", "lab1")
    }
    grade(store, results)
    store.overrides.add(Override("by hand", "lab1", 0, "copied", READ))
    yield store
    store.close()


def totals(found: grades.Grades) -> dict[str, CourseTotal]:
    return {
        student: course_total.of_student(by_lab.values(), found.rules, found.handed_in)
        for student, by_lab in found.by_student.items()
    }


def test_missing_labs_are_listed_in_the_total(store: Store) -> None:
    found = totals(grades.of(store))
    expected = {
        "all": (0.8, (), ("lab6",), ()),
        "no1": (0.8 * 2 / 5, ("lab1",), ("lab6",), ()),
        "no3": (0.8, (), ("lab3", "lab6"), ()),
        "no4": (None, (), ("lab6",), ("lab4",)),
        "none": (None, ("lab1",), ("lab3", "lab6"), ("lab4",)),
        "ext": (0.8, (), ("lab1", "lab6"), ()),
        "err": (None, (), ("lab6",), ("lab1",)),
        "by hand": (0.8 * 2 / 5, (), ("lab6",), ()),
    }
    for student, (share, *labs) in expected.items():
        total = found[student]
        assert [total.zero, total.ahead, total.open] == labs, student
        assert total.share == (None if share is None else pytest.approx(share)), student


def test_the_gradebook_and_the_class_page_agree(store: Store) -> None:
    found = grades.of(store)
    text = dict(gradebook.render(found))[gradebook.NAME].decode()
    book = {row["student"]: row for row in csv.DictReader(io.StringIO(text))}
    page = content.content(store, list(found.every), found.rules, Names(found.students, None))
    for row in page.rows:
        share = row.total.share
        written = "" if share is None else grades.number(100 * share)
        assert book[row.student.id]["course_percent"] == written
    assert len(page.rows) == len(book) == 8 and page.totals
    assert "counts as 0" in book["none"]["lab1_note"]
    assert "does not count yet" in book["none"]["lab3_note"]
    assert "does not count yet" in book["ext"]["lab1_note"], "who has more time has lost nothing"
    assert book["none"]["lab1_points"] == "" and "due" not in book["none"]["lab4_note"]


def test_missing_as_zero_spares_what_is_not_due(store: Store) -> None:
    found = replace(grades.of(store), missing="zero")
    shares = {lab: found.share(grade) for lab, grade in found.by_student["none"].items()}
    assert shares == {"lab1": 0, "lab3": None, "lab4": 0, "lab5": 0, "lab6": 0}
    assert found.share(found.by_student["ext"]["lab1"]) is None
    assert found.share(found.by_student["err"]["lab1"]) is None


def test_grace_minutes_count(store: Store) -> None:
    rules = f"grace_minutes = 10\n[lab.lab1]\ndue = {PAST}\n".encode()
    store.keep_setting(class_records.COURSE, rules)
    for minute, overdue in (("11:59", False), ("12:10", False), ("12:11", True)):
        store.keep_setting(class_records.COLLECTED, f"2027-03-01T{minute}:00+00:00".encode())
        assert grades.of(store).by_student["none"]["lab1"].overdue is overdue
