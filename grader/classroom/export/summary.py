"""The end of a bulk run on the terminal: scores, common mistakes, and what was not graded."""

import statistics
from collections import Counter, defaultdict

from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt
from grader.classroom.export.grades import Grades
from grader.model import outline
from grader.model.plain_text import few
from grader.render.sandbox import sandbox_in_words

MOST_MISTAKES = 5  # of a lab that are named
MOST_REASONS = 12
MOST_STUDENTS = 3  # that are named with a reason


def summary(grades: Grades) -> str:
    """A few lines for each lab, then the submissions without a grade."""
    store = grades.store
    by_lab: dict[str, list[Attempt]] = defaultdict(list)
    for row in store.rows():
        by_lab[row.lab].append(row)
    lines: list[str] = []
    for lab in outline.in_order(by_lab):
        lines += _lab(store, lab, by_lab[lab])
    lines += _not_graded([row for rows in by_lab.values() for row in rows if row.reason])
    by_note: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in (row for rows in by_lab.values() for row in rows):
        for note in row.remarks:
            by_note[row.lab, note].append(row.student)
    lines += [f"{lab}  {few(who, MOST_STUDENTS)}: {note}" for (lab, note), who in by_note.items()]
    late = dict.fromkeys(each.student.id for each in grades.every if each.late.days)
    if late:
        lines.append(f"late: {few([*late], MOST_STUDENTS)}")
    return "\n".join(lines)


def _lab(store: Store, lab: str, rows: list[Attempt]) -> list[str]:
    scores: list[float] = []
    mistakes: Counter[str] = Counter()
    sandboxes: set[str] = set()
    not_compiling = full_marks = 0
    most = 0.0
    for row in rows:
        result = store.result_of(row)
        if result is None:
            continue
        scores.append(result.score.earned)
        sandboxes |= {sandbox_in_words(result.sandbox)} if result.sandbox else set()
        most = max(most, result.score.measured)
        full_marks += result.exit_code == 0
        failed = [c for c in result.checks if c.verdict == "fail"]
        not_compiling += any(c.kind == "build" for c in failed)
        mistakes.update({c.diagnosis for c in failed if c.diagnosis})
    counts = Counter(row.status for row in rows)
    states = ", ".join(f"{counts[s]} {s}" for s in ("graded", "missing", "rejected", "error"))
    states += f", {counts['wrong name']} under a wrong name" if counts["wrong name"] else ""
    lines = [f"{lab}  {states}"]
    if scores:
        average = f"median {statistics.median(scores):g}, mean {statistics.fmean(scores):.1f}"
        lines.append(
            f"  points, of {most:g}: {average}, lowest {min(scores):g}; "
            f"full marks: {full_marks} of {len(scores)}"
        )
    lines += [f"  sandbox: {sandbox}" for sandbox in sorted(sandboxes)]
    if not_compiling:
        lines.append(f"  do not compile: {not_compiling}")
    if mistakes:
        common = sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))[:MOST_MISTAKES]
        named = (f"{name} ({count})" for name, count in common)
        lines.append(f"  most common mistakes: {', '.join(named)}")
    return lines


def _not_graded(rows: list[Attempt]) -> list[str]:
    """Each reason once, with the students whom it concerns."""
    by_reason: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.status in ("rejected", "wrong name", "error"):
            by_reason[row.lab, row.status, row.reason].append(row.student)
    lines = [
        f"{lab}  {status}: {few(students, MOST_STUDENTS)}: {reason}"
        for (lab, status, reason), students in sorted(by_reason.items())
    ]
    rest = len(lines) - MOST_REASONS
    if rest <= 0:
        return lines
    return [*lines[:MOST_REASONS], f"and {rest} more reasons: see each student's feedback.txt"]
