"""What a finished run leaves for people: RUN/gradebook.csv, and a folder for each student and lab.

All of it is made from the store, whole or not at all, and made anew by every run: the same store
gives the same bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from grader import files
from grader.bulk.intake.student_names import cell
from grader.bulk.store import Row, Store
from grader.model import spec
from grader.model.result import Result, to_json
from grader.render.terminal import Terminal

FILES = ("result.json", "feedback.txt", "report.html")
WIDTH = 100
WORDS = {
    "missing": "Nothing was handed in for it",
    "rejected": "What was handed in was not taken",
    "error": "It could not be graded; that is not your fault, and costs nothing",
    "waiting": "It has not been graded yet",
}


def result_of(store: Store, row: Row) -> Result | None:
    """The grade of a row that is graded."""
    data = store.result(row.key) if row.status == "graded" else None
    return None if data is None else msgspec.json.decode(data, type=Result)


def write(store: Store) -> None:
    """Everything below the run folder. Raises OSError when it cannot be written."""
    for row in store.rows():
        folder = store.folder / row.student / row.lab
        folder.mkdir(parents=True, exist_ok=True)
        result = result_of(store, row)
        put(folder / "feedback.txt", feedback(row, result).encode(errors="replace"))
        put(folder / "result.json", b"" if result is None else to_json(result))
        put(folder / "report.html", b"" if result is None else store.page(row.key))
    put(store.folder / "gradebook.csv", gradebook(store).encode(errors="replace"))


def put(path: Path, data: bytes) -> None:
    """A file with that content, at once; no file where there is none."""
    if not data:
        path.unlink(missing_ok=True)
        return
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    files.replace(path, data)


def feedback(row: Row, result: Result | None) -> str:
    """What the student's own terminal would show."""
    if result is None:
        because = f": {row.reason}" if row.reason else ""
        return f"{row.lab}  not graded\n  {WORDS[row.status]}{because}\n"
    terminal = Terminal(WIDTH, colour=False)
    hints = {part.id: len(part.hints) for part in spec.load(row.lab).part}
    lines = [terminal.header(row.lab, result.title, [f.path for f in result.files], result.backend)]
    checks = (terminal.check(c, row.lab, hints.get(c.part or "", 0)) for c in result.checks)
    lines += [text for text in checks if text]
    return "\n".join([*lines, terminal.footer(result), ""])


def gradebook(store: Store) -> str:
    """One row a student, sorted; three columns a lab. A score stands there for what was graded."""
    rows = list(store.rows())
    labs = sorted({row.lab for row in rows})
    by_student: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_student.setdefault(row.student, {})[row.lab] = row
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["student", *(f"{lab}_{c}" for lab in labs for c in ("score", "max", "status"))])
    for student in sorted(by_student):
        cells = [cell(student)]
        for lab in labs:
            cells += _cells(store, by_student[student].get(lab))
        table.writerow(cells)
    return text.getvalue()


def _cells(store: Store, row: Row | None) -> Iterator[str]:
    if row is None:
        return iter(("", "", "missing"))
    result = result_of(store, row)
    if result is None:
        return iter(("", "", row.status))
    return iter((f"{result.score.earned:g}", f"{result.score.measured:g}", row.status))
