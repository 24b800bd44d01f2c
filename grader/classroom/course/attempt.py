"""What a student handed in for a lab, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from grader.classroom.course.person import Person

Status = Literal["waiting", "graded", "missing", "rejected", "error", "wrong name"]


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


@dataclass(frozen=True)
class HandIn:
    """What was collected of one submission."""

    student: str
    notes: str = ""
    people: tuple[Person, ...] = ()
    submitted: datetime | None = None  # with a zone
