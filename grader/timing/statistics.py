"""How fast, and how sure: from the times of rounds to a decision. Numbers in, numbers out.

Points rise in two tiers, half at `pass_at` and all at `full_at`, not along a line: a line turns
every wobble of the machine into points, while a tier is decided once the whole interval of the
ratio lies on one side of it, and is then the same on the next run.
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
NO_SOLUTION = "no-solution"  # the diagnosis of a check that only the reference could decide
CONFIDENCE = 0.99
RESAMPLES = 2000
FEW = 8  # rounds; below, no bootstrap: too few to be resampled
DOUBT = 1.5  # what a figure from a few rounds may be wrong by
NARROW = 1.1  # the ends of a measured ratio that is only to be shown
ITSELF = 1.05  # the reference's two slots agree within this
DISTURBED = 1.25  # the calibration kernel's wall time over its processor time, or over its best
IMPOSSIBLE = 0.8  # of the floor: it is measured, too, and a zero border leaves out some taps


@dataclass(frozen=True)
class Interval:
    """A ratio: its median, and where that lies with CONFIDENCE."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Timings:
    """What some rounds took. Nanoseconds of a call; nan where a side took no part."""

    rounds: F64  # n x 4: student, baseline, reference, and the last one again
    copy_ns: float  # to read the bytes of an image and write those of a result, nothing else
    mac_rate: float  # multiply-adds a second
    voided: int = 0  # rounds left out because something else ran on the machine

    def column(self, side: int) -> F64:
        """The times of one side, in the rounds that it took part in."""
        times: F64 = self.rounds[:, side]
        return times[~np.isnan(times)]

    def typical(self, side: int) -> float:
        """Median nanoseconds of a call; nan for who took no part."""
        times = self.column(side)
        return float(np.median(times)) if len(times) else float("nan")


def interval(ratios: F64) -> Interval:
    """The median of the ratios with a bootstrap interval, the same for the same ratios."""
    middle = float(np.median(ratios))
    if len(ratios) < FEW:
        return Interval(float(ratios.min()) / DOUBT, middle, float(ratios.max()) * DOUBT)
    random = np.random.default_rng(20181)
    picks = random.integers(0, len(ratios), size=(RESAMPLES, len(ratios)))
    medians = np.median(ratios[picks], axis=1)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(medians, [tail, 1 - tail])
    return Interval(float(low), middle, float(high))


def paired(timings: Timings, above: int, below: int) -> Interval | None:
    """time of `above` / time of `below`, round by round; None when they never met."""
    ratios = timings.rounds[:, above] / timings.rounds[:, below]
    ratios = ratios[~np.isnan(ratios)]
    return interval(ratios) if len(ratios) else None


def has_reference(timings: Timings) -> bool:
    return len(timings.column(REFERENCE)) > 0


def achieved(speed: Speed, timings: Timings) -> Interval | None:
    """The student's speed over what it is held against.

    A student's copy of the course has no reference. There the student's speed over the baseline's
    is measured, and the reference's lies in the committed range `baseline_is`. The interval holds
    all that the quotient can be: points that it decides are those of a grade with the reference,
    on a machine that keeps the range, and what it does not decide is promised to nobody.
    """
    if speed.against == "baseline":
        return paired(timings, BASELINE, STUDENT)
    if has_reference(timings):
        return paired(timings, REFERENCE, STUDENT)
    found = paired(timings, BASELINE, STUDENT)
    if found is None or speed.baseline_is is None:
        return None
    low, high = speed.baseline_is
    return Interval(found.low / high, found.middle / math.sqrt(low * high), found.high / low)


def estimated(speed: Speed, timings: Timings) -> bool:
    """Whether achieved() rests on `baseline_is`, because there is no reference."""
    return speed.against == "reference" and not has_reference(timings)


def settled(speed: Speed, timings: Timings) -> bool:
    """Whether more rounds would change nothing: the points are decided, or what keeps them open is
    the range of `baseline_is` and no longer the measurement."""
    ratio = achieved(speed, timings)
    if ratio is None:
        return False
    if earned(speed, ratio) is not None:
        return True
    measured = paired(timings, BASELINE, STUDENT) if estimated(speed, timings) else None
    return measured is not None and measured.high <= NARROW * measured.low


def tiers(speed: Speed) -> list[tuple[float, float]]:
    """(from this ratio on, these points), rising."""
    if speed.at_least is not None and speed.against == "baseline":
        return [(speed.at_least, float(speed.points))]
    return [(speed.pass_at, speed.points / 2), (speed.full_at, float(speed.points))]


def earned(speed: Speed, ratio: Interval) -> float | None:
    """The points, or None while the interval straddles a tier that would change them."""
    at_low = max((p for bar, p in tiers(speed) if ratio.low >= bar), default=0.0)
    at_high = max((p for bar, p in tiers(speed) if ratio.high >= bar), default=0.0)
    return at_low if at_low == at_high else None


def undisturbed(rounds: F64, quiet: F64) -> tuple[F64, int]:
    """The rounds whose calibrations were all calm, and how many were not.

    quiet: n x 2, wall and processor time of the calibration kernel's worst run in each of n rounds;
    empty when there is none. It is calm when each thread had a core to itself, at the pace of the
    best round.
    """
    if not len(quiet):
        return rounds, 0
    wall, busy = quiet[:, 0], quiet[:, 1]
    calm = (wall <= DISTURBED * busy) & (wall <= DISTURBED * wall.min())
    return rounds[calm], int((~calm).sum())


def mostly_disturbed(timings: Timings) -> bool:
    """What little is left between disturbances is not calm either."""
    return timings.voided > len(timings.rounds)


def unfit(speed: Speed, timings: Timings) -> str | None:
    """Why this machine's times say nothing now, or None. Held against the course's own code only:
    whatever a student's function does, this is not its fault."""
    first = REFERENCE if has_reference(timings) else BASELINE
    itself = paired(timings, AGAIN, first)
    if itself is None:
        return "nothing of the course's own was timed"
    if not 1 / ITSELF <= itself.middle <= ITSELF:
        return (
            f"the same code took {itself.middle:.2f} times as long in its second slot as in its "
            "first"
        )
    slow = paired(timings, BASELINE, REFERENCE)
    if slow and speed.baseline_is:
        low, high = speed.baseline_is
        if not low <= slow.middle <= high:
            return (
                f"the given baseline takes {slow.middle:.3g} times the solution's time here, and "
                f"{low:g} to {high:g} is what a machine fit for this shows"
            )
    return None


Bound = Literal["multiply-adds", "memory"]


@dataclass(frozen=True)
class Floor:
    """What no program can undercut on this machine: nanoseconds, and what binds it."""

    ns: float
    bound: Bound


def floor(timings: Timings, macs: float) -> Floor:
    """The image is read, the result written, as by a copy; and `macs` multiply-adds are made."""
    work = macs / timings.mac_rate * 1e9 if timings.mac_rate else 0.0
    if work >= timings.copy_ns:
        return Floor(work, "multiply-adds")
    return Floor(timings.copy_ns, "memory")


def impossible(timings: Timings, least: Floor) -> bool:
    return timings.typical(STUDENT) < IMPOSSIBLE * least.ns


def hidden_ns(student_s: float, reference_s: float, repeats: int, timings: Timings) -> float:
    """Nanoseconds a call that the student's function used and the program did not report.

    student_s, reference_s: seconds that two processes with `repeats` calls each cost, seen from
    outside. What they do around the calls is the same for both and cancels.
    """
    outside = (student_s - reference_s) / repeats * 1e9
    inside = timings.typical(STUDENT) - timings.typical(REFERENCE)
    return outside - inside
