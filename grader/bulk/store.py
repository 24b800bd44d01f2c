"""The database of a bulk run, RUN/.run/store.sqlite (WAL): a row per submission and lab.

Every change is one transaction, which is on the disk when the method returns: a run that is killed
at any moment continues from there. A grade is kept under the key of everything it depends on
(cache_key.py): students with the same files share one, and what has not changed is not graded
again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

import msgspec

from grader.model.result import Result

Status = Literal["waiting", "graded", "missing", "rejected", "error"]
VERSION = 1
TABLES = """
create table file (sha256 text primary key, content blob not null);
create table submission (student text primary key, digest text not null, notes text not null);
create table work (
    student text not null,
    lab text not null,
    status text not null,      -- waiting, graded, missing, rejected, error
    key text not null,         -- of grade; '' where there is nothing to grade
    reason text not null,      -- why it has no grade, in words
    primary key (student, lab)
);
create table graded_file (key text, name text, sha256 text, primary key (key, name));
create table grade (
    key text primary key,
    lab text not null,
    result blob,               -- convlabs-grade/v1
    page blob,                 -- report.html, where there is one
    deaths integer not null,   -- workers that died over it
    reason text not null
);
"""


class StoreError(Exception):
    """The run folder cannot be used; the message says why, and what to do."""


@dataclass(frozen=True)
class Row:
    """One submission of one lab."""

    student: str
    lab: str
    status: Status
    key: str
    reason: str


class Store:
    """The database of one run. A lock keeps other processes out of it until close()."""

    def __init__(self, folder: Path, resume: bool) -> None:
        """Opens the run in that folder, or begins one unless `resume`. Raises StoreError."""
        self.folder = folder
        self.own = folder / ".run"  # no student's id begins with a dot: student_names.py
        path = self.own / "store.sqlite"
        if resume and not path.exists():
            raise StoreError(f"{folder} has no run to continue: it was not made by ./grade bulk")
        self._lock = _lock(self.own)
        if path.exists() and not resume:
            raise StoreError(
                f"{folder} has a run already: continue it with --resume, or name another folder"
            )
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("pragma journal_mode=wal")
            self._db.execute("pragma synchronous=full")
            self._db.execute("pragma foreign_keys=on")
            version = self._db.execute("pragma user_version").fetchone()[0]
            if version == 0:
                with self._transaction():
                    for statement in TABLES.split(";\n"):
                        self._db.execute(statement)
                    self._db.execute(f"pragma user_version={VERSION}")
            elif version != VERSION:
                raise StoreError(
                    f"{folder} was made by another version of the grader: name another folder"
                )
        except sqlite3.DatabaseError as problem:
            raise StoreError(f"{path} cannot be used: {problem}") from problem

    def close(self) -> None:
        self._db.close()
        self._lock.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of the changes inside happen, or none."""
        self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")

    def digest(self, student: str) -> str:
        """The hash of the submission when it was last collected; "" before that."""
        query = "select digest from submission where student = ?"
        row = self._db.execute(query, (student,)).fetchone()
        return str(row[0]) if row else ""

    def keep_only(self, students: list[str], labs: list[str]) -> None:
        """Drops the rows of other students and labs. Their grades stay, under their keys."""
        with self._transaction():
            self._db.execute("create temp table kept (name text)")
            self._db.executemany("insert into kept values (?)", [(s,) for s in students])
            self._db.execute("delete from submission where student not in (select name from kept)")
            self._db.execute("delete from work where student not in (select name from kept)")
            marks = ",".join("?" * len(labs))
            self._db.execute(f"delete from work where lab not in ({marks})", labs)
            self._db.execute("drop table kept")

    def save_submission(
        self,
        student: str,
        digest: str,
        notes: str,
        rows: list[Row],
        files: dict[str, dict[str, bytes]],
    ) -> None:
        """What was collected from a submission. `files`: the contents by name, of each key."""
        with self._transaction():
            values = (student, digest, notes)
            self._db.execute("insert or replace into submission values (?, ?, ?)", values)
            for row in rows:
                self._save_row(row)
            for key, contents in files.items():
                for name, content in contents.items():
                    sha = hashlib.sha256(content).hexdigest()
                    self._db.execute("insert or ignore into file values (?, ?)", (sha, content))
                    named = (key, name, sha)
                    self._db.execute("insert or ignore into graded_file values (?, ?, ?)", named)

    def _save_row(self, row: Row) -> None:
        values = (row.student, row.lab, row.status, row.key, row.reason)
        self._db.execute("insert or replace into work values (?, ?, ?, ?, ?)", values)

    def files(self, key: str) -> dict[str, bytes]:
        """The files that are graded under this key."""
        query = "select name, content from graded_file join file using (sha256) where key = ?"
        return dict(self._db.execute(query, (key,)).fetchall())

    def has_grade(self, key: str) -> bool:
        """Whether there is a grade under this key; one that failed is none."""
        return self._result(key) is not None

    def result_of(self, row: Row) -> Result | None:
        """The grade of a submission and lab; None when it has none."""
        data = self._result(row.key) if row.status == "graded" else None
        return None if data is None else msgspec.json.decode(data, type=Result)

    def _result(self, key: str) -> bytes | None:
        query = "select result from grade where key = ? and reason = ''"
        row = self._db.execute(query, (key,)).fetchone()
        return row[0] if row else None

    def page(self, key: str) -> bytes:
        """The report.html of a grade; b"" when it has none."""
        row = self._db.execute("select page from grade where key = ?", (key,)).fetchone()
        return bytes(row[0] or b"") if row else b""

    def save_grade(self, key: str, lab: str, result: bytes, page: bytes) -> None:
        """A finished grade, for every submission that waits for it."""
        with self._transaction():
            self._save(key, lab, "", result, page)
            query = "update work set status = 'graded', reason = '' where key = ?"
            self._db.execute(query, (key,))

    def save_failure(self, key: str, lab: str, reason: str, result: bytes | None) -> None:
        """A grading that failed because of the grader or the machine: there is no score. `result`
        may show what went wrong."""
        with self._transaction():
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
        with self._transaction():
            self._db.execute(
                "insert into grade (key, lab, reason, deaths) values (?, ?, '', 1) "
                "on conflict (key) do update set deaths = deaths + 1",
                (key, lab),
            )
        return int(self._db.execute("select deaths from grade where key = ?", (key,)).fetchone()[0])

    def retry_failures(self) -> bool:
        """Marks every grading that failed as waiting. Returns whether there was one."""
        query = "update work set status = 'waiting' where status = 'error' and key != ''"
        with self._transaction():
            changed = self._db.execute(query).rowcount
            self._db.execute("update grade set deaths = 0 where result is null")
        return changed > 0

    def waiting(self) -> list[tuple[str, str]]:
        """The key and lab of every grade that is still to be made: each once, in a fixed order."""
        query = (
            "select key, lab from work where status = 'waiting' group by key order by min(rowid)"
        )
        return [(str(k), str(lab)) for k, lab in self._db.execute(query)]

    def rows(self) -> Iterator[Row]:
        """Every row, by student and lab."""
        query = "select student, lab, status, key, reason from work order by student, lab"
        for student, lab, status, key, reason in self._db.execute(query).fetchall():
            yield Row(student, lab, cast(Status, status), key, reason)

    def notes(self) -> dict[str, str]:
        """What was noted about submissions ("late"), by student."""
        query = "select student, notes from submission where notes != ''"
        return dict(self._db.execute(query).fetchall())

    def count(self, status: Status) -> int:
        query = "select count(*) from work where status = ?"
        return int(self._db.execute(query, (status,)).fetchone()[0])


def _lock(folder: Path) -> IO[str]:
    """The lock of a run. Raises StoreError when another process has it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.fdopen(
            os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w"
        )
    except OSError as problem:
        raise StoreError(f"{folder} cannot be written: {problem.strerror}") from problem
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        lock.close()
        raise StoreError(
            f"another ./grade is working in {folder.parent}: wait until it has ended"
        ) from problem
    return lock
