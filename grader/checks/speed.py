"""A `speed` check: times the student's function beside the course's own, and judges the ratio."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from grader.checks.speed_points import NO_SOLUTION, achieved, earned, estimated, settled
from grader.compile import make, sources
from grader.execute.backend import Backend
from grader.model.result import Check, Verdict
from grader.model.spec import Speed
from grader.model.submission import Submission
from grader.model.verdicts import grade_line
from grader.oracle import inputs
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS
from grader.timing import reference, row_samples
from grader.timing.benchmark import Bench, Side, TimedRun
from grader.timing.statistics import (
    BASELINE,
    F64,
    REFERENCE,
    STUDENT,
    Interval,
    Timings,
    floor,
    has_reference,
    hidden_ns,
    impossible,
    mostly_disturbed,
    undisturbed,
    unfit,
)

BUDGET = 4.0  # seconds, of the clock that counts, that the rounds of a check may take
LAUNCH = 0.6  # of those seconds, in one process; each process gets other memory
ENOUGH = 12  # rounds that a decision needs, unless the budget is spent
MOST_ROUNDS = 20000  # of one process; MAX_ROUNDS of bench.c
OUTSIDE = 0.1  # seconds of calls that are timed from outside, at least
MOST_REPEATS = 1500  # calls timed from outside; a process start costs only milliseconds
ATTEMPTS = 5  # at timing from outside; the memory that a process gets changes its cost


@dataclass(frozen=True)
class Ending:
    """The outcome of a check."""

    verdict: Verdict
    lines: list[str]
    diagnosis: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    points: float = 0


class Ended(Exception):  # noqa: N818 (it need not be an error)
    """The check is over: there is nothing to time, or nothing more."""

    def __init__(self, verdict: Verdict, lines: list[str], diagnosis: str | None = None) -> None:
        super().__init__(*lines)
        self.ending = Ending(verdict, lines, diagnosis)


@dataclass
class Session:
    """The rounds of one check, from all of its processes."""

    rounds: list[F64] = field(default_factory=list)
    voided: int = 0
    copy_ns: float = float("inf")
    mac_rate: float = 0.0

    def add(self, ran: TimedRun) -> None:
        assert ran.status is not None
        kept, voided = undisturbed(ran.rounds(), ran.calibrations())
        self.rounds.append(kept)
        self.voided += voided
        self.copy_ns = min(self.copy_ns, ran.status.copy_ns)
        self.mac_rate = max(self.mac_rate, ran.status.mac_rate)

    def timings(self) -> Timings:
        return Timings(np.concatenate(self.rounds), self.copy_ns, self.mac_rate, self.voided)


def bench_for(submission: Submission, speed: Speed, where: Backend) -> Bench:
    """The timing program for a check.

    Raises Ended with a skip where it cannot be timed here, which costs nothing, and BuildError for
    the course's own parts.
    """
    lab = submission.lab
    file = lab.file_of(speed)
    cores = len(os.sched_getaffinity(0))
    threads = cores if speed.set.get("threads") == "all" else 1
    if speed.set.get("threads") == "all" and cores < 2:
        raise Ended("skip", ["this machine has one core, so threads cannot be faster"])
    in_advance = reference.find_object(lab, file)
    request = make.BuildRequest(submission, where, "speed", files=(file,), reference=in_advance)
    built = make.build(request)
    if built.binary is None:
        raise make.BuildError("the file does not build as a shared object", "\n".join(built.errors))
    folder = sources.course_build(lab, where)
    solution, baseline = folder / "reference.so", folder / "baseline.so"
    has_solution = reference.has_source(lab, file) or (in_advance and solution.is_file())
    return Bench(
        lab.part_of(speed).operation,
        folder / "bench",
        built.binary,
        baseline if speed.baseline_is else None,
        solution if has_solution else None,
        threads,
        wall=where == "gpu" or threads > 1,
        gpu=where == "gpu",
        in_advance=in_advance is not None,
    )


def _comparable(bench: Bench, speed: Speed, given: Inputs, work: Path) -> Bench:
    """The bench with a reference only if that runs here: one that was compiled in advance may be
    for another GPU or processor, and then the student's function would be blamed.

    Raises Ended with a skip when there is nothing to compare with.
    """
    if bench.reference and bench.in_advance:
        ran = bench.run(speed, given, work, (1, 1.0), 0, "reference")
        if ran.end != "completed":
            bench = replace(bench, reference=None)
    if bench.baseline is None and bench.reference is None:
        raise Ended("skip", ["it is timed beside the course's solution, which is not in this copy"])
    return bench


def check(
    submission: Submission,
    speed: Speed,
    where: Backend,
    work: Path,
    keep: Callable[[Speed, Timings], None] | None = None,
) -> Check:
    """Times and judges. where: the backend that it is timed on. keep: is given what was measured.

    Raises OSError, BuildError or DatasetMissing, for which the student is not to blame.
    """
    lab = submission.lab
    started = time.monotonic()
    try:
        bench = bench_for(submission, speed, where)
        given = inputs.inputs(lab, speed, speed.seed)
        bench = _comparable(bench, speed, given, work)
        timings = _measure(speed, bench, given, work)
        if keep:
            keep(speed, timings)
        ending = _judged(speed, bench, given, work, timings)
    except Ended as end:
        ending = end.ending
    return grade_line(
        lab,
        speed,
        ending.verdict,
        ending.lines,
        points=ending.points,
        diagnosis=ending.diagnosis,
        details=ending.details,
        seconds=time.monotonic() - started,
    )


def _measure(speed: Speed, bench: Bench, given: Inputs, work: Path) -> Timings:
    """Runs the timing program until the points are certain or the budget is spent, and compares
    the outputs of every run.

    Raises Ended when a run failed or an output is wrong.
    """
    session = Session()
    spent = 0.0
    while True:
        seed = random.SystemRandom().randrange(1 << 20)
        ran = bench.run(speed, given, work, (MOST_ROUNDS, LAUNCH), seed)
        _must_be_right(bench, speed, given, ran)
        session.add(ran)
        spent += ran.wall if bench.wall else ran.processor  # a busy machine takes longer
        timings = session.timings()
        if spent >= BUDGET or _settled(speed, timings):
            return timings


def _must_be_right(bench: Bench, speed: Speed, given: Inputs, ran: TimedRun) -> None:
    """Raises Ended for a run of the student's function that failed or has a wrong output."""
    if ran.end == "our-fault":
        raise Ended("error", [f"the timing program failed: {ran.reason}"])
    if ran.end != "completed":
        raise Ended("fail", [ran.reason], "failed-when-timed")
    if wrong := row_samples.wrong(bench.operation, speed.settings(), given, ran.samples):
        raise Ended("fail", wrong, "wrong-when-timed")


def _settled(speed: Speed, timings: Timings) -> bool:
    return (
        len(timings.rounds) >= ENOUGH and settled(speed, timings) and unfit(speed, timings) is None
    )


def _judged(speed: Speed, bench: Bench, given: Inputs, work: Path, timings: Timings) -> Ending:
    """The outcome that the times give."""
    ratio = achieved(speed, timings)
    if ratio is None or mostly_disturbed(timings):
        return Ending("uncertain", _busy(timings))
    operation = OPERATIONS[bench.operation]
    taps = speed.taps or operation.taps(given.arrays)
    least = floor(timings, float(np.prod(operation.output(given.arrays)[1]) * taps))
    details = _details(timings, ratio, least.ns)
    if fault := unfit(speed, timings):
        lines = [f"this machine cannot measure time reliably now: {fault}"]
        return Ending("error", lines, "machine-unfit", details)
    if impossible(timings, least):
        lines = [
            f"{_ms(timings.typical(STUDENT))} a call is impossible: the {least.bound} alone takes "
            f"{_ms(least.ns)} on this machine",
            "so your function does not do the work of this check",
        ]
        return Ending("fail", lines, "impossible-time", details)
    lines = say(speed, timings, ratio, least.ns)
    points = earned(speed, ratio)
    if points is None and estimated(speed, timings):
        return Ending("uncertain", [*lines, *_no_solution()], NO_SOLUTION, details)
    if points is None:
        lines.append("too close to the threshold to decide on this machine; you lose no points")
        return Ending("uncertain", lines, None, details)
    if points == 0:
        lines += [f"try: {speed.hint}", *(_no_solution() if estimated(speed, timings) else [])]
        return Ending("fail", lines, "slow", details)
    if excess := unreported(bench, speed, given, work, timings):
        lines.append(
            f"but measured from outside the process, each call takes {_ms(excess)} longer than the "
            "timing program reported; the check is not decided, and you lose no points"
        )
        return Ending("uncertain", lines, "clocks-disagree", details)
    if points < speed.points:
        lines.append(f"try: {speed.hint}")
    if estimated(speed, timings):
        lines += _no_solution()
    return Ending("pass", lines, None, details, points)


def unreported(
    bench: Bench, speed: Speed, given: Inputs, work: Path, timings: Timings
) -> float | None:
    """Checks the timing program with a second clock, outside its process: one process calls only
    the student's function, another one the course's, equally often.

    Returns the nanoseconds a call that the program did not report, or None when they are less than
    half a call. One thread is measured by the processor time that the kernel accounts to the
    process and all that it started; several threads and a GPU, by wall time. Starting and ending a
    process costs both the same. (N against 2N calls of the student's function would not do: what
    makes the first calls slower would hide what the others cost.)
    Raises Ended when a run fails, leaves a wrong output, or leaves too few outputs.
    """
    if not has_reference(timings):
        return None
    slower = max(timings.typical(STUDENT), timings.typical(REFERENCE))
    repeats = min(max(4, int(OUTSIDE * 1e9 / slower) + 1), MOST_REPEATS)
    least = float("inf")
    for _ in range(ATTEMPTS):
        theirs = _cost(bench, speed, given, work, repeats, "student")
        ours = _cost(bench, speed, given, work, repeats, "reference")
        least = min(least, hidden_ns(theirs, ours, repeats, timings))
        if least <= 0.5 * timings.typical(STUDENT):
            return None
    return least


def _cost(bench: Bench, speed: Speed, given: Inputs, work: Path, repeats: int, only: Side) -> float:
    """Seconds that a process with `repeats` calls of one function costs. Raises Ended."""
    seed = random.SystemRandom().randrange(1 << 20)
    ran = bench.run(speed, given, work, (repeats, 60.0), seed, only)
    if only == "student":
        _must_be_right(bench, speed, given, ran)
        if len(ran.samples) != repeats:
            raise Ended("fail", ["not every timed call returned"], "failed-when-timed")
    elif ran.end != "completed":
        raise Ended("error", [f"the timing program failed: {ran.reason}"])
    return ran.wall if bench.wall else ran.processor


def _ms(ns: float) -> str:
    if ns >= 1e6:
        return f"{ns / 1e6:.3g} ms"
    return f"{ns / 1e3:.3g} µs"


def say(speed: Speed, timings: Timings, ratio: Interval, floor_ns: float) -> list[str]:
    """How fast it is, compared with what, how sure that is, and how near to the machine's limit."""
    student = timings.typical(STUDENT)
    if speed.against == "baseline":
        compared = f"{ratio.middle:.3g} times the speed of the given baseline"
        thresholds = f"the check needs {speed.at_least:g} times"
    else:
        compared = f"{ratio.middle:.2f} times the speed of the course's solution"
        thresholds = f"half of the points from {speed.pass_at:g} on, all from {speed.full_at:g} on"
    lines = [
        f"{_ms(student)} a call: {compared} ({ratio.low:.2f} to {ratio.high:.2f} in "
        f"{len(timings.rounds)} rounds); {thresholds}",
    ]
    if estimated(speed, timings) and speed.baseline_is:
        times = timings.typical(BASELINE) / student
        low, high = speed.baseline_is
        lines = [
            f"{_ms(student)} a call: {times:.3g} times the speed of the given baseline; the "
            f"course's solution reaches {low:g} to {high:g} times, so yours has {ratio.low:.2g} to "
            f"{ratio.high:.2g} times the solution's speed; {thresholds}"
        ]
    percent = 100 * floor_ns / student
    lines.append(
        f"the fastest possible on this machine is about {_ms(floor_ns)}; you reach "
        f"{percent:.2g} % of that"
    )
    return lines


def _no_solution() -> list[str]:
    """What a student's copy of the course adds to every speed check."""
    return [
        "measured against the given baseline; your instructor's grader measures against the "
        "course's solution, which is not in this copy"
    ]


def _busy(timings: Timings) -> list[str]:
    return [
        f"other programs kept the cores busy: {timings.voided} of "
        f"{timings.voided + len(timings.rounds)} rounds were disturbed and do not count; try again "
        "when the machine is idle"
    ]


def _details(timings: Timings, ratio: Interval | None, floor_ns: float) -> dict[str, Any]:
    found: dict[str, Any] = {
        "rounds": len(timings.rounds),
        "voided": timings.voided,
        "floor_ns": round(floor_ns),
        "copy_ns": round(timings.copy_ns),
        "mac_rate": timings.mac_rate,
    }
    for side, name in enumerate(("student_ns", "baseline_ns", "reference_ns", "again_ns")):
        if len(timings.column(side)):
            found[name] = round(timings.typical(side))
    if ratio:
        found |= {"ratio": ratio.middle, "ratio_low": ratio.low, "ratio_high": ratio.high}
        found["efficiency"] = floor_ns / timings.typical(STUDENT)
    return found
