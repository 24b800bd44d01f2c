"""Points that the instructor set by hand. They survive every regrade."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True)
class Override:
    """The points of one student for one lab, of the lab's total; None: taken back."""

    student: str
    lab: str
    points: float | None
    why: str
    at: datetime


class Overrides:
    """The overrides in the database of a run. Nothing is forgotten: the last one counts."""

    TABLES: ClassVar[str] = """
create table override (
    number integer primary key,
    student text not null,
    lab text not null,
    points real,
    why text not null,
    at text not null
);
"""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, override: Override) -> None:
        """On the disk when it returns. Raises sqlite3.OperationalError."""
        at = override.at.isoformat(timespec="seconds")
        values = (override.student, override.lab, override.points, override.why, at)
        query = "insert into override (student, lab, points, why, at) values (?, ?, ?, ?, ?)"
        self._db.execute(query, values)

    def every(self) -> list[Override]:
        """All there were, the oldest first."""
        query = "select student, lab, points, why, at from override order by number"
        return [
            Override(student, lab, points, why, datetime.fromisoformat(at))
            for student, lab, points, why, at in self._db.execute(query)
        ]

    def current(self) -> dict[tuple[str, str], Override]:
        """Those that hold, by student and lab."""
        last = {(each.student, each.lab): each for each in self.every()}
        return {key: each for key, each in last.items() if each.points is not None}
