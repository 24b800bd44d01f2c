"""Turns the times of rounds into a ratio of speeds with a confidence interval, and tells whether
the machine is fit to be measured."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from grader.model.lab import Speed

F64 = npt.NDArray[np.float64]

STUDENT, BASELINE, REFERENCE, AGAIN = range(4)
CONFIDENCE = 0.99
FEW = 8  # rounds; in fewer, all values together do not reach CONFIDENCE: 2 / 2^n > 1 %
FEW_FACTOR = 1.5  # a ratio from fewer rounds may be wrong by this factor
SAME_CODE = 1.05  # the times of the reference's two slots agree within this factor
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
    """The median of the ratios with its interval, which is distribution-free: of n
    values Binomial(n, 1/2) are below the true median, so it is outside of the k-th smallest to the
    k-th largest with twice the probability that fewer than k are below it. k is the largest for
    which CONFIDENCE holds."""
    values, n = np.sort(ratios), len(ratios)
    middle = float(np.median(values))
    if n < FEW:
        return Interval(float(values[0]) / FEW_FACTOR, middle, float(values[-1]) * FEW_FACTOR)
    below = np.arange(1, n // 2 + 1)
    logs = np.cumsum(np.log((n + 1 - below) / below))  # of n over `below`
    at_most = np.cumsum(np.exp([-n * np.log(2), *(logs - n * np.log(2))]))  # P(0, 1 ... below)
    k = int(np.searchsorted(at_most, (1 - CONFIDENCE) / 2, side="right"))
    return Interval(float(values[k - 1]), middle, float(values[n - k]))


def paired(timings: Timings, above: int, below: int) -> Interval | None:
    """The ratio of the times of two sides, above / below, round by round; None when no round timed
    both."""
    ratios = timings.rounds[:, above] / timings.rounds[:, below]
    ratios = ratios[~np.isnan(ratios)]
    return interval(ratios) if len(ratios) else None


def has_reference(timings: Timings) -> bool:
    return len(timings.column(REFERENCE)) > 0


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
    # Beside the solution, a student's time says all: how slow the baseline is on a machine changes
    # nothing, and the same solution runs 3 to 11 times as fast as it on idle machines (lab 8 B).
    # Only a check against the baseline needs a machine on which the solution itself meets its bar.
    if speed.against == "baseline" and speed.at_least is not None:
        solution = paired(timings, BASELINE, REFERENCE)
        if solution and solution.high < speed.at_least:
            return (
                f"the solution itself has only {solution.middle:.3g} times the speed of the given "
                f"baseline here; the check needs {speed.at_least:g} times"
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


def hidden_ns(student_s: float, reference_s: float, timings: Timings) -> float:
    """Nanoseconds of a student's call that the timing program did not report.

    student_s, reference_s: seconds a call in two processes, measured from outside. What they do
    besides the calls is the same for both and cancels out.
    """
    inside = timings.typical(STUDENT) - timings.typical(REFERENCE)
    return (student_s - reference_s) * 1e9 - inside
