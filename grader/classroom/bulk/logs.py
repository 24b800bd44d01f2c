"""The logs of grades that were handed in beside the files, and what speaks against one."""

import msgspec

from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt
from grader.execute import records
from grader.model import submission as submissions
from grader.model import variant
from grader.student import grade_log
from grader.student.grade_log import Log

OTHER_FILES = "no record of the log is of the files that were handed in"


def keep(store: Store, student: str, lab: str, files: dict[str, bytes]) -> None:
    """Keeps the files of a log, by name; {}: there is none any more."""
    if files or store.setting(setting(student, lab)):
        store.keep_setting(setting(student, lab), msgspec.json.encode(files))


def of(store: Store, row: Attempt) -> Log | None:
    """A submission's log, with what speaks against it; None where there is none."""
    files = records.readable(store.setting(setting(row.student, row.lab)), dict[str, bytes]) or {}
    raw, head = (files.get(name, b"") for name in grade_log.names(row.lab))
    log = grade_log.checked(row.lab, raw, head)
    if not (log.entries or head):
        return None  # another program's file may have this name
    graded = {name for entry in log.entries for name in entry.files} - {variant.FILE}
    hashes = submissions.digests(store.files(row.key)).items()
    handed_in = {name: digest for name, digest in hashes if name in graded}
    if not (handed_in and grade_log.has_grade_of(log, handed_in)):
        log.problems.append(OTHER_FILES)
    return log


def shared(logs: dict[str, Log]) -> list[tuple[str, ...]]:
    """The students, by their submissions, whose logs have records in common: the very same ones, or
    grades with points of the same bytes."""
    owners: dict[str, set[str]] = {}
    for student, log in logs.items():
        for entry in log.entries:
            owners.setdefault(entry.hash, set()).add(student)
            if entry.earned:
                owners.setdefault(repr(sorted(entry.files.items())), set()).add(student)
    return sorted({tuple(sorted(each)) for each in owners.values() if len(each) > 1})


def setting(student: str, lab: str) -> str:
    """The setting of the store that holds one."""
    return f"log {lab} {student}"
