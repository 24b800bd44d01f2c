"""How a speed check behaves on this machine: what gradings of the course's own solution say about
its thresholds.

A threshold is a share of the solution's speed. On the machine where a threshold was set, the
solution has 1.0 times its own speed (0.97 to 1.02 in 150 gradings of three checks, under load:
grader/tests/timing/timing.md). So a threshold that keeps its share on another machine is the
threshold times what the solution reaches there. A check against the baseline has no such figure:
how many times the baseline's speed the solution had is not in lab.toml. It gets SHARE of what the
solution has here.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from grader.checks import speed_points
from grader.checks.speed import UNFIT
from grader.model.lab import Lab, Speed
from grader.model.result import Check, Verdict
from grader.timing.statistics import Interval

# Of the solution's speed, for a check against the baseline: the share at which the checks beside
# the solution give points. It leaves ten times the 3 % that noise was measured to take.
SHARE = 0.7
USUAL = 0.97  # the solution's lowest ratio there, which calls for no other threshold
STEP = 20  # thresholds below 1 are multiples of 1/20: a finer one would follow the noise
BOTH = {"baseline_ns", "reference_ns"}  # details of a check that timed both


@dataclass(frozen=True)
class Tier:
    """A threshold. A file whose true ratio is between `unsure_from` and `unsure_to` may be `unsure`
    here. margin: from the threshold to the solution's low end, as a share of the threshold.
    suggested: None where none can be suggested."""

    name: str  # the key in lab.toml
    threshold: float
    margin: float
    unsure_from: float
    unsure_to: float
    suggested: float | None = None


@dataclass(frozen=True)
class Calibration:
    """One check after some gradings of the solution.

    solution: the solution's ratio: the lowest low end, the median of the medians and the highest
    high end; None where nothing was measured. told_apart: a file exactly at a threshold differs by
    more than the noise from the solution and from a file at the other threshold. problem: why
    nothing is suggested, in words; "" where something is.
    """

    lab: Lab
    speed: Speed
    verdicts: Mapping[Verdict, int]
    solution: Interval | None = None
    tiers: tuple[Tier, ...] = ()
    told_apart: bool = False
    problem: str = ""
    notes: list[str] = field(default_factory=list)

    def changes(self) -> bool:
        """Is another threshold suggested than the one in lab.toml?"""
        return any(tier.suggested not in (None, tier.threshold) for tier in self.tiers)


def calibration(lab: Lab, speed: Speed, gradings: Sequence[Check]) -> Calibration:
    """What the gradings of the solution, at least one, say about the check's thresholds."""
    verdicts = Counter(check.verdict for check in gradings)
    figures = [check.details for check in gradings if "ratio_low" in check.details]
    if not figures:
        return Calibration(lab, speed, verdicts, problem=_why_not(gradings))
    solution = Interval(
        min(f["ratio_low"] for f in figures),
        median(f["ratio"] for f in figures),
        max(f["ratio_high"] for f in figures),
    )
    problem = _unfit(speed, gradings)
    values: list[float] = []
    if not problem:
        values = suggested(speed, min(f["ratio"] for f in figures), solution.low)
        problem = "" if values else _too_noisy(solution)
    bars = thresholds(speed)
    chosen: list[float | None] = [*values] if values else [None] * len(bars)
    tiers = [
        _tier(name, bar, solution, value)
        for (name, bar), value in zip(bars.items(), chosen, strict=True)
    ]
    apart = [*(tier.unsure_from for tier in tiers[1:]), solution.low]
    told_apart = all(t.unsure_to < other for t, other in zip(tiers, apart, strict=True))
    notes = [*_unsure(gradings), *_notes(speed, figures)]
    return Calibration(lab, speed, verdicts, solution, tuple(tiers), told_apart, problem, notes)


def thresholds(speed: Speed) -> dict[str, float]:
    """The thresholds of a check by their keys in lab.toml, in ascending order."""
    bars = [bar for bar, _ in speed_points.tiers(speed)]
    names = ("at_least",) if len(bars) == 1 else ("pass_at", "full_at")
    return dict(zip(names, bars, strict=True))


def suggested(speed: Speed, lowest: float, low: float) -> list[float]:
    """A threshold for each of the check's, in the same order; [] where none is sensible.

    lowest: the solution's ratio in its slowest grading. low: its lowest low end. Beside the
    solution, no threshold is higher than before: our code is no faster than itself, so a ratio
    above 1 is noise. None is above `low`: there, the solution itself would be `unsure`.
    """
    if speed.against == "baseline":
        value = _rounded_down(min(SHARE * lowest, low))
        return [value] if value > 1 else []  # 1 is the baseline itself
    values = []
    for bar in thresholds(speed).values():
        value = bar if lowest >= USUAL else min(bar, round(bar * lowest * STEP) / STEP)
        values.append(value if value <= low else math.floor(low * STEP) / STEP)
    rises = all(a < b for a, b in zip([0.0, *values], values, strict=False))
    return values if rises else []


def _rounded_down(value: float) -> float:
    """Two significant digits, never more than the value."""
    if value <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(math.floor(value / step + 1e-9) * step, 6)


def _tier(name: str, bar: float, solution: Interval, value: float | None) -> Tier:
    """The tier with the suggested value. A file has at most an interval as wide, in proportion, as
    the solution's widest one: near a threshold, a grading goes on for longer."""
    return Tier(
        name,
        bar,
        solution.low / bar - 1,
        bar * solution.middle / solution.high,
        bar * solution.middle / solution.low,
        value,
    )


def _unfit(speed: Speed, gradings: Sequence[Check]) -> str:
    """Why gradings that were measured are no ground for a threshold; "" where they are."""
    for check in gradings:
        if check.verdict == "fail" and check.diagnosis == "slow":
            bar = next(iter(thresholds(speed).values()))
            beside = "the given baseline's" if speed.against == "baseline" else "its own"
            return (
                f"{UNFIT}: the solution itself has only {check.details['ratio']:.3g} times "
                f"{beside} speed here; the check needs {bar:g} times"
            )
        if check.verdict in ("fail", "error"):
            return check.message[0] if check.message else "the check failed"
    return ""


def _why_not(gradings: Sequence[Check]) -> str:
    """Why no grading measured anything, in the words of the last one."""
    last = gradings[-1]
    if last.needs:
        return f"needs: {last.needs}"
    return last.message[0] if last.message else "nothing was measured"


def _unsure(gradings: Sequence[Check]) -> list[str]:
    """How many gradings of several were not decided, and why the last of them was not."""
    messages = [check.message for check in gradings if check.verdict == "uncertain"]
    if not messages:
        return []
    why = f": {messages[-1][-1]}" if messages[-1] else ""
    return [f"{len(messages)} of {len(gradings)} gradings of our solution were unsure{why}"]


def _too_noisy(solution: Interval) -> str:
    return (
        "no threshold fits: the noise is too large "
        f"(our solution has {solution.low:.2f} to {solution.high:.2f})"
    )


def _notes(speed: Speed, figures: Sequence[Mapping[str, Any]]) -> list[str]:
    """What else an instructor must know about a check: how the given baseline does, and whether
    other programs disturbed it."""
    notes = []
    times = [f["baseline_ns"] / f["reference_ns"] for f in figures if f.keys() >= BOTH]
    if times and speed.against == "reference":
        share = 1 / median(times)
        reached = [bar for bar in thresholds(speed).values() if share >= bar]
        if reached:
            notes.append(
                f"a file as slow as the given baseline has {share:.2f} here and reaches "
                f"{reached[-1]:g}"
            )
        low, high = speed.baseline_is or (0.0, math.inf)
        for value in (min(times), max(times)):
            if not low <= value <= high:
                notes.append(
                    f"the baseline takes {value:.3g} times as long as our solution, but "
                    f"baseline_is = [{low:g}, {high:g}]: widen it, or a copy without our "
                    f"solution grades incorrectly here"
                )
                break
    voided = sum(f["voided"] for f in figures)
    rounds = voided + sum(f["rounds"] for f in figures)
    if voided:
        notes.append(f"other programs disturbed {voided} of {rounds} rounds, which do not count")
    return notes
