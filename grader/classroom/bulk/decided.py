"""A grade in which the instructor decided single checks by hand."""

from collections.abc import Iterable

import msgspec

from grader.classroom.bulk.overrides import Override
from grader.grading.score import OUR_FAULT, UNCERTAIN
from grader.model.result import Check, Result, Verdict
from grader.model.score import Score, Unmeasured

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
    """The checks that a name means: an id or a whole title, else a part of a title."""
    folded = name.strip().casefold()
    worth = [check for check in result.checks if check.max_points]
    exact = [c for c in worth if folded in (c.id.casefold(), c.title().casefold())]
    return exact or [check for check in worth if folded in check.title().casefold()]


def _with(result: Result, check: Check, points: float, why: str) -> Result:
    said = f"set to {points:g} of {check.max_points:g} by the instructor: {why}"
    verdict: Verdict = "pass" if points >= check.max_points else "fail"
    new = msgspec.structs.replace(
        check, verdict=verdict, points=points, message=[said, *check.reasons()], needs=None
    )
    judged = check.verdict in JUDGED or check.needs is not None
    score, more = result.score, 0 if judged else check.max_points
    return msgspec.structs.replace(
        result,
        checks=[new if each is check else each for each in result.checks],
        score=Score(
            score.earned - (check.points if judged else 0) + points,
            score.measured + more,
            score.total,
            _without(score.unmeasured, more),
            score.predicted,
        ),
    )


def _without(unmeasured: tuple[Unmeasured, ...], points: float) -> tuple[Unmeasured, ...]:
    """What is left unmeasured once so many points of what could not be decided are set."""
    left = []
    for each in unmeasured:
        undecided = each.reason == OUR_FAULT or each.reason.startswith(UNCERTAIN)
        filled = min(points, each.points) if undecided else 0
        points -= filled
        left += [Unmeasured(each.points - filled, each.reason)] if each.points > filled else []
    return tuple(left)
