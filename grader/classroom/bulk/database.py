"""Opens the database of a bulk run, RUN/.run/store.sqlite (WAL), for one process at a time."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

OWN_FOLDER = ".run"  # the folder in RUN; no student's id begins with a dot: course/student_id.py
FILE = "store.sqlite"
VERSION = 2


class StoreError(Exception):
    """The run folder cannot be used; the message says why, and what to do."""


class Database:
    """The connection, and the lock that keeps other processes out until close()."""

    def __init__(self, folder: Path, resume: bool, tables: str) -> None:
        """Opens the run in that folder, or begins one unless `resume`. tables: the statements that
        begin one. Raises StoreError; then nothing is locked."""
        own = folder / OWN_FOLDER
        path = own / FILE
        _check_folder(folder, path, resume)
        with ExitStack() as opened:
            self._lock = opened.enter_context(_lock(own))
            if path.exists() and not resume:
                raise StoreError(
                    f"{folder} already has a run: continue it with --resume, or name another folder"
                )
            try:
                self.connection = sqlite3.connect(path, isolation_level=None)
                opened.callback(self.connection.close)
                self._prepare(folder, tables)
            except sqlite3.OperationalError as problem:
                raise StoreError(f"{path} cannot be used: {problem}") from problem
            except sqlite3.DatabaseError as problem:
                raise StoreError(
                    f"{path} cannot be read: {problem}; take it from a backup, or grade the class "
                    "again in another folder"
                ) from problem
            opened.pop_all()

    def _prepare(self, folder: Path, tables: str) -> None:
        """Sets the connection up, and makes the tables where there are none. Raises StoreError for
        those of another version."""
        db = self.connection
        db.execute("pragma journal_mode=wal")
        db.execute("pragma synchronous=full")
        db.execute("pragma foreign_keys=on")
        version = db.execute("pragma user_version").fetchone()[0]
        if version == 0:
            with transaction(db):
                for statement in tables.split(";\n"):
                    db.execute(statement)
                db.execute(f"pragma user_version={VERSION}")
        elif version > VERSION:
            raise StoreError(
                f"{folder} was written by a newer version of the grader: use that version"
            )
        elif version < VERSION:
            raise StoreError(
                f"{folder} was written by an older version of the grader: use that version, or "
                "grade the class again in another folder"
            )

    def close(self) -> None:
        self.connection.close()
        self._lock.close()


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of the changes inside happen, or none."""
    db.execute("begin immediate")
    try:
        yield
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit")


def _check_folder(folder: Path, path: Path, resume: bool) -> None:
    """Raises StoreError where there is no run to continue."""
    try:
        if not resume or path.exists():
            return
        if folder.is_dir():
            raise StoreError(f"{folder} has no run: it was not made by ./grade bulk")
        what = "is not a folder" if folder.exists() else "does not exist"
        raise StoreError(f"{folder} {what}: name the folder that ./grade bulk --out made")
    except OSError as problem:
        raise StoreError(f"{folder} cannot be read: {problem.strerror}") from problem


def _lock(folder: Path) -> IO[str]:
    """The lock of a run. Raises StoreError when another process has it."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)  # it contains answer keys
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
