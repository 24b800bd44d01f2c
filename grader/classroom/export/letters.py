"""A letter to each student: the grade of each lab, what changed since the run before and why, and
what to do. Nothing is sent: a text for each, and a table for a program that sends mail.
"""

from collections import defaultdict
from collections.abc import Iterator

from grader.classroom.bulk import comparison
from grader.classroom.bulk.store import Store
from grader.classroom.course.final import Final
from grader.classroom.export import grades as grading
from grader.classroom.export import not_graded
from grader.classroom.export.grades import Grades, number
from grader.model import plain_text
from grader.model.quoted import fenced
from grader.model.result import Check

TABLE = "letters.csv"
COLUMNS = ("student", "name", "email", "subject", "text")
MOST_CHECKS = 3  # of a lab: feedback.txt has all


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    """The file of each student, then the table. Raises StoreError."""
    changed = _changes(grades.store)
    rows = [list(COLUMNS)]
    for student, by_lab in sorted(grades.by_student.items()):
        finals = [by_lab[lab] for lab in grades.labs if lab in by_lab]
        person = finals[0].student.person
        subject = "; ".join(_grade(final) for final in finals)
        lines = [f"Dear {plain_text.line(person.name) or student},", ""]
        for final in finals:
            lines += [*_of_lab(final, changed[student, final.lab]), ""]
        share = grades.course_share(student) if len(grades.labs) > 1 else None
        lines += [f"Of the course's points you have {number(100 * share)} %.", ""] if share else []
        text = plain_text.document("\n".join(lines))
        yield f"{student}.txt", f"Subject: {plain_text.line(subject)}\n\n{text}".encode()
        rows.append([plain_text.cell(c) for c in (student, person.name, person.email, subject)])
        rows[-1].append(text)
    yield TABLE, plain_text.table(rows)


def _changes(store: Store) -> dict[tuple[str, str], list[str]]:
    """Of each student and lab, what the last run changed, in lines; none where it was the first."""
    numbers = store.history.numbers()
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    for change in comparison.changes(store, *numbers[-2:]) if len(numbers) > 1 else ():
        if change.moved:
            told[change.student, change.lab] = comparison.lines(change)
    return told


def _grade(final: Final) -> str:
    if final.points is None:
        return f"{final.lab}: no grade"
    return f"{final.lab}: {number(final.points)} of {number(final.out_of)} points"


def _of_lab(final: Final, changed: list[str]) -> list[str]:
    lines = [f"{_grade(final)}."]
    if final.points is None:
        lines.append(f"  {not_graded.sentence(final)}.")
    if outcome := grading.outcome(final):
        lines.append(f"  {outcome}")
    if changed:
        head, *why = changed
        lines += [f"  Since the last time:{head.partition(':')[2]}", *why]
    checks = final.result.checks if final.result else []
    failed = [check for check in checks if check.verdict == "fail"]
    # A message may be the program's own text, such as what #error says.
    lines += [f"  {line}" for line in fenced(map(_failed, failed[:MOST_CHECKS]))]
    if len(failed) > MOST_CHECKS:
        lines.append(f"  and {len(failed) - MOST_CHECKS} more checks, in feedback.txt")
    if failed:
        lines.append(f"  Begin with the first: ./grade {final.lab} on your machine explains it.")
    return lines


def _failed(check: Check) -> str:
    reason = "" if check.hidden or not check.message else f": {check.message[0]}"
    return f"{check.title()}{reason}"
