"""One `speed` check: times the student's function beside the course's and says what came of it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from grader import paths
from grader.compile import make, sources
from grader.execute.backend import Backend
from grader.model.result import Check, Verdict
from grader.model.spec import Speed
from grader.model.submission import Submission
from grader.oracle import inputs
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS
from grader.timing import row_samples
from grader.timing.benchmark import Bench, Side, TimedRun
from grader.timing.statistics import (
    BASELINE,
    F64,
    NO_SOLUTION,
    REFERENCE,
    STUDENT,
    Interval,
    Timings,
    achieved,
    earned,
    estimated,
    floor,
    has_reference,
    hidden_ns,
    impossible,
    mostly_disturbed,
    settled,
    undisturbed,
    unfit,
)

BUDGET = 4.0  # seconds of rounds that a check may take
LAUNCH = 0.6  # of them in one process; each finds its memory elsewhere
ENOUGH = 12  # rounds for a decision, unless time runs out
MOST_ROUNDS = 20000  # of one launch; MAX_ROUNDS of bench.c
OUTSIDE = 0.1  # seconds of calls that are timed from outside, at least
MOST_REPEATS = 1500  # a process's start and end, some milliseconds, are to be small beside them
ATTEMPTS = 5  # at timing from outside; which memory a process got makes it dearer or cheaper


@dataclass(frozen=True)
class Ending:
    """What became of a check."""

    verdict: Verdict
    lines: list[str]
    diagnosis: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    points: float = 0


class Ended(Exception):  # noqa: N818 (it need not be an error)
    """Nothing is left to be timed."""

    def __init__(self, verdict: Verdict, lines: list[str], diagnosis: str | None = None) -> None:
        super().__init__(*lines)
        self.ending = Ending(verdict, lines, diagnosis)


@dataclass
class Session:
    """What the launches of one check came to."""

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

    Raises Ended (skip: it is not to be had here, and costs nothing), BuildError for what is ours.
    """
    lab = submission.lab
    file = lab.file_of(speed)
    cores = len(os.sched_getaffinity(0))
    threads = cores if speed.set.get("threads") == "all" else 1
    if speed.set.get("threads") == "all" and cores < 2:
        raise Ended("skip", ["threads gain nothing on a machine with one core"])
    request = make.BuildRequest(submission, where, target="speed", files=(file,))
    built = make.build(request)
    if built.binary is None:
        raise make.BuildError("the file does not build as a shared object", "\n".join(built.errors))
    folder = sources.course_build(lab, where)
    reference, baseline = folder / "reference.so", folder / "baseline.so"
    has_solution = (paths.ROOT / "solutions" / lab.folder / file).exists()
    bench = Bench(
        lab.part_of(speed).operation,
        folder / "bench",
        built.binary,
        baseline if speed.baseline_is else None,
        reference if has_solution else None,
        threads,
        wall=where == "gpu" or threads > 1,
        gpu=where == "gpu",
    )
    if bench.baseline is None and bench.reference is None:
        raise Ended("skip", ["it is timed beside the course's solution, which this copy lacks"])
    return bench


def check(
    submission: Submission,
    speed: Speed,
    where: Backend,
    work: Path,
    keep: Callable[[Speed, Timings], None] | None = None,
) -> Check:
    """Times and judges, on the backend that backend.timed_on() says. `keep` is told what was
    measured.


    Raises OSError, BuildError or DatasetMissing for what is not the student's.
    """
    lab = submission.lab
    started = time.monotonic()
    try:
        bench = bench_for(submission, speed, where)
        given = inputs.inputs(lab, speed, speed.seed)
        timings = _measure(speed, bench, given, work)
        if keep:
            keep(speed, timings)
        found = _judged(speed, bench, given, work, timings)
    except Ended as end:
        found = end.ending
    return Check(
        id=f"{lab.id}/{speed.part}/{speed.name}",
        name=speed.name,
        kind="speed",
        verdict=found.verdict,
        points=found.points,
        max_points=speed.points,
        part=speed.part,
        message=found.lines,
        diagnosis=found.diagnosis,
        details=found.details,
        seconds=round(time.monotonic() - started, 4),
    )


def _measure(speed: Speed, bench: Bench, given: Inputs, work: Path) -> Timings:
    """Launches until the points are certain or the budget is spent. Judges every launch's outputs.

    Raises Ended when there is nothing to be timed.
    """
    session = Session()
    spent = 0.0
    while True:
        seed = random.SystemRandom().randrange(1 << 20)
        ran = bench.run(speed, given, work, (MOST_ROUNDS, LAUNCH), seed)
        _must_be_right(bench, speed, given, ran)
        session.add(ran)
        spent += ran.wall
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
    """What the times come to."""
    ratio = achieved(speed, timings)
    if ratio is None or mostly_disturbed(timings):
        return Ending("uncertain", _busy(timings))
    operation = OPERATIONS[bench.operation]
    taps = speed.taps or operation.taps(given.arrays)
    least = floor(timings, float(np.prod(operation.output(given.arrays)[1]) * taps))
    details = _details(timings, ratio, least.ns)
    if fault := unfit(speed, timings):
        lines = [f"this machine cannot time it now: {fault}"]
        return Ending("error", lines, "machine-unfit", details)
    if impossible(timings, least):
        lines = [
            f"{_ms(timings.typical(STUDENT))} a call is less than this machine can need at all: "
            f"{_ms(least.ns)} for the {least.bound}",
            "no program does the work of this check in that time; the work is not being done",
        ]
        return Ending("fail", lines, "impossible-time", details)
    lines = say(speed, timings, ratio, least.ns)
    points = earned(speed, ratio)
    if points is None and estimated(speed, timings):
        return Ending("uncertain", [*lines, *_no_solution()], NO_SOLUTION, details)
    if points is None:
        lines.append("which side of that bar it lies on cannot be told here; nothing is lost")
        return Ending("uncertain", lines, None, details)
    if points == 0:
        lines += [f"try: {speed.hint}", *(_no_solution() if estimated(speed, timings) else [])]
        return Ending("fail", lines, "slow", details)
    if excess := unreported(bench, speed, given, work, timings):
        lines.append(
            f"but seen from outside each call takes {_ms(excess)} more than was reported; "
            "two clocks that disagree give no points and take none"
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
    """The clock outside: a process with calls of the student's function alone, and one of as many
    of the course's.

    Returns the nanoseconds a call that the program did not report, or None when they are within
    half a call. One thread is measured by the processor time that the kernel accounts to the
    process and all it started; several and a GPU, by the wall. What a process costs beside its
    calls is the same for both. (The student's with itself, of N and of 2N calls, would be another
    matter: what makes the first of them dearer hides what the calls cost.)
    Raises Ended when a run fails, or leaves a wrong output or too few.
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
    """Seconds that a process with so many calls of one function costs. Raises Ended."""
    seed = random.SystemRandom().randrange(1 << 20)
    ran = bench.run(speed, given, work, (repeats, 60.0), seed, only)
    if only == "student":
        _must_be_right(bench, speed, given, ran)
        if len(ran.samples) != repeats:
            raise Ended("fail", ["not every timed call came back"], "failed-when-timed")
    elif ran.end != "completed":
        raise Ended("error", [f"the timing program failed: {ran.reason}"])
    return ran.wall if bench.wall else ran.processor


def _ms(ns: float) -> str:
    if ns >= 1e6:
        return f"{ns / 1e6:.3g} ms"
    return f"{ns / 1e3:.3g} µs"


def say(speed: Speed, timings: Timings, ratio: Interval, floor_ns: float) -> list[str]:
    """How fast, against what, how sure, how near to what the machine can do."""
    student = timings.typical(STUDENT)
    if speed.against == "baseline":
        beside = f"the given baseline: {ratio.middle:.3g} times its speed"
        bars = f"{speed.at_least:g} is asked for"
    else:
        beside = f"the course's solution: {ratio.middle:.2f} of its speed"
        bars = f"{speed.pass_at:g} gets half of the points, {speed.full_at:g} all"
    lines = [
        f"{_ms(student)} a call; beside {beside} "
        f"({ratio.low:.2f} to {ratio.high:.2f} from {len(timings.rounds)} rounds); {bars}",
    ]
    if estimated(speed, timings) and speed.baseline_is:
        times = timings.typical(BASELINE) / student
        low, high = speed.baseline_is
        lines = [
            f"{_ms(student)} a call, {times:.3g} times the given baseline's speed; the course's "
            f"solution has {low:g} to {high:g} times, so yours has {ratio.low:.2g} to "
            f"{ratio.high:.2g} of the solution's; {bars}"
        ]
    percent = 100 * floor_ns / student
    lines.append(
        f"less than {_ms(floor_ns)} is not possible on this machine: "
        f"your efficiency is {percent:.2g} %"
    )
    return lines


def _no_solution() -> list[str]:
    """What a student's copy says of a check of speed, whatever comes of it."""
    return [
        "measured against the baseline; the course's grader measures against its own solution, "
        "which is not in this copy"
    ]


def _busy(timings: Timings) -> list[str]:
    return [
        f"other programs kept the cores busy: of {timings.voided + len(timings.rounds)} rounds "
        f"{timings.voided} were disturbed and do not count; try again when the machine is idle"
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
