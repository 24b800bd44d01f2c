"""A `technique` check: compares a counter of the traced run with its limit."""

import math
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from grader.checks import bank_conflicts, prerequisites
from grader.checks.instructions import judge_instructions
from grader.contract import draw, prepared, script
from grader.contract.step import Sequence
from grader.execute import accesses
from grader.execute.instrumented import InstrumentedRun, Runner
from grader.execute.profile import Kernel, LineCounters, Profile
from grader.model import counters
from grader.model.counters import Counters
from grader.model.grade_line import grade_line
from grader.model.lab import Contract, Lab, Technique
from grader.model.result import Check, Verdict
from grader.model.submission import Submission
from grader.predict import code, counts
from grader.session.programs import Binary
from grader.session.session import Session

MOST = 0.9  # of the bytes of the output: counters of many blocks are scaled from some
FEW = 0.25  # of the bytes of the output: a few numbers, but not an image
IDLE_SHARE = 0.25  # of the blocks of a grid: room for those at its edge
OTHER_SIZE = (
    "with this check's size and mask in lab.toml the limit is met. To reproduce this, change its "
    "`size` there, or its `mask`, `border`, `type` and `channels`, and grade again"
)
BEYOND = "not-counted"  # the simulator's finding: the launches from one on
UNCOUNTED = (
    "and a limit cannot be checked if launches are not counted: let each launch compute more pixels"
)
IDLE = "these points are for kernels that compute the output; the host must not do it for them"


OF_CODE: dict[str, Callable[[code.Executed], float]] = {
    counters.ARITHMETIC: code.arithmetic,
    counters.PRODUCTS: code.products,
    counters.OPERATIONS: lambda executed: sum(o.passes for o in executed.operations),
}


@dataclass(frozen=True)
class Measured:
    """A counter summed over the launches that count. `value` is None when it would divide by 0."""

    value: float | None
    divisor: float  # pixels, launches, or the quotient's denominator
    kernels: list[Kernel]
    worst: LineCounters | None  # the source line that exceeds the limit most
    share: float  # that line's own value


def judge_counter(session: Session, technique: Technique, binary: Binary) -> Check:
    """Judges what a run of the instrumented program counted. Where that had a size that no student
    may know, the limit must hold for another radius, too, and no more is said than at the size in
    lab.toml.

    Raises OSError or DatasetMissing, for which the student is not to blame.
    """
    runner = session.runner_of(binary)
    line = _judge_counted(session, technique, runner)
    if not technique.is_secret():
        return line
    if line.verdict == "pass" and (other := technique.second()):
        line = _judge_counted(session, other, runner)
    if line.verdict not in ("pass", "fail"):
        return line
    passed = line.verdict == "pass"
    public = _judge_counted(session, technique.at_public_size(), runner, passed)
    return without_secrets(line, technique, public)


def _judge_counted(
    session: Session, technique: Technique, runner: Runner, passed: bool = False
) -> Check:
    """Judges a run. Only what was counted at a size that students know is for others to see.
    passed: at another size, so that its code needs no further run."""
    if technique.counter in counters.INSTRUCTIONS:
        return judge_instructions(session, technique, runner)
    before = _calls_before(session.lab, technique)
    run, counted = runner.profiled(technique, before)
    if not run.right:  # that is for the checks of results
        run, counted = runner.profiled(technique)

    def of_code(counter: str) -> float:
        if passed:
            return 0.0
        launches = runner.with_arithmetic(technique, before)
        found = [counts.executed_by(runner.binary, e) for e in launches]
        return sum(map(OF_CODE[counter], found)) if found else math.inf

    def at_other_size() -> Profile | None:
        same_part = (check for check in session.lab.safe if check.part == technique.part)
        other = next(same_part, None)
        return runner.profiled(other)[1] if other else None

    if counted and not technique.is_secret():
        session.observer.profiled(technique, counted)
        if session.report:
            session.report.counted(technique, counted, run, runner)
    check = judge_run(session, technique, run, counted, at_other_size, of_code)
    return check if technique.is_secret() else _with_banks(technique, check, runner)


def _with_banks(technique: Technique, check: Check, runner: Runner) -> Check:
    """What fails for bank conflicts, after why lanes meet, where that is known."""
    file, line = str(check.details.get("file")), int(check.details.get("line") or 0)
    if check.verdict != "fail" or "conflicts" not in str(check.details.get("counter")) or not line:
        return check
    run = runner.recorded(technique, "costliest")
    cause = bank_conflicts.cause(accesses.of_warps(runner.binary, run.outcome.steps), file, line)
    return msgspec.structs.replace(check, message=[cause, *check.message]) if cause else check


@dataclass(frozen=True)
class _CallsBefore:
    """Calls that a contract allows, before one that is counted."""

    lab: Lab
    contract: Contract
    sequence: Sequence

    def write(self, folder: Path) -> list[str]:
        prepared.prepare(self.lab, self.contract, self.sequence, folder)
        files = ["--steps", f"{folder}/{script.STEPS}", "--data", f"{folder}/{script.DATA}"]
        return [*files, "--results", "-"]

    def __len__(self) -> int:
        return len(self.sequence)


def _calls_before(lab: Lab, technique: Technique) -> _CallsBefore | None:
    """Where students do not know how many: a program that does its best in its first calls alone
    is counted in a later one."""
    for contract in lab.contract if technique.is_secret() else ():
        allowed = all(technique.set.get(name) in of for name, of in contract.choose.items())
        if contract.part == technique.part and allowed and contract.secret_seed is not None:
            sequence = draw.draw_before(lab, contract, contract.secret_seed)
            return _CallsBefore(lab, contract, sequence)
    return None


def judge_run(
    session: Session,
    technique: Technique,
    run: InstrumentedRun,
    counted: Profile | None,
    at_other_size: Callable[[], Profile | None] = lambda: None,
    of_code: Callable[[str], float] = lambda _: 0.0,
) -> Check:
    """The line of a profiled run. counted: its counters, or None if they cannot be read; those of
    a kernel with a wrong result mean nothing. at_other_size: those of another image. of_code: a
    counter of counters.OF_CODE, which a run of its own counts."""
    measured = (
        measure(technique, counted, run.results(technique.per)) if counted and run.right else None
    )
    verdict: Verdict = "skip"
    lines: list[str] = []
    bound = technique  # that decides
    if run.outcome.end == "our-fault":
        verdict, lines = "error", [f"the runner failed: {run.outcome.reason}"]
    elif run.right and counted is None:
        verdict, lines = "error", ["the traced run left counters that cannot be read"]
    elif counted and measured:
        verdict, lines, bound, measured = _judged(
            session.submission, technique, run, counted, measured, at_other_size, of_code
        )
    elif lines := prerequisites.without_end(session.so_far, technique.part, run.outcome):
        verdict = "fail"
    needs = prerequisites.first_wrong_case(session.so_far, technique.part)
    return grade_line(
        session.lab,
        technique,
        verdict,
        lines,
        needs=needs if verdict == "skip" else None,
        details=_details(bound, measured) if measured and verdict != "error" else None,
        seconds=run.outcome.seconds,
    )


def without_secrets(line: Check, technique: Technique, at_public_size: Check) -> Check:
    """The line of a check at a size that no student may know, without figures from which the size
    could be computed: where the verdict is the same at the size in lab.toml, the line of that.

    line: passed or failed.
    """
    if line.verdict == at_public_size.verdict:
        return at_public_size
    details = {key: value for key, value in line.details.items() if key in _NOT_SECRET}
    message = line.message
    if line.verdict == "fail":
        message = [*_without_figures(technique, line), OTHER_SIZE]
    return msgspec.structs.replace(line, message=message, details=details)


_NOT_SECRET = ("counter", "limit", "limit_is", "per", "kernels")


def _without_figures(technique: Technique, line: Check) -> list[str]:
    """Which limit a line says was not held, and its value where that is a ratio, rounded: what a
    check counts in all grows with the size."""
    if "counter" not in line.details:
        return []
    bound = bound_of(technique, line.details)
    words = counters.in_words(bound.counter, bound.per)
    value = line.details.get("value")
    is_ratio = bound.per not in (None, "launch") or counters.is_quotient(bound.counter)
    about = f"about {value:.2g} " if value is not None and is_ratio else ""
    return [
        f"in a call with another size or mask: {about}{words.counted}{words.unit}; it should be "
        f"{limit(bound)}",
        *_why(bound),
    ]


def bound_of(technique: Technique, details: Mapping[str, Any]) -> Technique:
    """The limit that the details of a line are about."""
    same = (b for b in technique.bounds() if details.get("limit") == _limit_of(b))
    return next((b for b in same if details.get("counter") == b.counter), technique)


def _limit_of(technique: Technique) -> float | None:
    return technique.at_most if technique.at_most is not None else technique.at_least


def limit(technique: Technique) -> str:
    """The limit in words."""
    if technique.at_most is not None:
        return f"at most {technique.at_most:g}"
    return f"at least {technique.at_least:g}"


def _judged(
    submission: Submission,
    technique: Technique,
    run: InstrumentedRun,
    counted: Profile,
    measured: Measured,
    at_other_size: Callable[[], Profile | None],
    of_code: Callable[[str], float],
) -> tuple[Verdict, list[str], Technique, Measured]:
    """The verdict of what was measured, why, and the limit that decides with what it measures."""
    problem: list[str] = []
    if beyond := next((f for f in counted.findings if f.kind == BEYOND), None):
        problem = [beyond.render(), UNCOUNTED]
    elif of_host := _idle(run, counted):
        problem = [of_host, IDLE]
    elif not measured.kernels:
        problem = [_no_launch(technique, counted), *_why(technique)]
    if problem:
        return "fail", problem, technique, measured
    if not all(kernel.complete for kernel in measured.kernels):
        memory = "this machine has too little memory to count this run"
        return "error", [memory], technique, measured
    if problem := _unknown(submission, counted):
        return "fail", problem, technique, measured
    for bound in technique.bounds():
        if bound.counter in counters.OF_CODE:
            if platform.machine() != "x86_64":
                continue
            seen = Measured(
                of_code(bound.counter) / run.pixels, run.pixels, measured.kernels, None, 0.0
            )
        else:
            seen = measure(bound, counted, run.results(bound.per))
        is_held = seen.value is not None and bound.holds(seen.value)
        if is_held:
            continue
        blocks = _idle_blocks(seen.kernels, at_other_size)
        if bound.counter != counters.IDLE:
            idle = blocks or _idle_threads(seen.kernels, at_other_size)
            return "fail", [*idle, *_explanation(submission, bound, seen)], bound, seen
        if blocks:
            return "fail", [*blocks, *_why(bound)], bound, seen
    return "pass", [], technique, measured


def _unknown(submission: Submission, counted: Profile) -> list[str]:
    """Where a kernel accesses memory that no counter covers, if it does."""
    for kernel in counted.kernels:
        for line in kernel.lines:
            if number_of := line.counters.unknown_lanes:
                where = f"{line.file}:{line.line}" if line.line else "an unknown line"
                return [
                    f"{where}: {kernel.name} accesses, {number_of} times, memory that a device "
                    "does not have there: a variable of the host, or of another thread",
                    *(
                        [f"    {source}"]
                        if (source := submission.line(line.file, line.line))
                        else []
                    ),
                    "what such an access costs is not known, so no limit on accesses can be "
                    "checked",
                ]
    return []


def _idle(run: InstrumentedRun, counted: Profile) -> str | None:
    """How it shows that the kernels do not compute the output, or None: whatever the counters say
    of a kernel, it earns nothing for work that the host does.

    Where the image is on the device, the host can do nothing without seeing it. Where it comes from
    the host, its bytes must get to the device as they are, in whatever order, and the kernels must
    store the output: the host may take a few pixels at an end.
    """
    status = run.outcome.status
    seen = status.seen_by_host if status else None
    if status and status.not_copied > FEW * run.out_bytes:
        return (
            f"{status.not_copied} bytes of the image were not copied to the device unchanged: "
            f"the host changed them, or used them itself"
        )
    if seen is None:
        each = (kernel.counters for kernel in counted.kernels)
        stored = sum(c.global_store_bytes + c.atomic_bytes for c in each)
        if counted.kernels and stored < MOST * run.out_bytes:
            return (
                f"your kernels store {stored} bytes to global memory, but the output has "
                f"{run.out_bytes}"
            )
    elif seen > FEW * run.out_bytes:
        return (
            f"your function lets the host see {seen} bytes of device memory, copied there or in "
            "memory that host and device share, but image and output are on the device"
        )
    return None


def measure(technique: Technique, counted: Profile, pixels: int) -> Measured:
    """The counter's value over the launches of the kernels that the check names; per launch, that
    of the launch with most or, for a limit from below, with least. pixels: elements of the output,
    or of the first input where it counts those."""
    kernels = [k for k in counted.kernels if fnmatchcase(k.name, technique.kernel)]
    if technique.over == "results" and any(k.result_bytes for k in counted.kernels):
        kernels = [k for k in kernels if k.result_bytes]
    if technique.per == "launch" and kernels:
        one = max if technique.at_least is None else min
        kernels = [one(kernels, key=lambda k: counters.terms(technique.counter, k.counters)[0])]
    total, below = 0, 0
    lines: dict[tuple[str, int], LineCounters] = {}
    for kernel in kernels:
        above, under = counters.terms(technique.counter, kernel.counters)
        # Of a launch that only fills the output, nothing is left in the end: no thread counts.
        is_filler = (
            technique.over == "results" and kernel.result_bytes and not kernel.result_remains
        )
        total, below = total + above, below + (0 if is_filler else under or 0)
        for line in kernel.lines:
            key = (line.file, line.line)
            total_of_line = lines.setdefault(key, LineCounters(line.file, line.line, Counters()))
            counters.accumulate(total_of_line.counters, line.counters)
    divisor = float(_divisor(technique, below, pixels, len(kernels)))
    worst = None
    if technique.at_most is not None:  # no single line makes too little
        worst = max(lines.values(), key=lambda line: _excess(technique, line), default=None)
    share = 0.0
    if worst is not None:
        above, under = counters.terms(technique.counter, worst.counters)
        share = above / (under or divisor or 1)
        worst = worst if share else None  # what is counted for whole launches has no lines
    return Measured(total / divisor if divisor else None, divisor, kernels, worst, share)


def _divisor(technique: Technique, below: int, pixels: int, launches: int) -> int:
    if counters.is_quotient(technique.counter):
        return below
    taps = pixels * technique.taps()
    if technique.per in ("pixel", "value", "input"):
        return pixels
    return {"tap": taps, "launch": launches, None: 1}[technique.per]


def _excess(technique: Technique, line: LineCounters) -> float:
    """How much a line adds to the excess over the limit; good lines of a quotient reduce it."""
    above, under = counters.terms(technique.counter, line.counters)
    return above - (technique.at_most or 0) * (under or 0)


def _no_launch(technique: Technique, counted: Profile) -> str:
    names = ", ".join(sorted({k.name for k in counted.kernels}))
    if not names:
        return "your function launched no kernel"
    return f"no kernel named {technique.kernel} was launched, only {names}"


def _explanation(submission: Submission, technique: Technique, measured: Measured) -> list[str]:
    """The value, its limit, and the line of the student's file that exceeds it most."""
    words = counters.in_words(technique.counter, technique.per)
    names = ", ".join(dict.fromkeys(kernel.name for kernel in measured.kernels))
    if measured.value is None:
        nothing = f"there are no {words.denominator}, so nothing can be checked"
        return [f"{names}: {nothing}", *_why(technique)]
    value = number(measured.value)
    lines = [f"{names}: {value} {words.counted}{words.unit}; it should be {limit(technique)}"]
    if worst := measured.worst:
        location = f"{worst.file}:{worst.line}" if worst.line else "an unknown line"
        share = number(measured.share)
        if words.denominator:
            lines.append(f"worst at {location}, where it is {share}")
        else:
            lines.append(f"{location} accounts for {share} of the {value}")
        if source := submission.line(worst.file, worst.line):
            lines.append(f"    {source}")
    return lines + _why(technique)


def _idle_blocks(kernels: list[Kernel], at_other_size: Callable[[], Profile | None]) -> list[str]:
    """How many blocks are idle, where that are many and the grid depends on the image. A grid that
    is the same for every image is made for the device: its blocks share out the work, of which a
    small image has not enough."""
    idle = [k for k in kernels if k.counters.idle_blocks > IDLE_SHARE * k.blocks]
    if not idle:
        return []
    other = at_other_size()
    fixed = {(kernel.name, kernel.grid) for kernel in other.kernels} if other else set()
    return [_grid(kernel) for kernel in idle if (kernel.name, kernel.grid) not in fixed][:1]


def _idle_threads(kernels: list[Kernel], at_other_size: Callable[[], Profile | None]) -> list[str]:
    """Which threads of each block do nothing, where that are many, and the same for another image:
    one may be narrower than a block. It explains a limit that is not kept, and costs nothing alone:
    a fast kernel may have such threads."""
    idle = [k for k in kernels if k.idle_threads > IDLE_SHARE * math.prod(k.block)]
    other = at_other_size() if idle else None
    there = {_idle_of(kernel) for kernel in other.kernels} if other else set()
    return [_threads(kernel) for kernel in idle if _idle_of(kernel) in there][:1]


def _idle_of(kernel: Kernel) -> tuple[object, ...]:
    return kernel.name, kernel.block, kernel.idle_threads, kernel.first_idle


def _threads(kernel: Kernel) -> str:
    """How many threads of a block do nothing, and which is the first."""
    wide, high, _ = kernel.block
    first = kernel.first_idle
    thread = (first % wide, first // wide % high, first // (wide * high))
    where = f"{kernel.file}:{kernel.line}: " if kernel.line else ""
    return (
        f"{where}{kernel.name}: {kernel.idle_threads} of the {math.prod(kernel.block)} threads of "
        f"each block never read or write anything, the first is thread "
        f"({','.join(map(str, thread))}): make the block smaller, or give them a share of the work"
    )


def _grid(kernel: Kernel) -> str:
    """How large a grid is, and how large it should be."""
    dimensions = 3 if kernel.grid[2] > 1 else 2 if kernel.grid[1] > 1 else 1
    grid, covers = ("x".join(map(str, n[:dimensions])) for n in (kernel.grid, kernel.covers))
    where = f"{kernel.file}:{kernel.line}: " if kernel.line else ""
    return (
        f"{where}{kernel.name}: {kernel.counters.idle_blocks} of {kernel.blocks} blocks wrote "
        f"nothing: the grid is {grid} blocks, {covers} cover the output"
    )


def number(value: float) -> str:
    """A value with four digits at most: 169, 33.75, 0.125."""
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def _why(technique: Technique) -> list[str]:
    return [f"why: {technique.why}"] if technique.why else []


def _details(technique: Technique, measured: Measured) -> dict[str, Any]:
    """The figures behind the message. `value` is None when it would divide by 0."""
    details: dict[str, Any] = {
        "counter": technique.counter,
        "value": measured.value,
        "limit": _limit_of(technique),
        "limit_is": "at_most" if technique.at_most is not None else "at_least",
        "per": technique.per,
        "kernels": [kernel.name for kernel in measured.kernels],
    }
    if measured.worst:
        details |= {"file": measured.worst.file, "line": measured.worst.line}
    return details
