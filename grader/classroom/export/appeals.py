"""What was decided by hand, appeals.csv: a row for each decision, the oldest first."""

from collections.abc import Iterator

from grader.classroom.export.grades import Grades, number
from grader.model import plain_text

NAME = "appeals.csv"
COLUMNS = ("when", "student", "lab", "check", "decision", "points", "why", "now", "by")


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    yield NAME, plain_text.table(_rows(grades))


def _rows(grades: Grades) -> Iterator[list[str]]:
    """decision: "set" or "taken back"; now: the points that the student has for the lab; by: the
    login of who decided."""
    yield [*COLUMNS]
    for each in grades.store.overrides.every():
        grade = grades.by_student.get(each.student, {}).get(each.lab)
        points = grade.points if grade else None
        row = [f"{each.at:%Y-%m-%d %H:%M}", each.student, each.lab, each.check]
        row += ["taken back" if each.points is None else "set"]
        row += ["" if each.points is None else number(each.points), each.why]
        row += ["" if points is None else number(points), each.by]
        yield [plain_text.cell(plain_text.line(cell)) for cell in row]
