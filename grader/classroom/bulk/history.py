"""What each run of ./grade bulk came to: the grades of everybody, so that two can be compared."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from grader.classroom.bulk.database import transaction
from grader.classroom.course.final import Final


@dataclass(frozen=True)
class Past:
    """The grade of one student for one lab, as a run left it."""

    student: str
    lab: str
    status: str
    key: str  # of the grade that counted; "" where there was none
    points: float | None  # after lateness and overrides; None: no grade
    out_of: float
    why: str  # lateness, an override, or why there is no grade


def past(final: Final) -> Past:
    """A grade as it is now."""
    key = final.attempt.key if final.attempt else ""
    points = final.points, final.out_of
    return Past(final.student.id, final.lab, final.status, key, *points, final.why)


class History:
    """The history in the database of a run. Numbers of runs begin with 1."""

    TABLES: ClassVar[str] = """
create table run (number integer primary key, at text not null);
create table past (
    run integer not null,
    student text not null,
    lab text not null,
    status text not null,
    key text not null,
    points real,
    out_of real not null,
    why text not null,
    primary key (run, student, lab)
);
"""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, at: datetime, grades: Iterable[Past]) -> int:
        """Keeps the grades of a run that has ended, in one transaction, unless they are those of
        the run before. Returns the run's number."""
        now = sorted(grades, key=lambda past: (past.student, past.lab))
        numbers = self.numbers()
        if numbers and self.of(numbers[-1]) == now:
            return numbers[-1]
        with transaction(self._db):
            query = "insert into run (at) values (?)"
            number = int(
                self._db.execute(query, (at.isoformat(timespec="seconds"),)).lastrowid or 0
            )
            fields = (
                (number, p.student, p.lab, p.status, p.key, p.points, p.out_of, p.why) for p in now
            )
            self._db.executemany("insert into past values (?, ?, ?, ?, ?, ?, ?, ?)", fields)
        return number

    def numbers(self) -> list[int]:
        return [int(n) for (n,) in self._db.execute("select number from run order by number")]

    def at(self, number: int) -> datetime:
        """When the run ended. Raises KeyError."""
        row = self._db.execute("select at from run where number = ?", (number,)).fetchone()
        if row is None:
            raise KeyError(number)
        return datetime.fromisoformat(row[0])

    def of(self, number: int) -> list[Past]:
        """The grades that a run left, by student and lab."""
        query = (
            "select student, lab, status, key, points, out_of, why from past where run = ? "
            "order by student, lab"
        )
        return [Past(*row) for row in self._db.execute(query, (number,))]
