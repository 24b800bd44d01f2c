"""A `speed` check: times the student's function beside the course's own, and judges the ratio."""

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from grader.checks.instructions import not_known
from grader.checks.speed_points import (
    WITHOUT_SOLUTION,
    achieved,
    clear,
    earned,
    estimated,
    figures,
    how_fast,
    settled,
    time_of,
)
from grader.compile import sources
from grader.execute import instructions
from grader.execute.backend import Backend
from grader.model import counters
from grader.model.grade_line import grade_line
from grader.model.lab import Lab, Speed, Technique
from grader.model.result import Check, Verdict
from grader.oracle import inputs, operations
from grader.oracle.inputs import Inputs
from grader.session.plan import NO_SOLUTION
from grader.session.programs import Binary
from grader.session.session import Session
from grader.session.timed_objects import NotTimedError
from grader.timing import reference, row_samples
from grader.timing.disturbance import busy, mostly_disturbed, undisturbed
from grader.timing.statistics import (
    F64,
    REFERENCE,
    STUDENT,
    Timings,
    floor,
    has_reference,
    hidden_ns,
    impossible,
    unfit,
)
from grader.timing.timing_program import Bench, Side, TimedRun

BUDGET = 4.0  # seconds, of the clock that counts, that the rounds of a check may take
LAUNCH = 0.6  # of those seconds, in one process; each process gets other memory
GLANCE = 0.15  # in the first process, if that decides clearly; twice as long in the next
ENOUGH = 12  # rounds that a decision needs, unless the budget is spent
MOST_ROUNDS = 20000  # of one process; MAX_ROUNDS of bench.c
# Seconds of calls that are timed from outside, and the most calls: at first, and where that shows
# too much. Several threads vary more: they are measured for the second time at once.
OUTSIDE = ((0.02, 400), (0.1, 1500))
HIDDEN = 0.5  # of a call's time: so much that the program did not report is too much
ATTEMPTS = 5  # at each of these; the memory that a process gets changes its cost
UNFIT = "this machine cannot measure time reliably right now"


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


@dataclass(frozen=True)
class Contest:
    """What is timed: the function of a check beside the course's own, on the check's input."""

    speed: Speed
    bench: Bench
    given: Inputs
    work: Path
    asked: tuple[Technique, ...] = ()  # of the function's instructions

    def run(
        self,
        rounds: int,
        seconds: float,
        only: Side | None = None,
        enough: tuple[int, float] | None = None,
    ) -> TimedRun:
        """Runs the timing program once. Raises Ended for a run of the student's function that
        failed or has a wrong output."""
        seed = random.SystemRandom().randrange(1 << 20)
        limits = rounds, seconds
        ran = self.bench.run(self.speed, self.given, self.work, limits, seed, only, enough)
        if ran.end == "our-fault" or (ran.end != "completed" and only == "reference"):
            raise Ended("error", [f"the timing program failed: {ran.reason}"])
        if ran.end != "completed":
            raise Ended("fail", [ran.reason], "failed-when-timed")
        if only != "reference":
            settings = self.speed.settings()
            wrong = row_samples.wrong(self.bench.operation, settings, self.given, ran.samples)
            if wrong:
                raise Ended("fail", wrong, "wrong-when-timed")
        if record := instructions.read_instructions(ran.watched):
            for technique in self.asked:
                self.judge_watched(technique, record)
        return ran

    def judge_watched(self, technique: Technique, record: instructions.Record) -> None:
        """Raises Ended where the function that is timed executes other instructions."""
        seen = instructions.counted(record, technique.counter, self.bench.student)
        if seen and seen.unknown:
            raise Ended("fail", not_known(seen), "other-work-when-timed")
        if seen is None or technique.holds(seen.value(technique)):
            return
        lines = [
            f"when it is timed, {seen.executed or 'none'} of {seen.stepped} instructions that were "
            f"looked at are {counters.in_words(technique.counter).counted}",
            f"the check {technique.name!r} applies to every call: use the same code in all of them",
        ]
        if seen.executed and seen.location[1]:
            lines.append("such as {} at {}:{}".format(seen.text or "one", *seen.location))
        raise Ended("fail", lines, "other-work-when-timed")


@dataclass
class Rounds:
    """The rounds of one check, from all of its processes."""

    kept: list[F64] = field(default_factory=list)
    voided: int = 0
    copy_ns: float = float("inf")
    mac_rate: float = 0.0

    def add(self, ran: TimedRun) -> None:
        assert ran.status is not None
        kept, voided = undisturbed(ran.rounds(), ran.calibrations())
        self.kept.append(kept)
        self.voided += voided
        self.copy_ns = min(self.copy_ns, ran.status.copy_ns)
        self.mac_rate = max(self.mac_rate, ran.status.mac_rate)

    def timings(self) -> Timings:
        return Timings(np.concatenate(self.kept), self.copy_ns, self.mac_rate, self.voided)


def bench_for(lab: Lab, speed: Speed, where: Backend, student: Callable[[], Path]) -> Bench:
    """The timing program for a check. student: the shared object of the student's file.

    Raises Ended with a skip where it cannot be timed here, which costs nothing.
    """
    file = lab.file_of(speed)
    cores = len(os.sched_getaffinity(0))
    threads = cores if speed.set.get("threads") == "all" else 1
    if speed.set.get("threads") == "all" and cores < 2:
        raise Ended("skip", ["this machine has one core, so threads cannot be faster"])
    library = student()
    in_advance = reference.find_object(lab, file)
    folder = sources.course_build(lab, where)
    solution, baseline = folder / "reference.so", folder / "baseline.so"
    has_solution = reference.has_source(lab, file) or (in_advance and solution.is_file())
    return Bench(
        operations.of(lab, speed.part),
        folder / "bench",
        library,
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
        why = "it is timed against the course's solution, which is not in this copy"
        raise Ended("skip", [why])
    return bench


def judge_speed(session: Session, speed: Speed, binary: Binary) -> Check:
    """Times and judges, on the backend of `binary`.

    Raises OSError, BuildError or DatasetMissing, for which the student is not to blame.
    """
    lab = session.lab
    started = time.monotonic()
    try:
        where, file = binary.backend, lab.file_of(speed)
        bench = bench_for(lab, speed, where, lambda: session.programs.timed(where, file))
        asked = _asked(session, speed)
        bench = replace(bench, watch=bool(asked))
        given = inputs.for_timing(lab, speed, speed.seed)
        bench = _comparable(bench, speed, given, session.work)
        contest = Contest(speed, bench, given, session.work, asked)
        timings = measure(contest)
        if session.report:
            session.report.timed(speed, timings)
        ending = decide(contest, timings)
    except Ended as end:
        ending = end.ending
    except NotTimedError as fault:
        ending = Ending("fail", fault.lines)
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


def _asked(session: Session, speed: Speed) -> tuple[Technique, ...]:
    """The checks of the part's instructions. One that failed has cost its points."""
    failed = {check.id for check in session.so_far if check.verdict == "fail"}
    return tuple(
        t
        for t in session.lab.technique
        if t.part == speed.part
        and t.counter in counters.INSTRUCTIONS
        and session.lab.id_of(t) not in failed
    )


def measure(contest: Contest) -> Timings:
    """Runs the timing program until the points are certain or the budget is spent, and compares
    the outputs of every run.

    Raises Ended when a run failed or an output is wrong.
    """
    rounds = Rounds()
    spent = 0.0
    # What is clear needs only a glance; a GPU takes longer to reach its clock rate.
    glance = LAUNCH if contest.bench.gpu else GLANCE
    while True:
        ran = contest.run(MOST_ROUNDS, LAUNCH, enough=(ENOUGH, glance))
        rounds.add(ran)
        spent += ran.wall if contest.bench.wall else ran.processor  # a busy machine takes longer
        timings = rounds.timings()
        if spent >= BUDGET or _settled(contest.speed, timings, glance < LAUNCH):
            return timings
        glance = min(2 * glance, LAUNCH)


def _settled(speed: Speed, timings: Timings, glance: bool) -> bool:
    """Whether the times decide. glance: so few must decide clearly."""
    if len(timings.rounds) < ENOUGH or unfit(speed, timings) is not None:
        return False
    ratio = achieved(speed, timings) if glance else None
    return clear(speed, ratio) if ratio else settled(speed, timings)


def decide(contest: Contest, timings: Timings) -> Ending:
    """The outcome that the times give."""
    speed, operation = contest.speed, contest.bench.operation
    ratio = achieved(speed, timings)
    if ratio is None or mostly_disturbed(timings):
        return Ending("uncertain", [busy(timings)])
    results = float(np.prod(operation.output(contest.given.arrays)[1]))
    taps = speed.taps or operation.taps(contest.given.arrays)
    macs = results * taps
    plain = floor(timings, macs)
    details = figures(timings, ratio, plain)
    if fault := unfit(speed, timings):
        return Ending("error", [f"{UNFIT}: {fault}"], "machine-unfit", details)
    least = floor(timings, results * (speed.fewest_taps or taps))
    if impossible(timings, least):
        lines = [
            f"{time_of(timings.typical(STUDENT))} a call is impossible: the {least.bound} alone "
            f"takes {time_of(least.ns)} on this machine",
            "so your function does not do the work of this check",
        ]
        return Ending("fail", lines, "impossible-time", details)
    lines = how_fast(speed, timings, ratio, plain.ns)
    without = [WITHOUT_SOLUTION] if estimated(speed, timings) else []
    points = earned(speed, ratio)
    if points is None and without:
        return Ending("uncertain", [*lines, *without], NO_SOLUTION, details)
    if points is None:
        lines.append("too close to the threshold to decide on this machine; you lose no points")
        return Ending("uncertain", lines, None, details)
    if points == 0:
        return Ending("fail", [*lines, f"try: {speed.hint}", *without], "slow", details)
    if excess := unreported(contest, timings):
        lines.append(
            f"but measured from outside the process, each call takes {time_of(excess)} longer than "
            "the timing program reported; the check is not decided, and you lose no points"
        )
        return Ending("uncertain", lines, "clocks-disagree", details)
    if points < speed.points:
        lines.append(f"try: {speed.hint}")
    return Ending("pass", [*lines, *without], None, details, points)


def unreported(contest: Contest, timings: Timings) -> float | None:
    """Checks the timing program with a second clock, outside its process: one process calls only
    the student's function, another one the course's, equally often.

    Returns the nanoseconds a call that the program did not report, or None when they are less than
    half a call. One thread is measured by the processor time that the kernel accounts to the
    process and all that it started; starting and ending a process costs both the same. Several
    threads and a GPU are measured by the wall time of the calls, as the verifier sees it. What
    disturbs a process makes it slower, so the fastest of several counts, and a first pair must
    agree better; a student's process that seems to cost less than it reported shows that the other
    one was disturbed. (N against 2N calls of the student's function would not do: what makes the
    first calls slower would hide what the others cost.)
    Raises Ended when a run fails, leaves a wrong output, or leaves too few outputs.
    """
    if not has_reference(timings):
        return None
    slower = max(timings.typical(STUDENT), timings.typical(REFERENCE))
    too_much = HIDDEN * timings.typical(STUDENT)
    excess = 0.0
    for seconds, most in OUTSIDE[1:] if contest.bench.threads > 1 else OUTSIDE:
        repeats = min(max(4, int(seconds * 1e9 / slower) + 1), most)
        theirs = ours = float("inf")
        for attempt in range(ATTEMPTS):
            theirs = min(theirs, _cost(contest, repeats, "student"))
            ours = min(ours, _cost(contest, repeats, "reference"))
            excess = hidden_ns(theirs, ours, timings)
            if abs(excess) <= (too_much if attempt else too_much / 2):
                return None
    return excess if excess > too_much else None


def _cost(contest: Contest, repeats: int, only: Side) -> float:
    """Seconds that each of `repeats` calls of one function costs a process. Raises Ended."""
    ran = contest.run(repeats, 60.0, only)
    if only == "student" and len(ran.samples) != repeats:
        raise Ended("fail", ["not every timed call returned"], "failed-when-timed")
    return ran.wall / (repeats - 1) if contest.bench.wall else ran.processor / repeats
