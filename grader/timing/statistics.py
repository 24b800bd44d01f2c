"""Turns the times of rounds into a ratio of speeds with a confidence interval, and into points.

There are two tiers of points, half at `pass_at` and all at `full_at`. Points that rise continuously
would change with every fluctuation of the machine; a tier is decided once the whole interval is on
one side of it, and is then the same in the next run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from grader.model.spec import Speed

F64 = npt.NDArray[np.float64]

STUDENT, BASELINE, REFERENCE, AGAIN = range(4)
NO_SOLUTION = "no-solution"  # diagnosis of a check that only the reference solution can decide
CONFIDENCE = 0.99
RESAMPLES = 2000
FEW = 8  # rounds; fewer are not resampled
FEW_FACTOR = 1.5  # a ratio from fewer rounds may be wrong by this factor
NARROW = 1.1  # high / low of an interval that is only shown
SAME_CODE = 1.05  # the times of the reference's two slots agree within this factor
DISTURBED = 1.25  # wall time of the calibration kernel over its processor time, or over its best
IMPOSSIBLE = 0.8  # of the floor, which is measured itself; and a zero border leaves out some taps


@dataclass(frozen=True)
class Interval:
    """A ratio: its median, and the confidence interval of the median."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Timings:
    """The times of some rounds, in nanoseconds of a call; nan where a side was not timed."""

    rounds: F64  # n x 4: student, baseline, reference, and the last one again
    copy_ns: float  # to read as many bytes as the image has and write as many as the result has
    mac_rate: float  # multiply-adds a second
    voided: int = 0  # further rounds that do not count, because something else ran on the machine

    def column(self, side: int) -> F64:
        """The times of one side, without the rounds in which it was not timed."""
        times: F64 = self.rounds[:, side]
        return times[~np.isnan(times)]

    def typical(self, side: int) -> float:
        """Median nanoseconds of a call; nan for a side that was never timed."""
        times = self.column(side)
        return float(np.median(times)) if len(times) else float("nan")


def interval(ratios: F64) -> Interval:
    """The median of the ratios with its bootstrap interval. Deterministic."""
    middle = float(np.median(ratios))
    if len(ratios) < FEW:
        return Interval(float(ratios.min()) / FEW_FACTOR, middle, float(ratios.max()) * FEW_FACTOR)
    random = np.random.default_rng(20181)
    picks = random.integers(0, len(ratios), size=(RESAMPLES, len(ratios)))
    medians = np.median(ratios[picks], axis=1)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(medians, [tail, 1 - tail])
    return Interval(float(low), middle, float(high))


def paired(timings: Timings, above: int, below: int) -> Interval | None:
    """The ratio of the times of two sides, above / below, round by round; None when no round timed
    both."""
    ratios = timings.rounds[:, above] / timings.rounds[:, below]
    ratios = ratios[~np.isnan(ratios)]
    return interval(ratios) if len(ratios) else None


def has_reference(timings: Timings) -> bool:
    return len(timings.column(REFERENCE)) > 0


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


def undisturbed(rounds: F64, calibrations: F64) -> tuple[F64, int]:
    """The rounds in which nothing else disturbed the calibration kernel, and the number of others.

    calibrations: n x 2, wall and processor time of the kernel's worst run in each of n rounds;
    empty when there was no calibration. A round is undisturbed when each thread had a core to
    itself, and the kernel was about as fast as in the best round.
    """
    if not len(calibrations):
        return rounds, 0
    wall, processor = calibrations[:, 0], calibrations[:, 1]
    calm = (wall <= DISTURBED * processor) & (wall <= DISTURBED * wall.min())
    return rounds[calm], int((~calm).sum())


def mostly_disturbed(timings: Timings) -> bool:
    """Whether more rounds were disturbed than not: then the others cannot be trusted either."""
    return timings.voided > len(timings.rounds)


def unfit(speed: Speed, timings: Timings) -> str | None:
    """Why times of this machine cannot be trusted now, or None. The times of the course's own code
    alone decide: no student's function can cause it."""
    first = REFERENCE if has_reference(timings) else BASELINE
    itself = paired(timings, AGAIN, first)
    if itself is None:
        return "none of the course's own functions was timed"
    if not 1 / SAME_CODE <= itself.middle <= SAME_CODE:
        return (
            "the same code took "
            f"{itself.middle:.2f} times as long in its second slot as in its first"
        )
    slow = paired(timings, BASELINE, REFERENCE)
    if slow and speed.baseline_is:
        low, high = speed.baseline_is
        if not low <= slow.middle <= high:
            return (
                f"the given baseline takes {slow.middle:.3g} times as long as the solution here; "
                f"on a suitable machine it takes {low:g} to {high:g} times as long"
            )
    return None


Bound = Literal["multiply-adds", "memory"]


@dataclass(frozen=True)
class Floor:
    """The least time of a call that is possible on this machine, and what limits it."""

    ns: float
    bound: Bound


def floor(timings: Timings, macs: float) -> Floor:
    """The floor of a call that reads the image, writes the result, makes `macs` multiply-adds."""
    work = macs / timings.mac_rate * 1e9 if timings.mac_rate else 0.0
    if work >= timings.copy_ns:
        return Floor(work, "multiply-adds")
    return Floor(timings.copy_ns, "memory")


def impossible(timings: Timings, least: Floor) -> bool:
    """Whether the student's calls took less time than is possible."""
    return timings.typical(STUDENT) < IMPOSSIBLE * least.ns


def hidden_ns(student_s: float, reference_s: float, repeats: int, timings: Timings) -> float:
    """Nanoseconds of a student's call that the timing program did not report.

    student_s, reference_s: seconds that two processes took, measured from outside, with `repeats`
    calls each. What they do besides the calls is the same for both and cancels out.
    """
    outside = (student_s - reference_s) / repeats * 1e9
    inside = timings.typical(STUDENT) - timings.typical(REFERENCE)
    return outside - inside
