"""What a bulk run keeps: a row per submission, lab and attempt, in the database of database.py.

Every change is one transaction, which is on the disk when the method returns: a run that is killed
at any moment continues from there. A grade is kept under the key of everything it depends on
(cache_key.py): students with the same files share one, and what has not changed is not graded
again. An attempt is what a student had handed in when a run looked: other files than the last time
begin a new one.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import cast

import msgspec

from grader.classroom.bulk.database import OWN_FOLDER, Database, StoreError, transaction
from grader.classroom.bulk.elsewhere import OtherResults, combined
from grader.classroom.bulk.history import History
from grader.classroom.bulk.overrides import Overrides
from grader.classroom.course.attempt import Attempt, HandIn, Status
from grader.classroom.course.person import Person
from grader.classroom.course.students import Student
from grader.execute import records
from grader.model.result import Result

TABLES = """
create table file (sha256 text primary key, content blob not null);
create table submission (
    student text primary key,
    digest text not null,
    notes text not null,
    people text not null,      -- JSON: the Persons who get the grade
    submitted text not null    -- ISO 8601 with a zone; '' where the download does not say
);
create table work (
    student text not null,
    lab text not null,
    attempt integer not null,  -- 1, 2, ...; the highest is what the student has handed in now
    status text not null,      -- a Status
    key text not null,         -- of grade; '' where there is nothing to grade
    reason text not null,      -- why it has no grade, in words
    submitted text not null,   -- of the submission, when the attempt was collected
    notes text not null,
    primary key (student, lab, attempt)
);
create table graded_file (key text, name text, sha256 text, primary key (key, name));
create table grade (
    key text primary key,
    lab text not null,
    result blob,               -- convlabs-grade/v1
    page blob,                 -- report.html, where there is one
    made text,                 -- JSON: what decided it besides the files, by name
    deaths integer not null,   -- workers that died over it
    reason text not null
);
create table setting (name text primary key, value blob not null);
"""
LATEST = "attempt = (select max(attempt) from work w where (w.student, w.lab) = (o.student, o.lab))"


class Store:
    """The database of one run. A lock keeps other processes out of it until close()."""

    def __init__(self, folder: Path, resume: bool) -> None:
        """Opens the run in that folder, or begins one unless `resume`. Raises StoreError."""
        self.folder = folder
        self.own = folder / OWN_FOLDER
        tables = (TABLES, History.TABLES, Overrides.TABLES, OtherResults.TABLES)
        self._database = Database(folder, resume, "".join(tables))
        self._db = self._database.connection
        self.history, self.overrides = History(self._db), Overrides(self._db)
        self.others = OtherResults(self._db)

    def close(self) -> None:
        self._database.close()

    def digest(self, student: str) -> str:
        """The hash of the submission when it was last collected; "" before that."""
        query = "select digest from submission where student = ?"
        row = self._db.execute(query, (student,)).fetchone()
        return str(row[0]) if row else ""

    def keep_only(self, students: list[str], labs: list[str]) -> None:
        """Drops the rows of other students and labs. Their grades stay, under their keys."""
        with transaction(self._db):
            self._db.execute("create temp table kept (name text)")
            self._db.executemany("insert into kept values (?)", [(s,) for s in students])
            self._db.execute("delete from submission where student not in (select name from kept)")
            self._db.execute("delete from work where student not in (select name from kept)")
            marks = ",".join("?" * len(labs))
            self._db.execute(f"delete from work where lab not in ({marks})", labs)
            self._db.execute("drop table kept")

    def save_submission(
        self,
        submission: HandIn,
        digest: str,
        rows: list[Attempt],
        files: dict[str, dict[str, bytes]],
    ) -> None:
        """What was collected from a submission. `files`: the contents by name, of each key."""
        submitted = submission.submitted.isoformat() if submission.submitted else ""
        people = msgspec.json.encode(submission.people).decode()
        values = (submission.student, digest, submission.notes, people, submitted)
        with transaction(self._db):
            self._db.execute("insert or replace into submission values (?, ?, ?, ?, ?)", values)
            for key, contents in files.items():
                for name, content in contents.items():
                    sha = hashlib.sha256(content).hexdigest()
                    self._db.execute("insert or ignore into file values (?, ?)", (sha, content))
                    named = (key, name, sha)
                    self._db.execute("insert or ignore into graded_file values (?, ?, ?)", named)
            for row in rows:
                attempt = row.number or self._attempt(row)
                when = row.submitted.isoformat() if row.submitted else submitted
                notes = row.notes if row.number else row.notes or submission.notes
                fields = (row.student, row.lab, attempt, row.status, row.key, row.reason)
                statement = "insert or replace into work values (?, ?, ?, ?, ?, ?, ?, ?)"
                self._db.execute(statement, (*fields, when, notes))

    def _attempt(self, row: Attempt) -> int:
        """The number of the attempt that a row just collected belongs to: a new one if there were
        other files before."""
        query = "select attempt, key from work where (student, lab) = (?, ?) order by attempt desc"
        last = self._db.execute(query, (row.student, row.lab)).fetchone()
        if last is None:
            return 1
        number, key = last
        return int(number) + bool(key and self.files(key) != self.files(row.key))

    def forget(self, student: Student, settings: Iterable[str]) -> None:
        """Deletes all of one student, also from the history, with these settings and what no other
        student's grade needs; a shared submission keeps its other members. Nothing of it can be
        read from the database's file afterwards."""
        self._db.execute("pragma secure_delete=on")
        with transaction(self._db):
            own = [each.student for each in student.submissions if self._leave(each, student)]
            for table in ("submission", "work", "past", "override"):
                delete = f"delete from {table} where student = ?"
                self._db.executemany(delete, [(name,) for name in {student.id, *own}])
            self._db.executemany("delete from setting where name = ?", [(s,) for s in settings])
            needed = "select key from work union select key from past"
            self._db.execute(f"delete from grade where key not in ({needed})")
            self._db.execute(f"delete from graded_file where key not in ({needed})")
            of_none = "sha256 not in (select sha256 from graded_file)"
            self._db.execute(f"delete from file where {of_none}")
        self._db.execute("vacuum")
        self._db.execute("pragma wal_checkpoint(truncate)")

    def _leave(self, submission: HandIn, student: Student) -> bool:
        """Takes a student out of a submission. Whether nobody else is left there."""
        others = [person for person in submission.people if person != student.person]
        text = msgspec.json.encode(others).decode()
        query = "update submission set people = ? where student = ?"
        self._db.execute(query, (text, submission.student))
        return not others

    def files(self, key: str) -> dict[str, bytes]:
        """The files that are graded under this key."""
        query = "select name, content from graded_file join file using (sha256) where key = ?"
        return dict(self._db.execute(query, (key,)).fetchall())

    def files_digest(self, key: str) -> str:
        """The hash of the names and contents of the files that are graded under this key."""
        query = "select name, sha256 from graded_file where key = ? order by name"
        return hashlib.sha256(repr(self._db.execute(query, (key,)).fetchall()).encode()).hexdigest()

    def has_grade(self, key: str) -> bool:
        """Whether there is a grade under this key; one that failed is none."""
        return self._result(key) is not None

    def result_of(self, row: Attempt) -> Result | None:
        """The grade of a submission and lab; None when it has none. Raises StoreError."""
        return self.result(row.key) if row.status == "graded" else None

    def result(self, key: str) -> Result | None:
        """The grade under a key, with what other machines measured; None when there is none.
        Raises StoreError."""
        data = self._result(key)
        if data is None:
            return None
        try:
            result = records.decode(data, Result)
            other = self.others.of(result.lab, self.files_digest(key), self.made(key))
            return combined(result, other) if other else result
        except msgspec.DecodeError as problem:
            raise StoreError(
                f"a grade in {self.folder} is damaged ({problem}): "
                "grade the class again in another folder"
            ) from problem

    def _result(self, key: str) -> bytes | None:
        query = "select result from grade where key = ? and reason = ''"
        row = self._db.execute(query, (key,)).fetchone()
        return row[0] if row else None

    def own_result(self, key: str) -> Result:
        """The grade under a key that has one, as this run made it."""
        return records.decode(self._result(key) or b"", Result)

    def page(self, key: str) -> bytes:
        """The report.html of a grade; b"" when it has none."""
        row = self._db.execute("select page from grade where key = ?", (key,)).fetchone()
        return bytes(row[0] or b"") if row else b""

    def made(self, key: str) -> dict[str, str]:
        """What decided a grade besides the files: a hash or a text of each part, by its name."""
        row = self._db.execute("select made from grade where key = ?", (key,)).fetchone()
        return msgspec.json.decode(row[0], type=dict[str, str]) if row and row[0] else {}

    def save_grade(
        self, key: str, lab: str, result: bytes, page: bytes, made: dict[str, str] | None = None
    ) -> None:
        """A finished grade, for every submission that waits for it."""
        with transaction(self._db):
            self._save(key, lab, "", result, page)
            text = msgspec.json.encode(made or {}).decode()
            self._db.execute("update grade set made = ? where key = ?", (text, key))
            query = "update work set status = 'graded', reason = '' where key = ?"
            self._db.execute(query, (key,))

    def save_failure(self, key: str, lab: str, reason: str, result: bytes | None) -> None:
        """A grading that failed because of the grader or the machine: there is no score. `result`
        may show what went wrong."""
        with transaction(self._db):
            self._save(key, lab, reason, result, b"")
            query = "update work set status = 'error', reason = ? where key = ?"
            self._db.execute(query, (reason, key))

    def _save(self, key: str, lab: str, reason: str, result: bytes | None, page: bytes) -> None:
        self._db.execute(
            "insert into grade (key, lab, reason, result, page, deaths) values (?, ?, ?, ?, ?, 0) "
            "on conflict (key) do update "
            "set result = excluded.result, page = excluded.page, reason = excluded.reason",
            (key, lab, reason, result, page),
        )

    def count_death(self, key: str, lab: str) -> int:
        """Counts a worker that died while it made this grade. Returns how many have."""
        with transaction(self._db):
            self._db.execute(
                "insert into grade (key, lab, reason, deaths) values (?, ?, '', 1) "
                "on conflict (key) do update set deaths = deaths + 1",
                (key, lab),
            )
        return int(self._db.execute("select deaths from grade where key = ?", (key,)).fetchone()[0])

    def retry_failures(self) -> bool:
        """Marks every grading that failed as waiting. Returns whether there was one."""
        query = "update work set status = 'waiting' where status = 'error' and key != ''"
        with transaction(self._db):
            changed = self._db.execute(query).rowcount
            self._db.execute("update grade set deaths = 0 where result is null")
        return changed > 0

    def waiting(self, every_attempt: bool = False) -> list[tuple[str, str]]:
        """The key and lab of every grade that is still to be made: each once, in a fixed order.
        Of attempts, the latest, unless every one is asked for."""
        latest = "" if every_attempt else f"and {LATEST}"
        query = (
            f"select key, lab from work o where status = 'waiting' {latest} "
            "group by key order by min(rowid)"
        )
        return [(str(k), str(lab)) for k, lab in self._db.execute(query)]

    def graded(self) -> list[tuple[str, str]]:
        """The key and lab of every grade that counts, each once, in a fixed order."""
        query = (
            f"select key, lab from work o where status = 'graded' and {LATEST} "
            "group by key order by min(rowid)"
        )
        return [(str(k), str(lab)) for k, lab in self._db.execute(query)]

    def rows(self) -> Iterator[Attempt]:
        """The latest attempt of every submission and lab, by student and lab."""
        yield from self._rows(LATEST)

    def attempts(self, student: str = "") -> Iterator[Attempt]:
        """Every attempt, by student, lab and number; of one student if named."""
        yield from self._rows("student = ?" if student else "? = ''", student)

    def _rows(self, condition: str, *values: str) -> Iterator[Attempt]:
        query = (
            "select student, lab, status, key, reason, attempt, submitted, notes "
            f"from work o where {condition} order by student, lab, attempt"
        )
        for *fields, status, key, reason, attempt, submitted, notes in self._db.execute(
            query, values
        ).fetchall():
            student, lab = fields
            time = datetime.fromisoformat(submitted) if submitted else None
            yield Attempt(student, lab, cast(Status, status), key, reason, attempt, time, notes)

    def submissions(self) -> list[HandIn]:
        """What was collected, by student."""
        query = "select student, notes, people, submitted from submission order by student"
        return [
            HandIn(
                student,
                notes,
                msgspec.json.decode(people, type=tuple[Person, ...]),
                datetime.fromisoformat(submitted) if submitted else None,
            )
            for student, notes, people, submitted in self._db.execute(query)
        ]

    def setting(self, name: str) -> bytes:
        """What was kept under a name, such as "course.toml"; b"" when nothing was."""
        row = self._db.execute("select value from setting where name = ?", (name,)).fetchone()
        return bytes(row[0]) if row else b""

    def keep_setting(self, name: str, value: bytes) -> None:
        with transaction(self._db):
            self._db.execute("insert or replace into setting values (?, ?)", (name, value))

    def student_of(self, key: str) -> str:
        """The first who handed in what is graded under this key."""
        row = self._db.execute("select min(student) from work where key = ?", (key,)).fetchone()
        return str(row[0] or "")

    def count(self, status: Status) -> int:
        query = f"select count(*) from work o where status = ? and {LATEST}"
        return int(self._db.execute(query, (status,)).fetchone()[0])
