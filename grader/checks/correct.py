"""A `correct` check: runs one case, compares the output and explains what is wrong with it."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from grader.checks import crash, other_runs, prerequisites
from grader.diagnose import location, source_text
from grader.diagnose.causes import WrongOutput
from grader.diagnose.explain import Hypothesis
from grader.diagnose.mistake import NO_RESULT, Diagnosis
from grader.execute import failing_calls
from grader.execute.case import Outcome, Status, run_case
from grader.execute.cases_together import run_together
from grader.execute.instrumented import Runner, is_quick
from grader.execute.modes import CHECKED, PLAIN
from grader.execute.profile import read_launches
from grader.model.finding import Finding
from grader.model.grade_line import grade_line
from grader.model.lab import Case, Input, Lab
from grader.model.result import Check
from grader.oracle import cache, compare, disk_cache, operations
from grader.oracle.cache import Prepared
from grader.oracle.compare import Comparison
from grader.oracle.operations import Operation
from grader.sandbox.ending import ADVICE
from grader.session.could_not_run import FAULTS
from grader.session.programs import Binary
from grader.session.report_data import Wrong
from grader.session.session import Session

# Findings after which a program computes with values that it has not stored, and where those are.
UNKNOWN_MEMORY = {
    "uninitialised-read": "uninitialized memory",
    "out-of-bounds": "memory outside of its array",
    "use-after-free": "memory that was already freed",
}
COPIED = "invalid-copy"  # bytes that cannot be meant
MOST_PRINTED = 5  # lines of the student's own that a message shows
MEANING = {
    "cudaErrorInvalidResourceHandle": "this stream or event was never created, or is destroyed: "
    "is its index inside of its array?",
}
UNSOLVED = 801  # cudaErrorNotSupported, which the functions of a starter return


@dataclass(frozen=True)
class Checked:
    """What a run with all checks on finds. smaller: the name of the check whose smaller input it
    was given; "" for the case's own. ran: there was such a run. threads, block: of its largest
    grid and of a block of that, across and down; None where nothing was launched, or for another
    input."""

    findings: Sequence[Finding] = ()
    smaller: str = ""
    ran: bool = False
    threads: tuple[int, int] | None = None
    block: tuple[int, int] | None = None

    def lines(self) -> list[str]:
        """The first finding. Where it is of another input, that comes first."""
        if not self.findings:
            return []
        where = [f"on the smaller input of the check '{self.smaller}':"] if self.smaller else []
        return [*where, self.findings[0].render()]

    def kind(self) -> str | None:
        """What a case is named by that nothing else explains: never by what another input shows."""
        return self.findings[0].kind if self.findings and not self.smaller else None

    def left_early(self) -> bool:
        """Do threads wait at a barrier for others that have left the kernel?"""
        return not self.smaller and any(f.kind == "barrier-divergence" for f in self.findings)

    def reads(self) -> str | None:
        """The memory of unknown content that was read, in words; "": none; None: not known."""
        for finding in self.findings:
            if finding.kind in UNKNOWN_MEMORY and finding.verb != "write":
                return UNKNOWN_MEMORY[finding.kind]
        return "" if self.ran and not self.smaller else None


@dataclass(frozen=True)
class _Run:
    """One case, its input and expected result, and how its run ended."""

    session: Session
    case: Case
    binary: Binary
    prepared: Prepared
    outcome: Outcome

    @property
    def lab(self) -> Lab:
        return self.session.lab

    @property
    def operation(self) -> Operation:
        return operations.of(self.lab, self.case.part)

    def source(self) -> str:
        """The student's file."""
        return self.session.submission.text(self.lab.file_of(self.case))

    def passed(self) -> Check:
        seconds = self.outcome.seconds
        return grade_line(self.lab, self.case, "pass", details=self._printed(), seconds=seconds)

    def at_fault(self) -> Check:
        lines = [f"the runner failed: {self.outcome.reason}"]
        return grade_line(self.lab, self.case, "error", lines, seconds=self.outcome.seconds)

    def _printed(self) -> dict[str, list[str]]:
        """What the student's program printed; of a hidden case, whose input it may be, nothing."""
        printed = [] if self.case.hidden else list(self.outcome.printed)
        return {"printed": printed} if printed else {}

    def failed(
        self,
        lines: Sequence[str],
        diagnosis: str | None,
        details: Mapping[str, float] | None = None,
    ) -> Check:
        printed = self.outcome.printed
        lines = [*lines, *(["your program printed:"] if printed else [])]
        lines += [f"    {line}" for line in printed[:MOST_PRINTED]]
        if len(printed) > MOST_PRINTED:
            lines.append(f"and {len(printed) - MOST_PRINTED} more lines, which -v shows")
        check = grade_line(
            self.lab,
            self.case,
            "fail",
            lines,
            diagnosis=diagnosis,
            details={**(details or {}), **self._printed()},
            seconds=self.outcome.seconds,
        )
        if self.case.hidden and (instead := self._instead_of_a_hint()):
            check = msgspec.structs.replace(check, message=instead)
        return check

    def _instead_of_a_hint(self) -> list[str]:
        """What a hidden check says where its hint could be about another mistake than the one that
        the part's public checks have shown; [] where they show none."""
        part, so_far = self.case.part, self.session.so_far
        if prerequisites.not_begun(so_far, part):
            return [f"part {part} has produced no result yet, not even in its first check"]
        injected = {c.name: bool(c.inject) for c in self.lab.case if not c.hidden}
        for check in (c for c in so_far if c.part == part and c.verdict == "fail"):
            if injected.get(check.name) == bool(self.case.inject):
                first = f"the check '{check.name}' fails, too: begin with that one"
                return [*filter(None, [self.case.rationale]), first]
        return []


def judge_case(session: Session, case: Case, binary: Binary) -> Check:
    """Runs and judges one case. Raises OSError or DatasetMissing, for which the student is not to
    blame."""
    lab = session.lab
    if case.inject and binary.backend != "sim":
        return grade_line(lab, case, "skip", ["only the simulator can make a CUDA call fail"])
    prepared = cache.prepared(lab, case)
    if case.inject:
        return _injected_failures(session, case, binary, prepared, case.inject)
    gpu = binary.backend == "gpu"
    if gpu and (passed := _passed_together(session, case, binary, prepared)):
        return passed
    outcome = run_case(lab, case, binary.file, prepared.inputs, session.work, gpu=gpu)
    this = _Run(session, case, binary, prepared, outcome)
    if outcome.end == "our-fault":
        return this.at_fault()
    if outcome.end != "completed" or outcome.status is None or outcome.output is None:
        return _no_output(this)
    if outcome.status.returned != 0:
        return _returned_error(this, outcome.status)
    may_cache, asked = (
        disk_cache.may_use(gpu),
        (this.operation.name, case.exact, case.signature(), case.seed),
    )
    outside = _outside(outcome)
    if may_cache and not outside and disk_cache.was_right(lab, asked, outcome.output):
        return this.passed()
    comparison = compare.compare(outcome.output, prepared.expected)
    if comparison.right():
        if outside:
            return this.failed([*outside, *_findings(outcome)], "wrote-outside")
        if may_cache:
            disk_cache.remember_right(lab, asked, outcome.output)
        return this.passed()
    if case.hidden:
        if not comparison.unwritten.any():
            _keep(this, _hypothesis(this, comparison, None), None, None)
        return this.failed([], None)  # it shows its hint and nothing else
    check = _explained(this, comparison)
    session.keep_wrong(Wrong(case, this.operation, prepared.inputs, comparison))
    return check


def _passed_together(
    session: Session, case: Case, binary: Binary, prepared: Prepared
) -> Check | None:
    """The line of a case that is right in one process with the part's other cases. None: it is not,
    or did not run to its end there; a process of its own then judges it."""
    if case.part not in session.together:
        session.together[case.part] = _run_together(session, case.part, binary)
    outcome = session.together[case.part].get(case.name)
    if outcome is None or outcome.status is None or outcome.output is None:
        return None
    is_right = outcome.status.returned == 0 and not _outside(outcome)
    if not is_right or not compare.compare(outcome.output, prepared.expected).right():
        return None
    return _Run(session, case, binary, prepared, outcome).passed()


def _run_together(session: Session, part: str, binary: Binary) -> dict[str, Outcome]:
    """The outcomes of a part's cases that one process ran to their end, by their names."""
    lab = session.lab
    planned = (p.check for p in session.plan.checks)
    cases = [c for c in planned if isinstance(c, Case) and c.part == part and not c.inject]
    given = []
    for case in cases:
        with suppress(*FAULTS):  # it has no input, which its own check reports
            given.append((case, cache.prepared(lab, case).inputs))
    if len(given) < 2:
        return {}
    outcomes = run_together(lab, given, binary.file, session.work)
    return {case.name: outcome for (case, _), outcome in zip(given, outcomes, strict=False)}


def _explained(this: _Run, comparison: Comparison) -> Check:
    """A wrong output, with what a run with all checks on finds where the run itself does not
    explain why it went wrong."""
    this.session.observer.failing(this.failed([], None))
    here = _errors(this.outcome)
    checked = Checked(here, ran=True) if here else None
    if comparison.unwritten.any() and checked is None:
        checked = _run_checked(this)
    hypothesis = _hypothesis(this, comparison, checked)
    named = hypothesis.diagnosis()
    if named is None and checked is None:
        checked = _run_checked(this)

    def line(diagnosis: Diagnosis | None) -> Check:
        return _said(this, comparison, diagnosis, checked, bool(here))

    _keep(this, hypothesis, named, line)
    return line(named)


def _keep(
    this: _Run,
    hypothesis: Hypothesis,
    named: Diagnosis | None,
    line: Callable[[Diagnosis | None], Check] | None,
) -> None:
    """Keeps a wrong output: a cause must explain all those of a part (causes.py)."""
    case, id_ = this.case, this.lab.id_of(this.case)
    output = WrongOutput(id_, case.part, case.hidden, named, hypothesis, line)
    this.session.wrong_outputs.append(output)


def _said(
    this: _Run,
    comparison: Comparison,
    diagnosis: Diagnosis | None,
    checked: Checked | None,
    found_here: bool,
) -> Check:
    """The line of a wrong output with that cause, or else with what a run with all checks on
    finds."""
    if diagnosis is None and checked is None:
        checked = _run_checked(this)
    found = Checked() if found_here or checked is None else checked
    if race := next((f for f in found.findings if f.kind.endswith("-race")), None):
        return _data_race(this, comparison, replace(found, findings=[race]))
    if diagnosis is None:
        diagnosis = _named(checked) or other_runs.compared(
            this.session, this.case, this.binary, this.prepared, this.outcome
        )
    elif diagnosis.name in NO_RESULT and checked and (kind := checked.kind()):
        # A finding in the case itself is a better name than that some pixels hold no result.
        diagnosis = Diagnosis(kind, diagnosis.text)
    return _wrong_output(this, comparison, diagnosis, found.lines())


def _run_checked(this: _Run) -> Checked:
    """What a run of the case with all checks on finds. A case that is too large for that has the
    first finding of its part's safe checks, which run anyway: a source line says more than pixels
    do."""
    runner = this.session.runner(f"{this.case.part}  {this.case.name}: FAIL; to say why: ")
    if runner is None:
        return Checked()
    with suppress(*FAULTS):  # the safe checks themselves report them
        if is_quick(this.lab, this.case, runner.backend):
            found = _all_errors(runner, this.case)
            return Checked(found, "", True, *_largest_grid(runner, this.case))
        for check in this.lab.safe:
            if check.part == this.case.part and (found := _all_errors(runner, check)):
                return Checked(found, check.name, ran=True)
    return Checked()


def _all_errors(runner: Runner, check: Input) -> list[Finding]:
    """What is wrong with a run, data races between OpenMP's threads first."""
    raced = runner.openmp_races(check)
    return [*(raced.errors() if raced else []), *runner.forwards(check).errors()]


def _largest_grid(runner: Runner, case: Case) -> list[tuple[int, int]]:
    """The threads of the largest grid that a case's run with all checks on launches, and those of
    one of its blocks; nothing where there is none."""
    launches = read_launches(runner.forwards(case).outcome.profile, strict=False)
    grids = [((g.grid[0] * g.block[0], g.grid[1] * g.block[1]), g.block[:2]) for g in launches]
    return list(max(grids, key=lambda grid: math.prod(grid[0]), default=()))


def _named(checked: Checked | None) -> Diagnosis | None:
    """The name of what was found in the case itself; the finding's own line says what it is."""
    return Diagnosis(kind, "") if checked and (kind := checked.kind()) else None


def _no_output(this: _Run) -> Check:
    """The program crashed, was stopped, or ended before the student's function returned."""
    outcome = this.outcome
    lines, name = _crash(this) or ([outcome.reason, *_findings(outcome)], str(outcome.end))
    if outcome.end in ADVICE:
        lines.insert(1, ADVICE[outcome.end])
    lines[:0] = _outside_the_image(this)
    if outcome.end == "crashed" and not outcome.findings and not this.case.hidden:
        this.session.observer.failing(this.failed([], None))
        lines += _run_checked(this).lines()
    lines += _why(this.case)
    return this.failed(lines, name)


def _outside_the_image(this: _Run) -> list[str]:
    """Of an access outside of its array: that its thread has no pixel, where it accesses the one
    that its block and thread count, as the offset shows; [] for any other."""
    shape = this.operation.axes[-2:]
    for f in _errors(this.outcome) if shape == ("y", "x") and not this.case.hidden else []:
        wide, high, deep = [*f.block_size, 0, 0, 0][:3]
        if f.kind == "out-of-bounds" and f.line and wide > 1 and high > 1 and deep == 1:
            height, width = this.prepared.inputs.image.shape[-2:]
            x, y = (f.block[i] * f.block_size[i] + f.thread[i] for i in (0, 1))
            element = f.object.bytes // (width * height) if f.object else 0
            if (x >= width or y >= height) and element and f.offset == (y * width + x) * element:
                where = f"line {f.line}: this thread has x = {x} and y = {y}"
                image = f"the image is {width}x{height}"
                return [f"{where}, and {image}: test x < width && y < height before the access"]
    return []


def _crash(this: _Run) -> tuple[list[str], str] | None:
    """What the crash was, where that is known, and its name."""
    known = [f for f in _errors(this.outcome) if f.kind in crash.NAMES]
    if this.outcome.end != "crashed" or not known:
        return None
    finding, submission = known[0], this.session.submission
    elsewhere = finding.kind == "protection-fault" and not crash.misaligned(submission, finding)
    if elsewhere and not this.case.hidden:
        # An optimized load is a part of the instruction that uses it, on a later line.
        found = (f for f in _run_checked(this).findings if crash.misaligned(submission, f))
        finding = next(found, finding)
    return crash.explain(submission, finding)


def _returned_error(this: _Run, status: Status) -> Check:
    """The function returned an error where it should compute. Only what a starter returns points to
    a TODO."""
    lines = [status.error, *_findings(this.outcome)]
    lines += [text for error, text in MEANING.items() if error in status.error]
    lines += _open_todo(this) if status.returned == UNSOLVED else []
    return this.failed(lines, "returned-error")


def _data_race(this: _Run, comparison: Comparison, race: Checked) -> Check:
    """Which pixels are wrong then says nothing: it depends on which thread came first."""
    things = this.operation.things()
    undivided = source_text.undivided_loop(this.source(), race.findings[0].line)
    lines = [
        *race.lines(),
        *([undivided.text] if undivided else []),
        *filter(None, [source_text.missing_barrier(this.source(), race.findings[0])]),
        f"which {things} are wrong depends on the order in which threads run: fix the data race "
        "first",
        *_why(this.case),
    ]
    details = {"wrong_pixels": comparison.count(), "pixels": comparison.got.size}
    name = undivided.name if undivided else race.findings[0].kind
    return this.failed(lines, name, details)


def _hypothesis(this: _Run, comparison: Comparison, checked: Checked | None) -> Hypothesis:
    """The wrong output, on which mistakes are tried."""
    return Hypothesis(
        this.case,
        this.operation,
        this.prepared.inputs,
        comparison,
        this.lab.backends == ["cpu"],
        reads=checked.reads() if checked else None,
        threads=checked.threads if checked else None,
        block=checked.block if checked else None,
        left_early=bool(checked and checked.left_early()),
        source=this.source(),
    )


def _injected_failures(
    session: Session, case: Case, plain: Binary, prepared: Prepared, inject: str
) -> Check:
    """Each call that the case names, of those that the program makes, fails in a run of its own:
    one of the traced program, whose host code can neither reach what decides which call fails nor
    see it."""
    runner = session.runner()
    file, mode = (runner.binary, CHECKED) if runner else (plain.file, PLAIN)

    def run(call: str | None) -> _Run:
        outcome = run_case(
            session.lab, case, file, prepared.inputs, session.work, mode, inject=call
        )
        return _Run(session, case, plain, prepared, outcome)

    counted = run(None)
    status = counted.outcome.status
    if counted.outcome.end == "completed" and status and status.returned not in (0, UNSOLVED):
        return _returned_error(counted, status)  # without any failure
    calls = failing_calls.numbers(counted.outcome.status or Status(False, 0), inject, case.seed)
    if not calls:
        return counted.at_fault() if counted.outcome.end == "our-fault" else _not_made(counted)
    for number in calls:
        this = run(f"call:{number}")
        check = this.at_fault() if this.outcome.end == "our-fault" else _injected_failure(this)
        if check.verdict != "pass":
            return check
    return check


def _not_made(this: _Run) -> Check:
    """None of the calls that the case names was made."""
    status = this.outcome.status
    if this.outcome.end != "completed" or status is None:
        return _no_output(this)
    if status.returned == UNSOLVED:
        return _returned_error(this, status)
    name, _, which = (this.case.inject or "").partition(":")
    call = "kernel launch" if name == "launch" else f"call of {name}()"
    before = f": {status.error}" if status.returned else ""
    lines = [f"this check makes a {which} {call}".replace("  ", " ")]
    lines[0] += f" fail, but your code never reached it{before}"
    return this.failed([*lines, *_findings(this.outcome)], "call-not-made")


def _injected_failure(this: _Run) -> Check:
    """A CUDA call was made to fail: the student's function must return its error and not crash."""
    outcome = this.outcome
    injected = next((f for f in outcome.findings if f.kind == "injected"), None)
    lines = [_made_to_fail(injected)] if injected else []
    if outcome.end != "completed" or outcome.status is None:
        lines += [f"check what each call returns; your program {outcome.reason}"]
        return this.failed([*lines, *_findings(outcome)], "error-not-handled")
    if injected is None:  # it makes other calls than in the run before
        return _not_made(this)
    returned = outcome.status.returned
    error = outcome.status.error
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


def _made_to_fail(injected: Finding) -> str:
    call = "a kernel launch" if injected.call == "launch" else f"{injected.call}()"
    where = f" at {injected.where()}" if injected.line else ""
    return f"{call}{where} in your code was made to fail, as can happen on a full or broken GPU"


def _wrong_output(
    this: _Run,
    comparison: Comparison,
    diagnosis: Diagnosis | None,
    found: Sequence[str],
) -> Check:
    """How much is wrong and where, the first wrong element, and the mistake where it is known."""
    index = comparison.first()
    got, expected = float(comparison.got[index]), float(comparison.expected.value[index])
    operation = this.operation
    reported, lines = this.outcome.findings, []
    needed = _needed_todo(this)
    cause = needed or (diagnosis.text if diagnosis else _warned_of(this))
    if diagnosis and diagnosis.name == "all-zero" and any(f.kind == COPIED for f in reported):
        cause = ""  # three guesses, where it is known
    if not diagnosis or diagnosis.name != "nothing-written":
        where = location.wrong_elements(this.operation, this.prepared.inputs, comparison)
        count = f"{comparison.count()} of {comparison.got.size} {operation.things()}"
        if cause.startswith(f"{count} "):  # the same elements, and what is wrong with them
            lines.append(cause if ": " in cause else f"{cause}: {where}")
            cause = ""
        else:
            lines += [f"{count} differ: {where}"] if comparison.got.size > 1 else []
        in_tile = location.first_in_tile(this.operation, comparison)
        lines.append(
            f"out{operation.subscript(index)}{in_tile} = "
            f"{compare.number(got, comparison.got.dtype)}, "
            f"expected {_expected(comparison, index)}{_error_size(comparison, index)}"
        )
    outside = _outside(this.outcome)
    first = found[:1] if len(found) == 1 else []  # of the case itself: it names the line
    lines[:0] = [*first, *([cause] if cause else []), *outside]  # what to fix comes first
    if diagnosis and diagnosis.name == "nothing-written" and not needed:
        begun = prerequisites.has_begun(this.session.so_far, this.case.part)
        lines += [] if begun or _errors(this.outcome) else _open_todo(this)
    lines += [*_findings(this.outcome), *found[len(first) :], *_why(this.case)]
    details = {"wrong_pixels": comparison.count(), "pixels": comparison.got.size, "want": expected}
    details |= dict(zip(operation.axes, index, strict=True))
    if math.isfinite(got):
        details["got"] = got
    name = diagnosis.name if diagnosis else "wrote-outside" if outside else None
    return this.failed(lines, name, details)


def _warned_of(this: _Run) -> str:
    """What the compiler warned of in the part's functions, where nothing else is known; or ""."""
    part, programs = this.case.part, this.session.programs
    causes = (c for c in programs.causes if c.explains_value(this.lab, part))
    return next((f"{c.render()}: that may be why the values are wrong" for c in causes), "")


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
    program asked for its error, but it says why. So is a copy that cannot be meant so, and where a
    limit ended a kernel."""
    reported = ("invalid-launch", COPIED, "stopped")
    notes = [f for f in outcome.findings if f.severity == "note" and f.kind in reported]
    return [f.render() for f in [*_errors(outcome), *notes][:3]]


def _open_todo(this: _Run) -> list[str]:
    """Where to begin, while the part's file still has a TODO: at the first one below the part's
    heading, since those above may be done with their comments still there."""
    todo = this.session.submission.first_todo(this.lab.file_of(this.case), this.case.part)
    return [f"begin with the TODO at {todo}"] if todo else []


def _needed_todo(this: _Run) -> str:
    """An open TODO that the part's own functions, which are written, call; "" for none."""
    part = this.lab.part_of(this.case)
    todo = this.session.submission.needed_todo(this.lab.file_of(this.case), part.calls)
    return f"part {part.id} calls {todo}, where a TODO is still open: begin there" if todo else ""


def _outside(outcome: Outcome) -> list[str]:
    """That the function wrote to memory beside its outputs, where it did: "written after"."""
    outputs = outcome.status.outputs if outcome.status else []
    found = [str(o["guards"]) for o in outputs if o.get("guards") not in (None, "intact")]
    where = found[0].removeprefix("written ") if found else ""
    return [f"your function wrote to memory just {where} the output"] if found else []
