"""Points for predicted speed, where the course gives some: course.toml, predicted_speed.

Only where the whole interval of the ratio is on one side of a threshold; elsewhere the check is
`uncertain`, as one is whose measured interval contains the threshold.
"""

from __future__ import annotations

from grader.checks.predicted_words import figures, line
from grader.checks.speed_points import earned
from grader.grading.plan import Plan
from grader.model.prediction import Prediction
from grader.model.result import Check, Verdict
from grader.model.spec import Speed
from grader.model.verdicts import grade_line
from grader.timing.statistics import Interval

UNDECIDED = "the interval contains a threshold, so it decides nothing; you lose no points"


def checks(plan: Plan, predictions: list[Prediction]) -> list[Check]:
    """The lines of the speed checks that predictions decide, or leave undecided; none where they
    earn no points."""
    if plan.prediction != "points":
        return []
    speeds = {plan.lab.id_of(speed): speed for speed in plan.predicted}
    return [_line(plan, speeds[p.check], p) for p in predictions if p.ratio is not None]


def _line(plan: Plan, speed: Speed, prediction: Prediction) -> Check:
    assert prediction.ratio is not None
    ratio = prediction.ratio
    points = earned(speed, Interval(ratio.low, ratio.middle, ratio.high))
    said = [line(prediction)]
    verdict: Verdict = "uncertain"
    if prediction.doubt:
        points = None
        said.append(f"it decides nothing: {prediction.doubt}; you lose no points")
    elif points is None:
        said.append(UNDECIDED)
    else:
        verdict = "pass" if points else "fail"
    if points is not None and points < speed.points:
        said.append(f"try: {speed.hint}")
    return grade_line(
        plan.lab, speed, verdict, said, points=points or 0, details=figures(prediction)
    )
