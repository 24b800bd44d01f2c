"""What is said of a predicted speed, never that it was measured; and its points, where the course
gives some: course.toml, predicted_speed.

Only where the whole interval of the ratio is on one side of a threshold; elsewhere the check is
`uncertain`, as one is whose measured interval contains the threshold.
"""

from typing import Any

from grader.checks.speed_points import earned
from grader.model.prediction import PredictedTime, Prediction
from grader.model.result import Check, Verdict
from grader.model.spec import Speed
from grader.model.verdicts import grade_line
from grader.predict.model import WORDS
from grader.session.plan import Plan
from grader.timing.statistics import Interval

UNDECIDED = "the interval contains a threshold, so it decides nothing; you lose no points"


def judge_predictions(plan: Plan, predictions: list[Prediction]) -> list[Check]:
    """The lines of the speed checks that predictions decide, or leave undecided; none where they
    earn no points."""
    if plan.prediction != "points":
        return []
    speeds = {plan.lab.id_of(speed): speed for speed in plan.predicted}
    return [judge_prediction(plan, speeds[p.check], p) for p in predictions if p.ratio is not None]


def judge_prediction(plan: Plan, speed: Speed, prediction: Prediction) -> Check:
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


def line(prediction: Prediction) -> str:
    time = prediction.time
    if time is None:
        return f"not predicted: {prediction.reason}"
    text = f"predicted on an {prediction.gpu}, not measured: {duration(time)}"
    if prediction.ratio is not None:
        ratio = prediction.ratio
        whose = "our solution's" if prediction.against == "solution" else "the given baseline's"
        text += f", {ratio.middle:.2f} of {whose} speed ({ratio.low:.2f} to {ratio.high:.2f})"
    text += f"; bound by {WORDS[time.bound]}"
    if prediction.line is not None:
        share = prediction.line.share
        much = "all" if share > 0.99 else f"{100 * share:.0f} %"
        text += f"; {much} of that from {prediction.line.file}:{prediction.line.line}"
    return text


def duration(time: PredictedTime) -> str:
    """ "150 us (120 to 190)"."""
    unit, factor = ("us", 1.0) if time.high_us < 9995 else ("ms", 1e-3)
    low, middle, high = (three_digits(t * factor) for t in (time.low_us, time.us, time.high_us))
    return f"{middle} {unit} ({low} to {high})"


def three_digits(value: float) -> str:
    """With three digits: "1.23", "12.3", "1230"."""
    return f"{float(f'{value:.3g}'):g}"


def figures(prediction: Prediction) -> dict[str, Any]:
    """The figures of a check that a prediction decides, for programs."""
    found: dict[str, Any] = {"predicted": True, "gpu": prediction.gpu}
    if prediction.time is not None:
        found |= {"predicted_us": prediction.time.us}
    if prediction.ratio is not None:
        ratio = prediction.ratio
        found |= {"ratio": ratio.middle, "ratio_low": ratio.low, "ratio_high": ratio.high}
    return found
