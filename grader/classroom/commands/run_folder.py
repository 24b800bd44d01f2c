"""Opens the folder of a bulk run for a command, and says what is wrong with one."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader import exit_codes
from grader.classroom.bulk import class_records
from grader.classroom.bulk.database import StoreError
from grader.classroom.bulk.store import Store
from grader.classroom.course import students
from grader.classroom.course.settings import SettingsError
from grader.classroom.course.students import Student
from grader.commands.errors import CommandError, UsageError
from grader.model.plain_text import line


@contextmanager
def opened(run: Path) -> Iterator[Store]:
    """The store of a run that ./grade bulk made, locked until the block ends.

    Raises UsageError where the folder is not there, has no run, is of another version of the
    grader, in use by another process, or damaged, and where its course.toml does not fit; and
    CommandError where the disk stops a write. So do these errors inside the block."""
    try:
        store = Store(run, resume=True)
        try:
            yield store
        finally:
            store.close()
    except (StoreError, SettingsError) as problem:
        raise UsageError(str(problem)) from problem
    except sqlite3.OperationalError as problem:
        raise CommandError(
            f"{run} cannot be used: {problem}; nothing that was stored is lost: correct that "
            "(is the disk full?), then repeat the command",
            exit_codes.FAULT,
        ) from problem
    except sqlite3.DatabaseError as problem:
        raise UsageError(f"{run} is damaged: {problem}; take it from a backup") from problem


def student(store: Store, name: str) -> Student:
    """Whom a name in the gradebook, an address or a number means. Raises UsageError."""
    everybody = students.students(store.submissions(), class_records.rules(store))
    meant = students.matching(everybody, name)
    if len(meant) > 1:
        listed = ", ".join(line(each.id) for each in meant)
        raise UsageError(f'"{line(name)}" means {len(meant)} students: {listed}; name one of these')
    if not meant:
        raise UsageError(f'no student of this run is called "{line(name)}"; see gradebook.csv')
    return meant[0]
