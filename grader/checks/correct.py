"""A `correct` check: runs one case, compares the output and explains what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grader.diagnose import explain, location
from grader.diagnose.mistake import Diagnosis
from grader.execute.case import Outcome, Status, run
from grader.execute.modes import PLAIN, REVERSED
from grader.model.finding import Finding
from grader.model.result import Check
from grader.model.spec import Case, Lab
from grader.model.submission import Submission
from grader.model.verdicts import grade_line
from grader.oracle import cache, compare
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS

UNSOLVED = 801  # cudaErrorNotSupported, which the functions of a starter return


@dataclass(frozen=True)
class Wrong:
    """The wrong output of a public case, with all that it was made from."""

    case: Case
    operation: str
    inputs: Inputs
    comparison: Comparison


@dataclass(frozen=True)
class _Run:
    """One case and how its run ended."""

    submission: Submission
    case: Case
    outcome: Outcome

    @property
    def lab(self) -> Lab:
        return self.submission.lab

    @property
    def operation(self) -> str:
        return self.lab.part_of(self.case).operation

    def passed(self) -> Check:
        return grade_line(self.lab, self.case, "pass", seconds=self.outcome.seconds)

    def failed(
        self,
        lines: Sequence[str],
        diagnosis: str | None,
        details: Mapping[str, float] | None = None,
    ) -> Check:
        return grade_line(
            self.lab,
            self.case,
            "fail",
            lines,
            diagnosis=diagnosis,
            details=details,
            seconds=self.outcome.seconds,
        )


def check(
    submission: Submission,
    case: Case,
    binary: Path,
    backend: str,
    work: Path,
    keep: Callable[[Wrong], None] | None = None,
    instrumented_findings: Callable[[], list[Finding]] = list,
) -> Check:
    """Runs and judges one case. `work`: a folder for the run's files.

    keep: is given a wrong output, but never a hidden case's. instrumented_findings: what the
    instrumented program finds in this part; asked for where the run itself does not explain why it
    went wrong.
    Raises OSError or DatasetMissing, for which the student is not to blame.
    """
    lab = submission.lab
    if case.inject and backend != "sim":
        return grade_line(lab, case, "skip", ["only the simulator can make a CUDA call fail"])
    prepared = cache.prepared(lab, case)
    outcome = run(lab, case, binary, prepared.inputs, work, gpu=backend == "gpu")
    this = _Run(submission, case, outcome)
    if outcome.end == "our-fault":
        lines = [f"the runner failed: {outcome.reason}"]
        return grade_line(lab, case, "error", lines, seconds=outcome.seconds)
    if case.inject:
        return _injected_failure(this, case.inject)
    if outcome.end != "completed" or outcome.status is None or outcome.output is None:
        return _no_output(this, instrumented_findings)
    if outcome.status.returned != 0:
        return _returned_error(this, outcome.status)
    if _guards_are_broken(outcome):
        lines = ["your function wrote to memory just before or after the output"]
        return this.failed([*lines, *_findings(outcome)], "wrote-outside")
    comparison = compare.compare(outcome.output, prepared.expected)
    if comparison.right():
        return this.passed()
    if keep and not case.hidden:
        keep(Wrong(case, this.operation, prepared.inputs, comparison))
    diagnosis = _explained(this, prepared.inputs, comparison)
    if comparison.unwritten.any() or diagnosis is None:
        more = [] if _errors(outcome) else instrumented_findings()
        if race := next((f for f in more if f.kind.endswith("-race")), None):
            return _data_race(this, comparison, race)
        outcome = replace(outcome, findings=[*outcome.findings, *more[:1]])
        this = replace(this, outcome=outcome)
    if diagnosis is None and _another_run_differs(this, binary, backend, prepared.inputs, work):
        diagnosis = Diagnosis(
            "order-dependent",
            "a second run gives another result, so it depends on the order in which threads run: "
            "look for a variable that threads share, or a value that one thread writes and another "
            "uses",
        )
    return _wrong_output(this, prepared.inputs, comparison, diagnosis)


def _no_output(this: _Run, instrumented_findings: Callable[[], list[Finding]]) -> Check:
    """The program crashed, was stopped, or ended before the student's function returned."""
    outcome = this.outcome
    if outcome.end == "crashed" and not outcome.findings:
        outcome = replace(outcome, findings=instrumented_findings()[:1])
    lines = [outcome.reason]
    if outcome.end == "timeout":
        lines.append("look for a loop that never ends, or that does far more work than it must")
    lines += [*_findings(outcome), *_last_printed(outcome), *_why(this.case)]
    return this.failed(lines, outcome.end)


def _returned_error(this: _Run, status: Status) -> Check:
    """The function returned an error where it should compute. Only what a starter returns points to
    a TODO."""
    lines = [status.error, *_findings(this.outcome)]
    lines += _open_todo(this) if status.returned == UNSOLVED else []
    return this.failed(lines, "returned-error")


def _data_race(this: _Run, comparison: Comparison, race: Finding) -> Check:
    """Which pixels are wrong then says nothing: it depends on which thread came first. All cases of
    the part give the same lines, so that a grade shows them once."""
    things = OPERATIONS[this.operation].things()
    lines = [
        race.render(),
        f"which {things} are wrong depends on the order in which threads run: fix the data race "
        "first",
        *_why(this.case),
    ]
    details = {"wrong_pixels": comparison.count(), "pixels": comparison.got.size}
    return this.failed(lines, race.kind, details)


def _explained(this: _Run, inputs: Inputs, comparison: Comparison) -> Diagnosis | None:
    """The mistake, where it is known. A finding of the simulator says more than any guess about
    pixels that were not written."""
    on_host = this.lab.backends == ["cpu"]
    diagnosis = explain.explain(this.case, this.operation, inputs, comparison, on_host)
    errors = _errors(this.outcome)
    if errors and comparison.unwritten.any():
        things = OPERATIONS[this.operation].things()
        count = int(comparison.unwritten.sum())
        text = f"{count} of {comparison.got.size} {things} were never written"
        return Diagnosis(errors[0].kind, text)
    return diagnosis


def _another_run_differs(
    this: _Run, binary: Path, backend: str, inputs: Inputs, work: Path
) -> bool:
    """Does a second run give other bits? On the simulator its threads and blocks run in reverse."""
    mode = REVERSED if backend == "sim" else PLAIN
    again = run(this.lab, this.case, binary, inputs, work, mode)
    if again.output is None or this.outcome.output is None:
        return False
    return again.output.tobytes() != this.outcome.output.tobytes()


def _injected_failure(this: _Run, inject: str) -> Check:
    """A CUDA call was made to fail: the student's function must return its error and not crash."""
    outcome = this.outcome
    call, number = inject.split(":")
    failing = f"kernel launch {number}" if call == "launch" else f"call {number} of {call}()"
    lines = [f"{failing} in your code was made to fail, as can happen on a full or broken GPU"]
    if outcome.end != "completed" or outcome.status is None:
        return this.failed([*lines, f"your program {outcome.reason}"], "error-not-handled")
    returned = outcome.status.returned
    error = outcome.status.error
    if not any(f.kind == "injected" for f in outcome.findings):
        if returned == UNSOLVED:
            return _returned_error(this, outcome.status)
        before = f": {error}" if returned else ""
        lines = [f"this check makes {failing} fail, but your code never reached it{before}"]
        return this.failed([*lines, *_findings(outcome)], "call-not-made")
    if returned == 0:
        lines.append(
            "but your function still returned cudaSuccess; check the return value of every CUDA "
            "call"
        )
        return this.failed([*lines, *_findings(outcome)], "error-not-checked")
    if returned < 0:  # the lab's driver noticed it: no error code of CUDA's is negative
        return this.failed([*lines, error], "leak-on-error")
    leaks = [f.render() for f in outcome.findings if f.kind == "leak"]
    if leaks:
        lines.append("your function returned the error but did not free its memory:")
        return this.failed([*lines, *leaks[:3]], "leak-on-error")
    return this.passed()


def _wrong_output(
    this: _Run, inputs: Inputs, comparison: Comparison, diagnosis: Diagnosis | None
) -> Check:
    """How much is wrong and where, the first wrong element, and the mistake where it is known."""
    index = comparison.first()
    got, expected = float(comparison.got[index]), float(comparison.expected.value[index])
    operation = OPERATIONS[this.operation]
    lines = []
    if not diagnosis or diagnosis.name != "nothing-written":
        where = location.wrong_elements(this.operation, inputs, comparison)
        count, size = comparison.count(), comparison.got.size
        lines.append(f"{count} of {size} {operation.things()} differ: {where}")
        in_tile = location.first_in_tile(this.operation, comparison)
        lines.append(
            f"out{operation.subscript(index)}{in_tile} = "
            f"{compare.number(got, comparison.got.dtype)}, "
            f"expected {_expected(comparison, index)}{_error_size(comparison, index)}"
        )
    if diagnosis:
        lines.append(diagnosis.text)
        if diagnosis.name == "nothing-written" and not _errors(this.outcome):
            lines += _open_todo(this)
    lines += [*_findings(this.outcome), *_why(this.case)]
    details = {"wrong_pixels": comparison.count(), "pixels": comparison.got.size, "want": expected}
    details |= dict(zip(operation.axes, index, strict=True))
    if math.isfinite(got):
        details["got"] = got
    return this.failed(lines, diagnosis.name if diagnosis else None, details)


def _expected(comparison: Comparison, index: tuple[int, ...]) -> str:
    """The expected value; for a byte that lies half-way between two values, both."""
    value, kind = comparison.expected.value[index], comparison.got.dtype
    bound = comparison.expected.bound[index]
    if kind == np.uint8 and bound:
        return f"{float(value - bound):g} or {float(value + bound):g}"
    return compare.number(float(value), kind)


def _error_size(comparison: Comparison, index: tuple[int, ...]) -> str:
    """The error as a multiple of the rounding bound, where that says something."""
    if comparison.got.dtype == np.uint8:
        return ""
    times = comparison.times_bound(index)
    if not math.isfinite(times) or times == 0:
        exact = not comparison.expected.bound.any()
        return "; every bit must agree" if exact and times else ""
    return f"; the error is {times:.2g} times the rounding bound"


def _why(case: Case) -> list[str]:
    return [f"this case: {case.why}"] if case.why else []


def _errors(outcome: Outcome) -> list[Finding]:
    return [f for f in outcome.findings if f.severity == "error"]


def _findings(outcome: Outcome) -> list[str]:
    """A few findings of the simulator, errors first. A refused launch is only a note when the
    program asked for its error, but it says why."""
    refused = [f for f in outcome.findings if f.severity == "note" and f.kind == "invalid-launch"]
    return [f.render() for f in [*_errors(outcome), *refused][:3]]


def _open_todo(this: _Run) -> list[str]:
    """Where to begin, while the part's file still has a TODO: at the first one below the part's
    heading, since those above may be done with their comments still there."""
    todo = this.submission.first_todo(this.lab.file_of(this.case), this.case.part)
    return [f"begin with the TODO at {todo}"] if todo else []


def _last_printed(outcome: Outcome) -> list[str]:
    lines = outcome.printed.splitlines()
    if not lines:
        return []
    last = "".join(c if c.isprintable() else "?" for c in lines[-1])[:200]
    return [f"the last line that your program printed: {last}"]


def _guards_are_broken(outcome: Outcome) -> bool:
    return outcome.status is not None and any(
        output.get("guards") not in (None, "intact") for output in outcome.status.outputs
    )
