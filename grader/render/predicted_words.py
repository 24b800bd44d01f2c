"""What is said of a predicted speed, never that it was measured."""

from grader.model.prediction import PredictedTime, Prediction
from grader.predict import compare
from grader.predict.terms import WORDS

WIDE = 3.0  # an interval's end over its other end, beyond which no number stands for it


def line(prediction: Prediction) -> str:
    time = prediction.time
    if time is None:
        return f"not predicted: {prediction.reason}"
    text = f"predicted on an {prediction.gpu}, not measured: {duration(time)}"
    if prediction.ratio is not None:
        ratio = prediction.ratio
        whose = "our solution's" if prediction.against == "solution" else "the given baseline's"
        span = f"{ratio.low:.2f} to {ratio.high:.2f}"
        if ratio.high <= WIDE * ratio.low:
            text += f", {ratio.middle:.2f} of {whose} speed ({span})"
        else:
            text += f", {span} of {whose} speed"
    text += f"; bound by {WORDS[time.bound]}"
    if prediction.line is not None:
        share = prediction.line.share
        much = "all" if share > 0.99 else f"{100 * share:.0f} %"
        text += f"; {much} of that from {prediction.line.file}:{prediction.line.line}"
    return text


def compared(mine: Prediction, other: Prediction) -> str:
    """Is the first faster than the second? Such as "faster, 1.3 to 1.8 times as fast: ..."."""
    speed = compare.ratio(mine, other)
    if speed is None or mine.time is None or other.time is None:
        return f"not predicted: {other.reason or mine.reason}"
    span = f"{speed.low:.2f} to {speed.high:.2f} of its speed"
    if speed.low <= 1 <= speed.high:
        return f"too close to tell: {span}"
    terms = compare.differences(mine.time.terms, other.time.terms)
    most = WORDS[max(terms, key=lambda name: terms[name])]
    return f"{'faster' if speed.low > 1 else 'slower'}, {span}; they differ most in {most}"


def duration(time: PredictedTime) -> str:
    """ "150 us (120 to 190)"; "100 to 400 us" where the interval is too wide for one number."""
    unit, factor = ("us", 1.0) if time.high_us < 9995 else ("ms", 1e-3)
    low, middle, high = (three_digits(t * factor) for t in (time.low_us, time.us, time.high_us))
    if time.high_us > WIDE * time.low_us:
        return f"{low} to {high} {unit}"
    return f"{middle} {unit} ({low} to {high})"


def three_digits(value: float) -> str:
    """With three digits: "1.23", "12.3", "1230"."""
    return f"{float(f'{value:.3g}'):g}"
