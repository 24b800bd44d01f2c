"""One `safe` check: the program ran under every check there is, and nothing was found."""

from __future__ import annotations

import numpy as np

from grader.execute.instrumented import Checked, Runner
from grader.model.finding import Finding
from grader.model.result import Check, Verdict
from grader.model.spec import Safe
from grader.model.submission import Submission
from grader.oracle import compare
from grader.oracle.operations import OPERATIONS, Operation

MOST = 3  # findings that are shown
NOT_RACED = (
    "not checked for races between threads: the file uses more of OpenMP than loops, sections, "
    "single, barriers, critical, atomic and locks"
)


def check(submission: Submission, safe: Safe, runner: Runner, needs: str) -> Check:
    """Runs it, forwards and, on the simulator, backwards; a file in C, under the check for races.
    `needs`: what is said when the result is not right, and so
    nothing is proved. Raises OSError or DatasetMissing for what is not the student's."""
    if (raced := runner.raced(safe)) and (found := errors(raced)):
        return _found(submission, safe, raced, found)
    forwards = runner.forwards(safe)
    if forwards.outcome.end == "our-fault":
        lines = [f"the runner failed: {forwards.outcome.reason}"]
        return _made(submission, safe, "error", forwards, lines)
    if found := errors(forwards):
        return _found(submission, safe, forwards, found)
    if not forwards.right:
        return _made(submission, safe, "skip", forwards, needs=needs)
    backwards = runner.backwards(safe)
    remarks = [NOT_RACED] if runner.not_raced(safe) else []
    if backwards is None:
        return _made(submission, safe, "pass", forwards, remarks)
    if found := errors(backwards):
        return _found(submission, safe, backwards, found)
    if not _same(forwards, backwards):
        operation = OPERATIONS[submission.lab.part_of(safe).operation]
        lines = [_difference(operation, forwards, backwards)]
        lines.append(
            "the result depends on the order in which threads run, and a GPU promises none: look "
            "for a value that one thread writes and another uses, or a sum that many add to"
        )
        lines += _why(safe)
        return _made(submission, safe, "fail", backwards, lines, "order-dependent")
    return _made(submission, safe, "pass", forwards, remarks)


def errors(run: Checked) -> list[Finding]:
    """The findings that cost points, each kind at a place once."""
    seen: dict[tuple[str, str, str], Finding] = {}
    for finding in run.outcome.findings:
        if finding.severity == "error":
            seen.setdefault((finding.kind, finding.where(), finding.elsewhere()), finding)
    return list(seen.values())


def _found(submission: Submission, safe: Safe, run: Checked, found: list[Finding]) -> Check:
    lines = []
    for finding in found[:MOST]:
        lines.append(finding.render())
        lines += _sources(submission, finding)
    if len(found) > MOST:
        lines.append(f"and {len(found) - MOST} more; the first one often causes the others")
    if any(finding.kind == "thread-race" for finding in found):
        lines.append(
            "a variable that is declared inside of the parallel loop is each thread's own; one "
            "that is declared outside, or static, is everybody's"
        )
    lines += _why(safe)
    first = found[0]
    return _made(submission, safe, "fail", run, lines, first.kind)


def _sources(submission: Submission, finding: Finding) -> list[str]:
    """The student's own line or, for a race, both."""
    places = [(finding.file, finding.line), (finding.other_file, finding.other_line)]
    shown = []
    for file, line in dict.fromkeys(places):
        if text := submission.line(file, line):
            shown.append(f"    {line}: {text}" if finding.other_line else f"    {text}")
    return shown


def _same(a: Checked, b: Checked) -> bool:
    """Bit for bit; NaN equals NaN."""
    one, other = a.outcome.output, b.outcome.output
    return one is not None and other is not None and one.tobytes() == other.tobytes()


def _difference(operation: Operation, a: Checked, b: Checked) -> str:
    one, other = a.outcome.output, b.outcome.output
    if one is None or other is None:
        return f"with threads and blocks in reverse order your program {b.outcome.reason}"
    different = compare.bits(one) != compare.bits(other)
    place = tuple(int(i) for i in np.argwhere(different)[0])
    first, then = (compare.number(float(run[place]), run.dtype) for run in (one, other))
    return (
        f"{int(different.sum())} of {one.size} {operation.things()} change when threads and blocks "
        f"run in reverse order: out{operation.subscript(place)} = {first}, then {then}"
    )


def _why(safe: Safe) -> list[str]:
    return [f"this case: {safe.why}"] if safe.why else []


def _made(
    submission: Submission,
    safe: Safe,
    verdict: Verdict,
    run: Checked,
    lines: list[str] | None = None,
    diagnosis: str | None = None,
    needs: str | None = None,
) -> Check:
    return Check(
        id=f"{submission.lab.id}/{safe.part}/{safe.name}",
        name=safe.name,
        kind="safe",
        verdict=verdict,
        points=safe.points if verdict == "pass" else 0,
        max_points=safe.points,
        part=safe.part,
        message=lines or [],
        diagnosis=diagnosis,
        needs=needs,
        details={"findings": [f.kind for f in errors(run)]} if verdict == "fail" else {},
        seconds=round(run.outcome.seconds, 4),
    )
