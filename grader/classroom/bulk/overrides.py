"""The points that the instructor set by hand, in the database of a run: they survive a regrade."""

import sqlite3
from datetime import datetime
from typing import ClassVar

from grader.classroom.course.override import Override


class Overrides:
    """The overrides in the database of a run. Nothing is forgotten: the last one counts."""

    TABLES: ClassVar[str] = """
create table override (
    number integer primary key,
    student text not null,
    lab text not null,
    points real,
    why text not null,
    at text not null,
    check_id text not null default '',
    set_by text not null default ''
);
"""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        columns = [row[1] for row in db.execute("pragma table_info(override)")]
        for column in ("check_id", "set_by"):
            if column not in columns:  # a run of an earlier version
                db.execute(f"alter table override add column {column} text not null default ''")

    def add(self, override: Override) -> None:
        """On the disk when it returns. Raises sqlite3.OperationalError."""
        at = override.at.isoformat(timespec="seconds")
        one = override
        values = (one.student, one.lab, one.points, one.why, at, one.check, one.by)
        columns = "(student, lab, points, why, at, check_id, set_by)"
        query = f"insert into override {columns} values (?, ?, ?, ?, ?, ?, ?)"
        self._db.execute(query, values)

    def every(self) -> list[Override]:
        """All there were, the oldest first."""
        columns = "student, lab, points, why, at, check_id, set_by"
        query = f"select {columns} from override order by number"
        return [
            Override(student, lab, points, why, datetime.fromisoformat(at), check, by)
            for student, lab, points, why, at, check, by in self._db.execute(query)
        ]

    def current(self) -> dict[tuple[str, str], Override]:
        """Those of whole labs that hold, by student and lab."""
        last = {(each.student, each.lab): each for each in self.every() if not each.check}
        return {key: each for key, each in last.items() if each.points is not None}

    def of_checks(self) -> dict[tuple[str, str], list[Override]]:
        """Those of single checks that hold, by student and lab."""
        last = {(each.student, each.lab, each.check): each for each in self.every() if each.check}
        found: dict[tuple[str, str], list[Override]] = {}
        for (student, lab, _), each in last.items():
            if each.points is not None:
                found.setdefault((student, lab), []).append(each)
        return found
