"""What a student handed in for a lab, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from grader.classroom.course.person import Person

Status = Literal["waiting", "graded", "missing", "rejected", "error", "wrong name"]

# Notes of a submission, which are separated by ", ":
LATE, RESUBMITTED = "late", "resubmitted"
STRANGER, DOUBTFUL = "not on the roster", "several people on the roster match"
NOT_THERE = "[[take]] in course.toml names a file that is not in the submission"
FLAGS = (LATE, RESUBMITTED, STRANGER, DOUBTFUL, NOT_THERE)  # what is said of them elsewhere


@dataclass(frozen=True)
class Attempt:
    """One attempt of one submission at one lab."""

    student: str
    lab: str
    status: Status
    key: str  # of the grade; "" where there is nothing to grade
    reason: str  # why it has no grade, in words
    number: int = 0  # 1, 2, ...; 0: not stored yet
    submitted: datetime | None = None  # with a zone
    notes: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the student and the instructor must know of the files that were graded, such as
        under which name one was accepted."""
        notes = self.notes.split(", ")
        return tuple(note for note in notes if note and not note.startswith(FLAGS))


@dataclass(frozen=True)
class HandIn:
    """What was collected of one submission."""

    student: str
    notes: str = ""
    people: tuple[Person, ...] = ()
    submitted: datetime | None = None  # with a zone
