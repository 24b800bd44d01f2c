"""Runs of a class whose grades are made up, so that what becomes of grades is tested in no time."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt, HandIn
from grader.classroom.course.person import Person
from grader.model.result import Check, Result, Verdict
from grader.model.score import Score, Unmeasured
from grader.tests.made_results import made

MADE = {"the spec": "1", "the machine": "1"}


def result(lab: str = "lab3", earned: float = 60, **verdicts: Verdict) -> Result:
    """Of 85 points measured and 15 that need a GPU; with a check for each verdict."""
    checks = [
        Check(f"{lab}/A/{name}", name, "correct", verdict, 5 * (verdict == "pass"), 5, "A")
        for name, verdict in verdicts.items()
    ]
    return made(lab, checks, Score(earned, 85, 100, (Unmeasured(15, "need a GPU"),)))


def hand_in(
    store: Store,
    student: str,
    files: Mapping[str, bytes | None],
    submitted: datetime | None = None,
    people: tuple[Person, ...] = (),
    notes: str = "",
    key: str = "",
) -> None:
    """Collects a submission: the file of each lab, or None where there is none. The key of a grade
    is the file's content behind `key`."""
    rows = []
    contents = {}
    for lab, file in files.items():
        if file is None:
            rows.append(Attempt(student, lab, "missing", "", "no file.cu"))
            continue
        name = f"{lab} {key}{file.decode()}"
        contents[name] = {"file.cu": file}
        status = "graded" if store.has_grade(name) else "waiting"
        rows.append(Attempt(student, lab, "graded" if status == "graded" else "waiting", name, ""))
    submission = HandIn(student, notes, people, submitted)
    store.save_submission(submission, "digest", rows, contents)


def grade(
    store: Store,
    results: Mapping[str, Result],
    made: Mapping[str, str] = MADE,
) -> None:
    """Finishes every grade that waits, by its key; one without a result fails."""
    for key, lab in store.waiting(every_attempt=True):
        if key in results:
            store.save_grade(key, lab, msgspec.json.encode(results[key]), b"", dict(made))
        else:
            store.save_failure(key, lab, "out of memory", None)
