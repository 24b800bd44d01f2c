"""A run of a small class for the tests of exports: each kind of grade, names in many scripts."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from grader.classroom.bulk import class_records
from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt, HandIn
from grader.classroom.course.override import Override
from grader.classroom.course.person import Person
from grader.model.result import Check, Result
from grader.model.score import Score, Unmeasured
from grader.tests.made_results import made

KEY = "key of a grade"
PAGE = b"<!doctype html>\n<body>\n<main class=wide>\n<p>the page</p>\n</main>\n"
COURSE = b"""
late_percent_per_day = 10
grace_days = 1
[lab.lab3]
due = 2027-03-01T00:00:00Z
"""
IN_TIME = datetime(2027, 2, 28, tzinfo=UTC)
LATE = datetime(2027, 3, 3, 12, tzinfo=UTC)  # 3 days begun, 1 of them of grace: 20 % off


def person(name: str, number: int) -> Person:
    return Person(name, f"s{number}@example.org", f"login{number}", f"S-{number}", str(number))


GRADED = person("Seventeen, Student", 9017)
LATE_ONE = person("太郎, 学生", 9018)
SET = person("Łąkowa, Studentka", 9019)
MEMBERS = (person("=SUM, Student", 9020), person("תלמיד, עשרים", 9021))
MISSING = person("Missing, Student", 9022)
ERROR = person("Error, Student", 9023)
REJECTED = person("Rejected, Student", 9024)
WAITING = person("Waiting, Student", 9025)


def result(lab: str = "lab3", earned: float = 60) -> Result:
    """60 of 85 points, and 15 that were not measured."""
    checks = [
        Check(f"{lab}/compiles", "compiles", "build", "pass"),
        Check(f"{lab}/A/x", "x", "correct", "pass", earned, earned, "A"),
        Check(f"{lab}/A/y", "y", "safe", "fail", 0, 85 - earned, "A", message=["=a <b>", "c"]),
    ]
    return made(lab, checks, Score(earned, 85, 100, (Unmeasured(15, "need a GPU"),)))


def make(folder: Path) -> Store:
    """The run of lab 3. Ids are the students' numbers; "team" is a group of two."""
    store = Store(folder, resume=False)
    store.keep_setting(class_records.COURSE, COURSE)
    store.keep_setting(class_records.COLLECTED, LATE.isoformat().encode())
    for each, submitted in ((GRADED, IN_TIME), (LATE_ONE, LATE), (SET, IN_TIME)):
        add(store, each.lms, (each,), Attempt(each.lms, "lab3", "waiting", KEY, ""), submitted)
    add(store, "team", MEMBERS, Attempt("team", "lab3", "waiting", KEY, ""), IN_TIME)
    for each, row in (
        (MISSING, Attempt(MISSING.lms, "lab3", "missing", "", "no constant_mask.cu")),
        (ERROR, Attempt(ERROR.lms, "lab3", "error", "", "out of memory")),
        (REJECTED, Attempt(REJECTED.lms, "lab3", "rejected", "", "<script> is a link")),
        (WAITING, Attempt(WAITING.lms, "lab3", "waiting", "another key", "")),
    ):
        add(store, each.lms, (each,), row, None)
    store.save_grade(KEY, "lab3", msgspec.json.encode(result()), PAGE)
    why = "graded by hand: the file was cut off"
    store.overrides.add(Override(SET.lms, "lab3", 70, why, IN_TIME))
    return store


def add(
    store: Store, id_: str, people: tuple[Person, ...], row: Attempt, submitted: datetime | None
) -> None:
    store.save_submission(HandIn(id_, "", people, submitted), "digest", [row], {})
