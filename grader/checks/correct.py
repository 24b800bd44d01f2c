"""One `correct` check: runs a case and says what came of it, in a student's words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grader.diagnose import explain, location
from grader.diagnose.mistake import Diagnosis
from grader.execute.case import PLAIN, REVERSED, Outcome, run
from grader.model.finding import Finding
from grader.model.result import Check, Verdict
from grader.model.spec import Case, Lab
from grader.model.submission import Submission
from grader.oracle import cache, compare
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS

UNSOLVED = "cudaErrorNotSupported"  # what the functions of a starter return


@dataclass(frozen=True)
class Wrong:
    """A wrong output of a public case, with all that it was made from."""

    case: Case
    operation: str
    given: Inputs
    seen: Comparison


def check(
    submission: Submission,
    case: Case,
    binary: Path,
    backend: str,
    work: Path,
    keep: Callable[[Wrong], None] | None = None,
    watched: Callable[[], list[Finding]] = list,
) -> Check:
    """Runs and judges one case. `keep` is told of a wrong output, but never of a hidden case's.
    `watched`: what a run of the part under all checks finds, asked for where the outcome does not
    explain itself.

    Raises OSError or DatasetMissing for what is not the student's.
    """
    lab = submission.lab
    if case.inject and backend != "sim":
        return _made(lab, case, "skip", ["only the simulator can make a CUDA call fail"])
    prepared = cache.prepared(lab, case)
    given = prepared.inputs
    outcome = run(lab, case, binary, given, work, gpu=backend == "gpu")
    if outcome.end == "our-fault":
        return _made(lab, case, "error", [f"the runner failed: {outcome.reason}"], outcome)
    if case.inject:
        return _judge_failure(submission, case, case.inject, outcome)
    if outcome.end != "completed" or outcome.status is None or outcome.output is None:
        if outcome.end == "crashed" and not outcome.findings:
            outcome = replace(outcome, findings=watched()[:1])
        lines = [outcome.reason, *_findings(outcome), *_printed(outcome), *_why(case)]
        if outcome.end == "timeout":
            lines.insert(1, "look for a loop that never ends, or that does far more than it must")
        return _made(lab, case, "fail", lines, outcome, outcome.end)
    if outcome.status.returned != 0:
        return _returned_error(submission, case, outcome, outcome.status.error)
    if _broken_guards(outcome):
        lines = ["memory just before or after the output was overwritten", *_findings(outcome)]
        return _made(lab, case, "fail", lines, outcome, "wrote-outside")
    seen = compare.compare(outcome.output, prepared.expected)
    if seen.right():
        return _made(lab, case, "pass", [], outcome)
    operation = lab.part_of(case).operation
    if keep and not case.hidden:
        keep(Wrong(case, operation, given, seen))
    found = _explained(submission, case, operation, given, seen, outcome)
    if seen.unwritten.any() or found is None:
        more = watched() if not any(f.severity == "error" for f in outcome.findings) else []
        if race := next((f for f in more if f.kind.endswith("-race")), None):
            return _raced(lab, case, operation, seen, outcome, race)
        outcome = replace(outcome, findings=[*outcome.findings, *more[:1]])
    if found is None and _changes(submission, case, binary, backend, given, outcome, work):
        found = Diagnosis(
            "order-dependent",
            "another run gives another result: it depends on the order in which threads run; look "
            "for a variable that they share, or a value that one writes and another uses",
        )
    return _wrong(submission, case, operation, given, seen, outcome, found)


def _returned_error(submission: Submission, case: Case, outcome: Outcome, error: str) -> Check:
    """An error where there should be a result; a TODO is to blame for that of a starter only."""
    lines = [f"your function returned {error}", *_findings(outcome)]
    lines += _open_todo(submission, case) if error == UNSOLVED else []
    return _made(submission.lab, case, "fail", lines, outcome, "returned-error")


def _raced(
    lab: Lab, case: Case, operation: str, seen: Comparison, outcome: Outcome, race: Finding
) -> Check:
    """What is wrong where says nothing then: it depends on which thread came first. So all cases
    say the same, and a grade shows it once."""
    lines = [
        race.render(),
        f"some {OPERATIONS[operation].things()} differ, and which ones depends on the order in "
        "which threads run: look at the race first",
        *_why(case),
    ]
    details = {"wrong_pixels": seen.count(), "pixels": seen.got.size}
    return _made(lab, case, "fail", lines, outcome, race.kind, details)


def _explained(
    submission: Submission,
    case: Case,
    operation: str,
    given: Inputs,
    seen: Comparison,
    outcome: Outcome,
) -> Diagnosis | None:
    """The mistake, where it is known. What the simulator saw is better than any guess about pixels
    that were not written."""
    on_host = submission.lab.backends == ["cpu"]
    found = explain.explain(case, operation, given, seen, on_host)
    errors = [f for f in outcome.findings if f.severity == "error"]
    if errors and seen.unwritten.any():
        things = OPERATIONS[operation].things()
        missing = f"{int(seen.unwritten.sum())} of {seen.got.size} {things} were never written"
        return Diagnosis(errors[0].kind, missing)
    return found


def _changes(
    submission: Submission,
    case: Case,
    binary: Path,
    backend: str,
    given: Inputs,
    outcome: Outcome,
    work: Path,
) -> bool:
    """Does another run, on the simulator with threads and blocks in reverse, give other bits?"""
    mode = REVERSED if backend == "sim" else PLAIN
    again = run(submission.lab, case, binary, given, work, mode)
    if again.output is None or outcome.output is None:
        return False
    return again.output.tobytes() != outcome.output.tobytes()


def _made(
    lab: Lab,
    case: Case,
    verdict: Verdict,
    lines: list[str],
    outcome: Outcome | None = None,
    diagnosis: str | None = None,
    details: Mapping[str, float] | None = None,
) -> Check:
    """The check of a case. A hidden one shows its rationale and hint, never its input."""
    if case.hidden and verdict == "fail":
        lines = [line for line in [case.rationale, case.hint and f"hint: {case.hint}"] if line]
        details = {}
        diagnosis = None
    return Check(
        id=f"{lab.id}/{case.part}/{case.name}",
        name=case.name,
        kind="correct",
        verdict=verdict,
        points=case.points if verdict == "pass" else 0,
        max_points=case.points,
        part=case.part,
        hidden=case.hidden,
        message=lines,
        diagnosis=diagnosis,
        details=dict(details or {}),
        seconds=round(outcome.seconds, 4) if outcome else 0,
    )


def _judge_failure(submission: Submission, case: Case, inject: str, outcome: Outcome) -> Check:
    """A CUDA call was made to fail: the student's function must say so, and not crash."""
    lab = submission.lab
    call, number = inject.split(":")
    what = (
        f"kernel launch {number}" if call == "launch" else f"call {number} of {call}() in your code"
    )
    lines = [f"{what} was made to fail, as may happen on a full or broken GPU"]
    if outcome.end != "completed" or outcome.status is None:
        lines.append(f"your program {outcome.reason}")
        return _made(lab, case, "fail", lines, outcome, "error-not-handled")
    if not any(f.kind == "injected" for f in outcome.findings):
        returned = outcome.status.error if outcome.status.returned else ""
        if returned == UNSOLVED:
            return _returned_error(submission, case, outcome, returned)
        before = f": it returned {returned} before" if returned else ""
        lines = [f"this check makes {what} fail, and your function never came to it{before}"]
        lines += _findings(outcome)
        return _made(lab, case, "fail", lines, outcome, "call-not-made")
    if outcome.status.returned == 0:
        lines.append("your function returned cudaSuccess all the same; check every call's result")
        lines += _findings(outcome)
        return _made(lab, case, "fail", lines, outcome, "error-not-checked")
    if outcome.status.returned < 0:  # the lab's driver says so: no error code of CUDA's is negative
        lines.append(f"your function returned {outcome.status.error}")
        return _made(lab, case, "fail", lines, outcome, "leak-on-error")
    leaks = [f for f in outcome.findings if f.kind == "leak"]
    if leaks:
        lines.append("your function reported it but left memory behind:")
        lines += [leak.render() for leak in leaks[:3]]
        return _made(lab, case, "fail", lines, outcome, "leak-on-error")
    return _made(lab, case, "pass", [], outcome)


def _wrong(
    submission: Submission,
    case: Case,
    operation: str,
    given: Inputs,
    seen: Comparison,
    outcome: Outcome,
    found: Diagnosis | None,
) -> Check:
    place = seen.first()
    got, want = float(seen.got[place]), float(seen.expected.value[place])
    out = OPERATIONS[operation]
    lines = []
    if not found or found.name != "nothing-written":
        where = location.wrong_elements(operation, given, seen)
        lines.append(f"{seen.count()} of {seen.got.size} {out.things()} differ: {where}")
        lines.append(
            f"out{out.subscript(place)}{location.first_in_tile(operation, seen)} = "
            f"{compare.number(got, seen.got.dtype)}, "
            f"want {_wanted(seen, place)}{_against_bound(seen, place)}"
        )
    if found:
        lines.append(found.text)
        begun = any(f.severity == "error" for f in outcome.findings)
        unbegun = found.name == "nothing-written" and not begun
        lines += _open_todo(submission, case) if unbegun else []
    lines += _findings(outcome)
    lines += _why(case)
    details = {"wrong_pixels": seen.count(), "pixels": seen.got.size, "want": want}
    details |= dict(zip(out.axes, place, strict=True))
    if math.isfinite(got):
        details["got"] = got
    name = found.name if found else None
    return _made(submission.lab, case, "fail", lines, outcome, name, details)


def _wanted(seen: Comparison, place: tuple[int, ...]) -> str:
    """The value, or the two bytes that are right where it lies half way between them."""
    want, kind = seen.expected.value[place], seen.got.dtype
    bound = seen.expected.bound[place]
    if kind == np.uint8 and bound:
        return f"{float(want - bound):g} or {float(want + bound):g}"
    return compare.number(float(want), kind)


def _why(case: Case) -> list[str]:
    return [f"this case: {case.why}"] if case.why else []


def _against_bound(seen: Comparison, place: tuple[int, ...]) -> str:
    if seen.got.dtype == np.uint8:
        return ""
    times = seen.times_bound(place)
    if not math.isfinite(times) or times == 0:
        exact = not seen.expected.bound.any()
        return "; every bit must agree" if exact and times else ""
    return f"; the error is {times:.2g} times the rounding bound"


def _findings(outcome: Outcome) -> list[str]:
    """What the simulator noticed, errors first, a few. That a launch was refused is only a note
    when the program asked for the error, but it says why."""
    errors: list[Finding] = [f for f in outcome.findings if f.severity == "error"]
    refused = [f for f in outcome.findings if f.severity == "note" and f.kind == "invalid-launch"]
    return [f.render() for f in [*errors, *refused][:3]]


def _open_todo(submission: Submission, case: Case) -> list[str]:
    """Where to begin, if the part's file still says so: with what follows the part's heading, since
    what is above it may be done and its comment still there."""
    todo = submission.first_todo(submission.lab.file_of(case), case.part)
    return [f"begin with the TODO at {todo}"] if todo else []


def _printed(outcome: Outcome) -> list[str]:
    lines = outcome.printed.splitlines()
    if not lines:
        return []
    last = "".join(c if c.isprintable() else "?" for c in lines[-1])[:200]
    return [f"the last line that it printed: {last}"]


def _broken_guards(outcome: Outcome) -> bool:
    return outcome.status is not None and any(
        o.get("guards") not in (None, "intact") for o in outcome.status.outputs
    )
