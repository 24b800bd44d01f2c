"""Moodle: fills Grade and Feedback comments in an assignment's offline grading worksheet.

    Identifier, Full name, Email address, Status, Grade, Maximum Grade, ..., Feedback comments

An Identifier is "Participant 12345", in Moodle's language; the number is also in the names of
Moodle's download. Without names where marking is blind. Documented by the page "Offline grading
worksheet" (https://docs.moodle.org/en/Assignment_grading#Offline_grading_worksheet) and by the code
that reads it, mod/assign/feedback/offline/importgradeslib.php and locallib.php of
https://github.com/moodle/moodle: a grade that is blank, or above the maximum, is skipped, and the
comment is HTML.
"""

import html
import re

from grader.classroom.course.final import Final
from grader.classroom.course.person import Person
from grader.classroom.export import cells, columns, matching, unmatched
from grader.classroom.export import grades as grading
from grader.classroom.export.cells import CellsError
from grader.classroom.export.columns import Filled
from grader.classroom.export.grades import Grades
from grader.model import spec
from grader.model.plain_text import line

NUMBER = re.compile(r"\d+\Z")
GRADE, COMMENTS = "Grade", "Feedback comments"
MAXIMUM = ("Maximum Grade", "Maximum grade")
NAMES = ("Full name", "First name / Last name", "First name / Surname")


def fill(grades: Grades, data: bytes, name: str, column: str = "") -> Filled:
    """The worksheet with the grades of one lab. column: that of the grades, if not "Grade". Raises
    CellsError."""
    sheet = cells.parse(data, name)
    header = [text.strip() for text in sheet.texts(0)] if sheet.rows else []
    rows = list(range(1, len(sheet.rows)))
    if not rows or not all(sheet.texts(row)[0].strip()[-1:].isdigit() for row in rows):
        raise CellsError(
            f'{name} is not a Moodle grading worksheet: each line must begin with "Participant" '
            'and a number; in the assignment, choose "Download grading worksheet"'
        )
    columns.check_rows(sheet, rows, len(header), name)
    if len(grades.labs) != 1:
        raise CellsError(
            f"a worksheet is of one assignment: say with --lab which it is of "
            f"{', '.join(grades.labs)}"
        )
    lab = grades.labs[0]
    at = {title: header.index(title) for title in header}
    wanted = column or GRADE
    if header.count(wanted) != 1:
        raise CellsError(
            f'{name}: there is no column "{line(wanted)}" for the grades; name it with --column; '
            f"the columns are {', '.join(map(line, header))}"
        )
    people = {row: _person(header, sheet.texts(row)) for row in rows}
    matches = matching.match(people, grades.students)
    columns.check_twice(sheet, matches, name)
    lines: list[str] = []
    if COMMENTS not in at:
        lines.append(
            f'the worksheet has no column "{COMMENTS}": switch that feedback type on in the '
            "assignment's settings to give reasons"
        )
    maximum = next((at[title] for title in MAXIMUM if title in at), None)
    changes: dict[tuple[int, int], str] = {}
    whole = float(spec.load(lab).points.total())
    written, kept, unknown = 0, 0, 0
    for row, student in matches.students.items():
        grade = grades.by_student[student.id][lab]
        texts = sheet.texts(row)
        most = columns.possible_points(texts[maximum]) if maximum is not None else None
        unknown += most is None
        text = columns.points(grades, grade, most or whole)
        if not text:
            kept += bool(texts[at[wanted]].strip())
            continue
        written += 1
        changes[row, at[wanted]] = text
        if COMMENTS in at:
            changes[row, at[COMMENTS]] = comment(grade)
    if unknown:
        lines.append(
            f"{unknown} lines have no maximum grade: those grades are of "
            f"{grading.number(whole)} points, as the lab's are"
        )
    lines.append(f'{lab}: {written} grades in "{line(wanted)}"' + columns.kept(kept))
    shown = {row: person.name or sheet.texts(row)[0].strip() for row, person in people.items()}
    why = unmatched.lines(sheet, people, matches, shown)
    return Filled(sheet.filled(changes), why + lines)


def _person(header: list[str], row: list[str]) -> Person:
    cell = dict(zip(header, (text.strip() for text in row), strict=True))
    number = NUMBER.search(row[0].strip())
    return Person(
        name=next((cell[title] for title in NAMES if title in cell), ""),
        email=cell.get("Email address", ""),
        login=cell.get("Username", ""),
        sis=cell.get("ID number", ""),
        lms=number[0] if number else "",
    )


def comment(grade: Final) -> str:
    """The points and the reasons for them, as HTML in one line."""
    if grade.points is None:
        text = f"{grade.lab}: {grade.why}"
    else:
        text = (
            f"{grade.lab}: {grading.number(grade.points)} of {grading.number(grade.out_of)} points"
        )
        if reason := grading.outcome(grade):
            text += f" ({reason})"
        text += "".join(
            f"; {grading.number(rest.points)} points {rest.reason}" for rest in grade.unmeasured
        )
    return html.escape(line(text), quote=False)
