"""Gradescope's results.json, one for each student and lab of a run, and the autograder's answer;
and the scores of the class as a table.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ documents the file: "score" at the
top replaces the sum of the tests' scores, and without both of them the autograder has failed.
"""

from collections.abc import Iterator
from typing import Any

from grader.classroom.course.final import Final
from grader.classroom.export import grades as grading
from grader.classroom.export import not_graded
from grader.classroom.export.grades import Grades
from grader.model import plain_text
from grader.model.result import Check, Result, to_json
from grader.model.score import Score

Results = dict[str, Any]  # results.json, before it is encoded

FAULT = "The grader or its machine failed; that is not your fault. Please tell your instructor"


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    yield "scores.csv", plain_text.table(_scores(grades))
    for grade in grades.every:
        yield f"{grade.student.id}/{grade.lab}/results.json", to_json(_document(grades, grade))


def _document(grades: Grades, grade: Final) -> Results:
    """The score is of all points of the lab. There is none without a grade."""
    share = grades.share(grade)
    if grade.result is None and grade.override is None:
        document = failed(not_graded.sentence(grade))
        return document if share is None else {**document, "score": 0}
    document = results(grade.result) if grade.result else failed("")
    reasons = [document["output"], grading.outcome(grade)]
    if share is None or ("score" not in document and grade.override is None):
        document.pop("score", None)
        document.pop("tests", None)
    else:
        document["score"] = round(share * grading.total(grade), 2)
        if grade.unmeasured:
            reasons.append(_counts_as(document["score"], grading.total(grade)))
    document["output"] = "\n".join(reason for reason in reasons if reason)
    return document


def _scores(grades: Grades) -> Iterator[list[str]]:
    """A row for each student, with the columns that Gradescope's own download of grades has."""
    pairs = [title for lab in grades.labs for title in (lab, f"{lab} - Max Points")]
    yield ["Name", "SID", "Email", *pairs]
    for student in grades.students:
        person = student.person
        row = [person.name or student.id, person.sis, person.email]
        for lab in grades.labs:
            grade = grades.by_student[student.id].get(lab)
            share = grades.share(grade) if grade else None
            if grade is None or share is None:
                row += ["", ""]
            else:
                most = grading.total(grade)
                row += [grading.number(share * most), grading.number(most) if most else ""]
        yield [plain_text.cell(plain_text.line(cell)) for cell in row]


def results(result: Result) -> Results:
    """A test for each check. The score counts what was measured on this machine. There is none
    where the grader or the machine kept a check from being measured."""
    if any(check.verdict == "error" for check in result.checks):
        return failed(f"{FAULT}\n{_summary(result)}")
    return {
        "score": result.score.earned,
        "output": _summary(result),
        "output_format": "text",
        "visibility": "visible",
        "tests": [
            _test(check) for check in result.checks if check.verdict != "skip" or check.needs
        ],
    }


def scaled(document: Results, score: Score) -> Results:
    """The document with a score of all points of the lab, by the rule of every export: the points
    that were measured represent the whole."""
    if "score" not in document or not score.measured:
        return document
    points = round(score.earned / score.measured * score.total, 2)
    if score.measured == score.total:
        return document
    output = f"{document['output']}\n{_counts_as(points, score.total)}"
    return {**document, "score": points, "output": output}


def _counts_as(points: float, total: float) -> str:
    return f"That counts as {grading.number(points)} of the lab's {grading.number(total)} points"


def together(documents: list[Results]) -> Results:
    """One document for several labs that were handed in at once."""
    reasons = [document["output"] for document in documents if "score" not in document]
    if reasons:
        return failed("\n".join(reasons))
    return {
        "score": sum(document["score"] for document in documents),
        "output": "\n".join(document["output"] for document in documents),
        "output_format": "text",
        "visibility": "visible",
        "tests": [test for document in documents for test in document.get("tests", [])],
    }


def ungraded(reason: str) -> Results:
    """A document without tests, which says why nothing was graded."""
    return {"score": 0, "output": reason, "output_format": "text", "visibility": "visible"}


def failed(reason: str) -> Results:
    """A document without a score and without tests: Gradescope takes it for an autograder that
    failed, and not for 0 points."""
    return {"output": reason, "output_format": "text", "visibility": "visible"}


def _summary(result: Result) -> str:
    """The score, and the points that were not measured: they must not look lost."""
    score = result.score
    lines = [f"{result.lab}: {score.earned:g} of the {score.measured:g} points measured here"]
    lines += [f"{rest.points:g} points {rest.reason}" for rest in score.unmeasured]
    return "\n".join(lines)


def _test(check: Check) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": check.title(),
        "score": check.points,
        "max_score": check.max_points if check.verdict in ("pass", "fail", "skip") else 0,
        "output": "\n".join(check.reasons()),
        "output_format": "text",
        "visibility": "visible",
    }
    if check.verdict in ("pass", "fail", "skip"):
        test["status"] = "passed" if check.verdict == "pass" else "failed"
    return test
