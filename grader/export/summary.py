"""The end of a bulk run on the terminal: scores, common mistakes, what was not graded and why."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict

from grader.bulk.store import Row, Store
from grader.export.feedback import result_of

MOST_NAMED = 5
MOST_REASONS = 12


def summary(store: Store) -> str:
    """Some lines a lab, then every submission that has no grade."""
    by_lab: dict[str, list[Row]] = defaultdict(list)
    for row in store.rows():
        by_lab[row.lab].append(row)
    lines: list[str] = []
    for lab in sorted(by_lab):
        lines += _lab(store, lab, by_lab[lab])
    lines += _not_graded([row for rows in by_lab.values() for row in rows if row.reason])
    late = sorted(student for student, note in store.notes().items() if "late" in note)
    if late:
        lines.append(f"late: {_few(late)}")
    return "\n".join(lines)


def _lab(store: Store, lab: str, rows: list[Row]) -> list[str]:
    scores: list[float] = []
    mistakes: Counter[str] = Counter()
    broken = full = 0
    most = 0.0
    for row in rows:
        result = result_of(store, row)
        if result is None:
            continue
        scores.append(result.score.earned)
        most = max(most, result.score.measured)
        full += result.exit_code == 0
        failed = [c for c in result.checks if c.verdict == "fail"]
        broken += any(c.kind == "build" for c in failed)
        mistakes.update({c.diagnosis for c in failed if c.diagnosis})
    states = Counter(row.status for row in rows)
    said = ", ".join(f"{states[s]} {s}" for s in ("graded", "missing", "rejected", "error"))
    lines = [f"{lab}  {said}"]
    if scores:
        middle = f"median {statistics.median(scores):g}, mean {statistics.fmean(scores):.1f}"
        lines.append(
            f"  of {most:g} points: {middle}, lowest {min(scores):g}; {full} have them all"
        )
    if broken:
        lines.append(f"  {broken} do not compile")
    if mistakes:
        common = sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))[:MOST_NAMED]
        named = (f"{name} ({count})" for name, count in common)
        lines.append(f"  most common: {', '.join(named)}")
    return lines


def _not_graded(rows: list[Row]) -> list[str]:
    """The reasons, each once, with those whom it concerns."""
    by_reason: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.status in ("rejected", "error"):
            by_reason[row.lab, row.status, row.reason].append(row.student)
    lines = [
        f"{lab}  {status}: {_few(students)}: {reason}"
        for (lab, status, reason), students in sorted(by_reason.items())
    ]
    rest = len(lines) - MOST_REASONS
    return [*lines[:MOST_REASONS], f"and {rest} more; feedback.txt says why"] if rest > 0 else lines


def _few(students: list[str]) -> str:
    named = ", ".join(students[:3])
    return f"{named} and {len(students) - 3} more" if len(students) > 3 else named
