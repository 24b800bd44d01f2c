"""What is said of a predicted speed, never that it was measured."""

from grader.model.prediction import PredictedTime, Prediction
from grader.predict.terms import WORDS


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
