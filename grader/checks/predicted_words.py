"""What is said of a predicted speed. Never that it was measured."""

from __future__ import annotations

from typing import Any

from grader.model.prediction import PredictedTime, Prediction
from grader.predict.model import WORDS


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
    low, middle, high = (_three(t * factor) for t in (time.low_us, time.us, time.high_us))
    return f"{middle} {unit} ({low} to {high})"


def _three(value: float) -> str:
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
