"""The gradebook, gradebook.csv: a row for each student, and some columns for each lab. With
--per-check, checks.csv: a row for each check of each student."""

from collections.abc import Iterator

from grader import files
from grader.classroom.course.final import Final
from grader.classroom.export.grades import Grades, number
from grader.model import plain_text

NAME = "gradebook.csv"
CHECKS = "checks.csv"
# Of each lab, as lab3_score. score, of max: as it was graded; points, of out_of: after lateness and
# overrides; note: what they did, or why there is no grade.
PERSON = ("name", "email", "id")  # as the roster or the download has them; "" where neither does
COLUMNS = ("score", "max", "status", "sandbox", "late_days", "points", "out_of", "note")
TOTAL = "course_percent"  # by the labs' weights: course/course_total.py; empty while a lab is open
COLUMNS_OF_CHECK = (
    "student", "lab", "check", "kind", "part", "name", "verdict", "points", "max_points", "hidden",
    "mistake", "message",
)  # fmt: skip


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    if grades.per_check:
        yield CHECKS, plain_text.table(_checks(grades))
    else:
        yield NAME, plain_text.table(_rows(grades))


def write(grades: Grades) -> None:
    """Writes RUN/gradebook.csv. Raises OSError."""
    files.update(grades.store.folder / NAME, plain_text.table(_rows(grades)))


def _rows(grades: Grades) -> Iterator[list[str]]:
    """The rows in the order of the students' names. Only a submission that was graded has a
    score."""
    titles = (f"{lab}_{column}" for lab in grades.labs for column in COLUMNS)
    several = len(grades.labs) > 1
    yield ["student", *PERSON, *titles, *([TOTAL] if several else [])]
    for student, by_lab in sorted(grades.by_student.items()):
        person = by_lab[grades.labs[0]].student.person
        known = person.sis or person.lms or person.login
        cells = [plain_text.cell(student), *map(_cell, (person.name, person.email, known))]
        for lab in grades.labs:
            cells += _cells(by_lab[lab])
        if several:
            share = grades.course_share(student)
            cells.append("" if share is None else number(100 * share))
        yield cells


def _cells(grade: Final) -> list[str]:
    """The COLUMNS of one student and lab. The sandbox is a tier, or "none"."""
    result = grade.result
    tier = str(result.sandbox.tier or "none") if result and result.sandbox else ""
    score = [f"{result.score.earned:g}", f"{result.score.measured:g}"] if result else ["", ""]
    points = ["", ""]
    if grade.points is not None:
        points = [number(grade.points), number(grade.out_of)]
    days = str(grade.late.days) if grade.points is not None else ""
    return [*score, grade.status, tier, days, *points, _cell(grade.why)]


def _checks(grades: Grades) -> Iterator[list[str]]:
    yield [*COLUMNS_OF_CHECK]
    for grade in grades.every:
        student = _cell(grade.student.id)
        for check in grade.result.checks if grade.result else ():
            message = " ".join(check.reasons())
            row = [student, grade.lab, check.id, check.kind, check.part or "", _cell(check.name)]
            row += [check.verdict, f"{check.points:g}", f"{check.max_points:g}"]
            row += ["yes" if check.hidden else "no", check.diagnosis or "", _cell(message)]
            yield row


def _cell(text: str) -> str:
    return plain_text.cell(plain_text.line(text))
