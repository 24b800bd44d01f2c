"""What a `speed` check tells a student of its figures, in words and as data."""

from __future__ import annotations

from typing import Any

from grader.checks.speed_points import estimated
from grader.model.spec import Speed
from grader.timing.statistics import BASELINE, STUDENT, Floor, Interval, Timings, interval


def time_of(ns: float) -> str:
    """A time for people, in milliseconds or microseconds."""
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


def no_solution() -> list[str]:
    """What a student's copy of the course adds to every speed check."""
    return [
        "measured against the given baseline; your instructor's grader measures against the "
        "course's solution, which is not in this copy"
    ]


def busy(timings: Timings) -> list[str]:
    """Why no time could be measured, and what to do."""
    return [
        f"other programs kept the cores busy: {timings.voided} of "
        f"{timings.voided + len(timings.rounds)} rounds were disturbed and do not count; try again "
        "when the machine is idle"
    ]


def figures(
    timings: Timings, ratio: Interval | None, least: Floor, highest_floor: float
) -> dict[str, Any]:
    """The figures of a check for programs and pages; those of the ratio, where there is one."""
    found: dict[str, Any] = {
        "rounds": len(timings.rounds),
        "voided": timings.voided,
        "floor_ns": round(least.ns),
        "floor_high_ns": round(highest_floor),
        "bound": least.bound,
        "copy_ns": round(timings.copy_ns),
        "mac_rate": timings.mac_rate,
    }
    for side, name in enumerate(("student_ns", "baseline_ns", "reference_ns", "again_ns")):
        if len(timings.column(side)):
            found[name] = round(timings.typical(side))
    if len(times := timings.column(STUDENT)):
        student = interval(times)
        found |= {"student_low_ns": round(student.low), "student_high_ns": round(student.high)}
    if ratio:
        found |= {"ratio": ratio.middle, "ratio_low": ratio.low, "ratio_high": ratio.high}
        found["efficiency"] = least.ns / timings.typical(STUDENT)
    return found
