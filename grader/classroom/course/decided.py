"""A grade in which single checks were decided by hand, or graded again."""

from collections.abc import Iterable

import msgspec

from grader.classroom.course.override import Override
from grader.grading.score import OUR_FAULT, UNCERTAIN
from grader.model.result import Check, Result, Verdict
from grader.model.score import Score, Unmeasured

AGAIN = "graded_again"  # in the details of a check
JUDGED: tuple[Verdict, ...] = ("pass", "fail")


def decided(result: Result, overrides: Iterable[Override]) -> Result:
    """The result with the points that were set for its checks. A check that the lab no longer has
    changes nothing."""
    for override in overrides:
        check = next((each for each in result.checks if each.id == override.check), None)
        if check is not None and override.points is not None:
            result = _with(result, check, override.points, override.why)
    return result


def find(result: Result, name: str) -> list[Check]:
    """The checks that a name means: an id, a whole name or title, else a part of a title."""
    folded = name.strip().casefold()
    worth = [check for check in result.checks if check.max_points]
    exact = [c for c in worth if folded in map(str.casefold, (c.id, c.name, c.title()))]
    return exact or [check for check in worth if folded in check.title().casefold()]


def _with(result: Result, check: Check, points: float, why: str) -> Result:
    said = f"set to {points:g} of {check.max_points:g} by the instructor: {why}"
    verdict: Verdict = "pass" if points >= check.max_points else "fail"
    new = msgspec.structs.replace(
        check, verdict=verdict, points=points, message=[said, *check.reasons()], needs=None
    )
    return _exchanged(result, check, new)


def graded_again(result: Result, again: Result) -> Result:
    """The result with the checks of another grading of a part of them. Those that the grader or the
    machine could not do then stay as they were."""
    new = {c.id: c for c in again.checks if c.kind != "build" and c.verdict != "error"}
    for check in result.checks:
        if check.id in new:
            marked = {**new[check.id].details, AGAIN: True}
            changed = msgspec.structs.replace(new[check.id], details=marked)
            result = _exchanged(result, check, changed)
    return result


def _exchanged(result: Result, old: Check, new: Check) -> Result:
    before, after = _judged(old), _judged(new)
    more = old.max_points * (after - before)
    score = result.score
    left = _without(score.unmeasured, more)
    if more < 0:
        left = (*left, Unmeasured(-more, UNCERTAIN))
    earned = score.earned - before * old.points + after * new.points
    return msgspec.structs.replace(
        result,
        checks=[new if each is old else each for each in result.checks],
        score=Score(earned, score.measured + more, score.total, left),
    )


def _judged(check: Check) -> bool:
    return check.verdict in JUDGED or check.needs is not None


def _without(unmeasured: tuple[Unmeasured, ...], points: float) -> tuple[Unmeasured, ...]:
    """What is left unmeasured once so many points of what could not be decided are set."""
    left = []
    for each in unmeasured:
        undecided = each.reason == OUR_FAULT or each.reason.startswith(UNCERTAIN)
        filled = min(max(points, 0), each.points) if undecided else 0
        points -= filled
        left += [Unmeasured(each.points - filled, each.reason)] if each.points > filled else []
    return tuple(left)
