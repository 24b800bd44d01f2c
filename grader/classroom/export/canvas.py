"""Canvas: fills one column for each lab in the gradebook that the instructor exported.

    Student, ID[, SIS User ID], SIS Login ID[, ...], Section, Lab 3 (101), ..., Final Score, ...

Below come a row "Manual Posting" where an assignment has it, the row "    Points Possible", then
the students. Documented by the guides "How do I export grades in the Gradebook?" and "How do I
import grades in the Gradebook?" (https://community.canvaslms.com/t5/Instructor-Guide/), and by the
code that writes and reads the file, lib/gradebook_exporter.rb and lib/gradebook_importer.rb of
https://github.com/instructure/canvas-lms: names may be in two columns LastName and FirstName,
separators may be semicolons, "EX" is an excused student and "N/A" one without the assignment.
"""

import re

from grader.classroom.course.person import Person
from grader.classroom.export import cells, columns, matching, unmatched
from grader.classroom.export import grades as grading
from grader.classroom.export.cells import CellsError, Sheet
from grader.classroom.export.columns import Filled
from grader.classroom.export.grades import Grades
from grader.model import spec
from grader.model.plain_text import line

ASSIGNMENT = re.compile(r"(?P<title>.*) \(\d+\)", re.DOTALL)
# Columns that are no assignments, besides those with one of TOTALS in their title.
PEOPLE = (
    "Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID",
    "Root Account", "Section",
)  # fmt: skip
TOTALS = re.compile(r"(Current|Final|Override) (Score|Points|Grade|Status)\b")
KEPT = ("EX", "N/A")  # cells that say that the student gets no grade


def fill(grades: Grades, data: bytes, name: str, column: str = "") -> Filled:
    """The gradebook with the grades of the labs that it has columns for. name: of the file, for
    messages; column: the one to fill, where there is one lab. Raises CellsError."""
    sheet = cells.parse(data, name)
    header = [text.strip() for text in sheet.texts(0)] if sheet.rows else []
    if not header or header[0] not in ("Student", "LastName") or "ID" not in header:
        raise CellsError(
            f'{name} is not a Canvas gradebook: its first line must begin with "Student,ID"; '
            "export it in Canvas: Grades, Export, Export Entire Gradebook"
        )
    students, possible = _students(sheet)
    columns.check_rows(sheet, students, len(header), name)
    people = {row: _person(header, sheet.texts(row)) for row in students}
    matches = matching.match(people, grades.students)
    columns.check_twice(sheet, matches, name)
    lines: list[str] = []
    changes: dict[tuple[int, int], str] = {}
    for lab, index in _columns(sheet, grades, header, possible, name, column, lines).items():
        most = _possible(sheet, lab, header[index], index, possible, lines)
        written, kept = 0, 0
        for row, student in matches.students.items():
            grade = grades.by_student[student.id].get(lab)
            text = columns.points(grades, grade, most) if grade else ""
            old = sheet.rows[row][index].text.strip()
            if old.upper() in KEPT or (old and not text):
                kept += 1
            elif text:
                changes[row, index] = text
                written += 1
        lines.append(
            f'{lab}: {written} grades, of {grading.number(most)} points, in "{line(header[index])}"'
            + columns.kept(kept)
        )
    shown = {row: matching.shown([person])[0] for row, person in people.items()}
    why = unmatched.lines(sheet, people, matches, shown)
    return Filled(sheet.filled(changes), why + lines)


def _students(sheet: Sheet) -> tuple[list[int], int | None]:
    """The rows of students, and that of the points possible."""
    possible, rows = None, []
    for row in range(1, len(sheet.rows)):
        texts = sheet.texts(row)
        if possible is None and "Points Possible" in texts[0]:
            possible = row
        elif any(not re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", t, re.I) for t in texts):
            rows.append(row)
    return rows, possible


def _person(header: list[str], row: list[str]) -> Person:
    cell = {title: text.strip() for title, text in zip(header, row, strict=True) if title in PEOPLE}
    name = cell.get("Student") or ", ".join(
        part for part in (cell.get("LastName"), cell.get("FirstName")) if part
    )
    login = cell.get("SIS Login ID", "")
    return Person(name=name, login=login, sis=cell.get("SIS User ID", ""), lms=cell.get("ID", ""))


def _columns(
    sheet: Sheet,
    grades: Grades,
    header: list[str],
    possible: int | None,
    name: str,
    column: str,
    lines: list[str],
) -> dict[str, int]:
    """The column of each lab. Raises CellsError where there is none, or more than one."""
    limits = sheet.texts(possible) if possible is not None else []
    numbered = [i for i, title in enumerate(header) if ASSIGNMENT.fullmatch(title)]
    others = [i for i, t in enumerate(header) if t not in PEOPLE and not TOTALS.search(t)]
    open_ = [
        i for i in numbered or others if "read only" not in (limits[i] if i < len(limits) else "")
    ]
    named = ", ".join(f'"{line(header[i])}"' for i in open_) or "none"
    if column:
        if len(grades.labs) != 1:
            raise CellsError(f"--column needs --lab: the run has {', '.join(grades.labs)}")
        found = [i for i in open_ if header[i] == column] or [
            i for i in open_ if _title(header[i]) == column
        ]
        if len(found) != 1:
            many = "more than one column is" if found else "no column is"
            raise CellsError(f'{name}: {many} called "{line(column)}"; the assignments are {named}')
        return {grades.labs[0]: found[0]}
    chosen: dict[str, int] = {}
    for lab in grades.labs:
        found = [i for i in open_ if columns.names_lab(_title(header[i]), lab)]
        if len(found) > 1:
            fit = ", ".join(f'"{line(header[i])}"' for i in found)
            raise CellsError(
                f"{name}: more than one column may be {lab}: {fit}; "
                f"name one with --lab {lab} --column"
            )
        if found:
            chosen[lab] = found[0]
        elif len(grades.labs) > 1:
            lines.append(f"{lab}: no column names it, so it is not filled in")
    if not chosen:
        raise CellsError(
            f"{name}: no column names {' or '.join(grades.labs)}; name one with --column; "
            f"the assignments are {named}"
        )
    return chosen


def _title(header: str) -> str:
    match = ASSIGNMENT.fullmatch(header)
    return match["title"] if match else header


def _possible(
    sheet: Sheet, lab: str, title: str, index: int, row: int | None, lines: list[str]
) -> float:
    """The points of a column; where the file does not say, those of the lab."""
    texts = sheet.texts(row) if row is not None else []
    most = columns.possible_points(texts[index]) if index < len(texts) else None
    if most is None:
        most = float(spec.load(lab).points.total())
        lines.append(
            f'{lab}: the gradebook has no "Points Possible" for "{line(title)}"; '
            f"the grades are of {grading.number(most)} points, as the lab's are"
        )
    return most
