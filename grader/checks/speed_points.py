"""From a ratio of times to the points of a speed check.

There are two tiers of points, half at `pass_at` and all at `full_at`. Points that rise continuously
would change with every fluctuation of the machine; a tier is decided once the whole interval is on
one side of it, and is then the same in the next run.
"""

from __future__ import annotations

import math

from grader.model.spec import Speed
from grader.timing.statistics import (
    BASELINE,
    REFERENCE,
    STUDENT,
    Interval,
    Timings,
    has_reference,
    paired,
)

NO_SOLUTION = "no-solution"  # diagnosis of a check that only the reference solution can decide
NARROW = 1.1  # high / low of an interval that is only shown


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
