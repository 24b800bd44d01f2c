"""Scores a graded lab by its speed checks: the floor of each over the student's time.

All comes from the finished result, so that a stored grade has the same scores as a new one. The
floor is what the check measured and recorded (timing/statistics.py).
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from grader.model.leaderboard import Leaderboard, Scored
from grader.model.result import Check, Machine, Result
from grader.model.spec import Lab
from grader.session.plan import NO_GPU

PROCESSES = 4  # in which a check is timed at least: each measures the floor anew
FIRST = ("correct", "safe")  # kinds of checks that a part must pass before its speed has a score
# Diagnoses of times that are measured and must not be believed.
NOT_BELIEVED = {
    "impossible-time": "its time is impossible",
    "clocks-disagree": "two clocks disagree about its time",
    "machine-unfit": "this machine cannot measure time reliably right now",
}


Floors = Mapping[tuple[str, Machine], float]  # in ns, by a check's id and the machine


def of(result: Result, lab: Lab | None = None, floors: Floors | None = None) -> Leaderboard:
    """The scores of a result. lab: adds its speed checks that this machine could not time. floors:
    what the machines are known to reach, instead of what this one grading measured."""
    speeds = [check for check in result.checks if check.kind == "speed"]
    known_floors = floors or {}
    checks = [
        _scored(check, result.checks, known_floors.get((check.id, _machine(result, check))))
        for check in speeds
    ]
    known = {each.check for each in checks}
    for speed in lab.speed if lab else ():
        if lab and lab.id_of(speed) not in known:
            why = f"its points {NO_GPU}"
            checks.append(Scored(lab.id_of(speed), speed.part, speed.name, why=why, left_out=True))
    counted = [each for each in checks if not each.left_out]
    return Leaderboard(
        mean(each.score for each in counted),
        mean(each.low for each in counted),
        mean(each.high for each in counted),
        checks,
    )


def least_floors(results: Iterable[Result]) -> Floors:
    """The least floor that any of these results measured. A floor is the machine's, not a
    submission's: each grading measures it with some noise, and whose it was must not decide who
    is ahead."""
    least: dict[tuple[str, Machine], float] = {}
    for result in results:
        for check in result.checks:
            if floor := check.details.get("floor_ns") if check.kind == "speed" else None:
                key = check.id, _machine(result, check)
                least[key] = min(floor, least.get(key, floor))
    return least


def _machine(result: Result, check: Check) -> Machine:
    """The machine that a check ran on."""
    elsewhere = result.elsewhere
    return elsewhere.machine if elsewhere and check.id in elsewhere.checks else result.machine


def mean(scores: Iterable[float | None]) -> float | None:
    """The geometric mean; None of no score, and where one is missing."""
    known = list(scores)
    if not known or not all(known):
        return None
    return math.exp(math.fsum(math.log(score) for score in known if score) / len(known))


def _scored(check: Check, every: Sequence[Check], known: float | None) -> Scored:
    scored = Scored(check.id, check.part or "", check.name)
    if why := _wrong(check, every):
        return _without(scored, why)
    details = check.details
    time, floor = details.get("student_ns"), details.get("floor_ns")
    if check.diagnosis in NOT_BELIEVED:
        return _without(scored, NOT_BELIEVED[check.diagnosis])
    if not time or not floor:
        left_out = check.verdict == "skip" and check.needs is None
        return _without(scored, _untimed(check), left_out)
    highest = known or details.get("floor_high_ns", floor)
    floor = known or floor
    slowest, fastest = details.get("student_high_ns", time), details.get("student_low_ns", time)
    return Scored(
        check.id,
        check.part or "",
        check.name,
        score=min(1.0, floor / time),
        low=min(1.0, floor / slowest),
        high=min(1.0, highest / fastest),
        time_ns=time,
        floor_ns=floor,
        bound=details.get("bound", ""),
    )


def _without(scored: Scored, why: str, left_out: bool = False) -> Scored:
    return Scored(scored.check, scored.part, scored.name, why=why, left_out=left_out)


def _wrong(speed: Check, every: Sequence[Check]) -> str:
    """Why the part of a speed check is not known to be right and safe; "" when it is."""
    for check in every:
        if check.kind == "build" and check.verdict == "fail" and check.name == speed.needs:
            return "the file does not compile"
        if check.part != speed.part or check.kind not in FIRST or check.verdict == "pass":
            continue
        if check.verdict == "fail":
            return f"the part lost points in {check.name}"
        return f"it is not known whether the part passes {check.name}"
    return ""


def _untimed(check: Check) -> str:
    if check.verdict == "fail":
        return "it failed when it was timed"
    return check.message[0] if check.message else f"needs: {check.needs}"
