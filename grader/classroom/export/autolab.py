"""Autolab: for each student and lab what an autograder prints, and the scores of each lab as a CSV.

STUDENT/LAB/autoresult.txt ends with the line {"scores": {PROBLEM: points}, "scoreboard": [points]},
after one that shows the checks; https://docs.autolabproject.com/lab/#writing-autograders and
https://docs.autolabproject.com/features/formatted-feedback/ document both. Without a grade there is
no such line. LAB.csv is for the bulk import of grades of an assessment with one problem: an address
and a score in each line, no header, as app/controllers/assessment/grading.rb of
https://github.com/autolab/Autolab reads it; it refuses a file with an address it does not know.
"""

from collections.abc import Iterator

import msgspec

from grader.classroom.course.final import Final
from grader.classroom.export import grades as grading
from grader.classroom.export import not_graded
from grader.classroom.export.grades import Grades
from grader.model import plain_text
from grader.model.result import Check


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    for lab in grades.labs:
        yield f"{lab}.csv", plain_text.table(_scores(grades, lab))
    for grade in grades.every:
        path = f"{grade.student.id}/{grade.lab}/autoresult.txt"
        yield path, _printed(grades, grade).encode(errors="replace")


def without_address(grades: Grades) -> list[str]:
    """The students whom LAB.csv lacks."""
    return [student.id for student in grades.students if not _address(student.person.email)]


def _address(text: str) -> str:
    return text if "@" in text and plain_text.cell(text) == plain_text.line(text) == text else ""


def _scores(grades: Grades, lab: str) -> Iterator[list[str]]:
    for student in grades.students:
        grade = grades.by_student[student.id].get(lab)
        share = grades.share(grade) if grade else None
        email = _address(student.person.email)
        if grade is not None and share is not None and email:
            yield [email, grading.number(share * grading.total(grade))]


def _printed(grades: Grades, grade: Final) -> str:
    """Text for the student; then, where there is a grade, the two lines that Autolab reads."""
    share = grades.share(grade)
    lines = [grading.outcome(grade)]
    if grade.result is None:
        lines.append(not_graded.sentence(grade))
    else:
        lines += [
            f"{grading.number(rest.points)} points {rest.reason}" for rest in grade.unmeasured
        ]
    lines = [plain_text.line(text) for text in lines if text]
    if share is not None:
        points = round(share * grading.total(grade), 2)
        checks = grade.result.checks if grade.result else []
        shown = {"_presentation": "semantic", "stages": ["Checks"], "Checks": _stage(checks)}
        result = {"scores": {grades.problem or grade.lab: points}, "scoreboard": [points]}
        lines += [msgspec.json.encode(each).decode() for each in (shown, result)]
    return "\n".join(lines) + "\n"


def _stage(checks: list[Check]) -> dict[str, object]:
    found: dict[str, object] = {}
    for check in checks:
        if check.verdict in ("pass", "fail", "skip"):
            name = plain_text.line(f"{check.part} {check.name}" if check.part else check.name)
            hint = " ".join(check.reasons())
            found[name] = {"passed": check.verdict == "pass"} | (
                {"hint": plain_text.line(hint)} if hint and check.verdict != "pass" else {}
            )
    return found
