"""The gradebook, gradebook.csv: a row for each student, and three columns for each lab."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from grader import files
from grader.bulk.store import Row, Store

NAME = "gradebook.csv"
COLUMNS = ("score", "max", "status")  # of each lab: lab3_score, lab3_max, lab3_status
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet runs a cell that begins so


def render(store: Store) -> Iterator[tuple[str, bytes]]:
    yield NAME, _table(store).encode(errors="replace")


def write(store: Store) -> None:
    """Writes RUN/gradebook.csv. Raises OSError."""
    for name, data in render(store):
        files.update(store.folder / name, data)


def _table(store: Store) -> str:
    """The rows in the order of the students' names. Only a submission that was graded has a
    score."""
    rows = list(store.rows())
    labs = sorted({row.lab for row in rows})
    by_student: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_student.setdefault(row.student, {})[row.lab] = row
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["student", *(f"{lab}_{column}" for lab in labs for column in COLUMNS)])
    for student in sorted(by_student):
        cells = [cell(student)]
        for lab in labs:
            cells += _cells(store, by_student[student].get(lab))
        table.writerow(cells)
    return text.getvalue()


def _cells(store: Store, row: Row | None) -> tuple[str, str, str]:
    """The COLUMNS of one student and lab."""
    if row is None:
        return "", "", "missing"
    result = store.result_of(row)
    if result is None:
        return "", "", row.status
    return f"{result.score.earned:g}", f"{result.score.measured:g}", row.status


def cell(text: str) -> str:
    """Text for a cell of a CSV file, quoted where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
