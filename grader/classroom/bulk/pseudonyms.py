"""Who takes part in the leaderboard of a class: what each submission's leaderboard.txt says."""

import sqlite3
from collections.abc import Mapping
from typing import ClassVar


class Pseudonyms:
    """The files in the database of a run, as they were handed in: nobody has checked them yet."""

    # Also made in a run of an earlier version, which has no such files.
    TABLES: ClassVar[str] = """
create table if not exists pseudonym (
    student text not null,     -- of the submission
    lab text not null,
    content blob not null,     -- the beginning of leaderboard.txt
    primary key (student, lab)
);
"""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.execute(self.TABLES)

    def replace(self, student: str, contents: Mapping[str, bytes]) -> None:
        """The files that the submission has now, by lab. Called inside a transaction."""
        self._db.execute("delete from pseudonym where student = ?", (student,))
        rows = [(student, lab, content) for lab, content in contents.items()]
        self._db.executemany("insert into pseudonym values (?, ?, ?)", rows)

    def every(self) -> dict[tuple[str, str], bytes]:
        """By the submission's student and the lab."""
        rows = self._db.execute("select student, lab, content from pseudonym")
        return {(student, lab): bytes(content) for student, lab, content in rows}
