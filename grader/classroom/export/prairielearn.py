"""PrairieLearn's results.json, one for each student and lab.

https://docs.prairielearn.com/externalGrading/#grading-results documents it: "score" is a share from
0 to 1; "gradable": false gives no points and takes none, and needs no score; 1 MB at most.
"""

from collections.abc import Iterator
from typing import Any

from grader.classroom.course.final import Final
from grader.classroom.export import grades as grading
from grader.classroom.export import not_graded
from grader.classroom.export.grades import Grades
from grader.model import plain_text
from grader.model.result import Check, to_json

MOST_BYTES = 1_000_000
MOST_OUTPUT = 2000  # characters of a test, where the whole would be too long


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    for grade in grades.every:
        data = to_json(document(grades, grade))
        if len(data) > MOST_BYTES:
            short = document(grades, grade)
            for test in short["tests"]:
                test["output"] = test["output"][:MOST_OUTPUT]
            data = to_json(short)
        yield f"{grade.student.id}/{grade.lab}/results.json", data


def document(grades: Grades, grade: Final) -> dict[str, Any]:
    share = grades.share(grade)
    if share is None:
        why = not_graded.sentence(grade) if grade.result is None else "Not all points were measured"
        return {
            "gradable": False,
            "message": plain_text.line(why),
            "format_errors": [plain_text.line(why)],
        }
    if grade.points is None:
        message = not_graded.sentence(grade)
    else:
        points, of = grading.number(grade.points), grading.number(grade.out_of)
        message = f"{points} of {of} points"
        if reason := grading.outcome(grade):
            message += f" ({reason})"
        message += "".join(
            f"; {grading.number(rest.points)} points {rest.reason}" for rest in grade.unmeasured
        )
    checks = grade.result.checks if grade.result else []
    return {
        "gradable": True,
        "score": round(share, 6),
        "message": plain_text.line(message),
        "tests": [_test(check) for check in checks if check.verdict in ("pass", "fail", "skip")],
    }


def _test(check: Check) -> dict[str, Any]:
    lines = check.reasons()
    return {
        "name": check.title(),
        "points": check.points,
        "max_points": check.max_points,
        "message": plain_text.line(lines[0]) if lines else "",
        "output": plain_text.document("\n".join(lines)),
    }
