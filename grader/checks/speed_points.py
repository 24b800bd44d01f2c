"""Points of a speed check from a ratio of times, and the sentence that reports them.

There are two tiers of points, half at `pass_at` and all at `full_at`. Points that rise continuously
would change with every fluctuation of the machine; a tier is decided once the whole interval is on
one side of it, and is then the same in the next run.
"""

import math
from typing import Any

from grader.model.lab import Speed
from grader.timing.statistics import (
    BASELINE,
    REFERENCE,
    STUDENT,
    Floor,
    Interval,
    Timings,
    has_reference,
    paired,
)

WITHOUT_SOLUTION = (  # in a student's copy of the course, of every speed check
    "measured against the given baseline; your instructor's grader measures against the course's "
    "solution, which is not in this copy"
)
NARROW = 1.1  # high / low of an interval that is only shown
CLEAR = 1.05  # so far from a threshold a ratio needs no second measurement


def achieved(speed: Speed, timings: Timings) -> Interval | None:
    """The student's speed over the speed that it is compared with: baseline's or reference's.

    A student's copy of the course has no reference solution. There the student's speed over the
    baseline's is measured, and the reference's is assumed to be in the range `baseline_is`. The
    interval then covers every possible quotient: points that it decides are the same in a grade
    with the reference, on a machine that keeps to the range.
    """
    if speed.against == "baseline":
        return paired(timings, BASELINE, STUDENT)
    if has_reference(timings):
        return paired(timings, REFERENCE, STUDENT)
    measured = paired(timings, BASELINE, STUDENT)
    if measured is None or speed.baseline_is is None:
        return None
    low, high = speed.baseline_is
    middle = measured.middle / math.sqrt(low * high)
    return Interval(measured.low / high, middle, measured.high / low)


def estimated(speed: Speed, timings: Timings) -> bool:
    """Whether achieved() depends on `baseline_is`, because there is no reference."""
    return speed.against == "reference" and not has_reference(timings)


def clear(speed: Speed, ratio: Interval) -> bool:
    """Whether the points are decided even if the interval is much too narrow."""
    wider = Interval(ratio.low / CLEAR, ratio.middle, ratio.high * CLEAR)
    return earned(speed, wider) is not None


def settled(speed: Speed, timings: Timings) -> bool:
    """Whether more rounds would not help: the points are decided, or they are open because of the
    range `baseline_is` and no longer because of the measurement."""
    ratio = achieved(speed, timings)
    if ratio is None:
        return False
    if earned(speed, ratio) is not None:
        return True
    measured = paired(timings, BASELINE, STUDENT) if estimated(speed, timings) else None
    return measured is not None and measured.high <= NARROW * measured.low


def tiers(speed: Speed) -> list[tuple[float, float]]:
    """(smallest ratio, points) of each tier, in ascending order."""
    if speed.at_least is not None and speed.against == "baseline":
        return [(speed.at_least, float(speed.points))]
    return [(speed.pass_at, speed.points / 2), (speed.full_at, float(speed.points))]


def earned(speed: Speed, ratio: Interval) -> float | None:
    """The points, or None while the interval contains the threshold of a tier."""
    at_low = max((p for bar, p in tiers(speed) if ratio.low >= bar), default=0.0)
    at_high = max((p for bar, p in tiers(speed) if ratio.high >= bar), default=0.0)
    return at_low if at_low == at_high else None


def time_of(ns: float) -> str:
    """A time for people, in milliseconds or microseconds."""
    if ns >= 1e6:
        return f"{ns / 1e6:.3g} ms"
    return f"{ns / 1e3:.3g} µs"


def how_fast(speed: Speed, timings: Timings, ratio: Interval, floor_ns: float) -> list[str]:
    """How fast it is, compared with what, how sure that is, and how near to the machine's limit."""
    student = timings.typical(STUDENT)
    if speed.against == "baseline":
        compared = f"{ratio.middle:.3g} times the speed of the given baseline"
        thresholds = f"the check needs {speed.at_least:g} times"
    else:
        compared = f"{ratio.middle:.2f} times the speed of the course's solution"
        thresholds = f"half of the points from {speed.pass_at:g} on, all from {speed.full_at:g} on"
    lines = [
        f"{time_of(student)} a call: {compared} ({ratio.low:.2f} to {ratio.high:.2f} in "
        f"{len(timings.rounds)} rounds); {thresholds}",
    ]
    if estimated(speed, timings) and speed.baseline_is:
        times = timings.typical(BASELINE) / student
        low, high = speed.baseline_is
        lines = [
            f"{time_of(student)} a call: {times:.3g} times the speed of the given baseline; the "
            f"course's solution reaches {low:g} to {high:g} times, so yours has {ratio.low:.2g} to "
            f"{ratio.high:.2g} times the solution's speed; {thresholds}"
        ]
    percent = 100 * floor_ns / student
    plain = "with a multiply-add for every tap, " if speed.fewest_taps else ""
    lines.append(
        f"{plain}the fastest possible on this machine is about {time_of(floor_ns)}; you reach "
        f"{percent:.2g} % of that"
    )
    return lines


def figures(timings: Timings, ratio: Interval | None, least: Floor) -> dict[str, Any]:
    """The figures of a check for programs and pages; those of the ratio, where there is one."""
    found: dict[str, Any] = {
        "rounds": len(timings.rounds),
        "voided": timings.voided,
        "floor_ns": round(least.ns),
        "copy_ns": round(timings.copy_ns),
        "mac_rate": timings.mac_rate,
    }
    for side, name in enumerate(("student_ns", "baseline_ns", "reference_ns", "again_ns")):
        if len(timings.column(side)):
            found[name] = round(timings.typical(side))
    if ratio:
        found |= {"ratio": ratio.middle, "ratio_low": ratio.low, "ratio_high": ratio.high}
        found["efficiency"] = least.ns / timings.typical(STUDENT)
    return found
