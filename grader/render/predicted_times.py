"""The predicted time of a function as a stacked bar, beside those of the baseline and the solution,
and which change of the code would make which term smaller."""

from dataclasses import dataclass

from markupsafe import Markup

from grader.model.prediction import PredictedTime, Prediction
from grader.predict.terms import CHANGES, WORDS, WORSE
from grader.render.predicted_words import line, three_digits
from grader.render.svg import Svg

WIDTH, LEFT, RIGHT, ROW, BAR = 700.0, 96.0, 90.0, 40.0, 22.0
SHOWN = 0.04  # of a function's time: a term that is smaller in all of them is a part of `other`
MOST_TERMS = 7  # that have a colour; the next one is that of `other`
OTHER = "other"


@dataclass(frozen=True)
class Chart:
    """The chart of one prediction, its numbers as a table, and the changes for its terms."""

    part: str
    name: str
    line: str
    picture: Markup
    legend: list[tuple[str, str]]  # class of a colour, and the term in words
    headings: list[str]
    rows: list[list[str]]
    changes: list[tuple[str, str]]  # the term in words, and the sentence, where it is worse


def charts(predictions: list[Prediction]) -> list[Chart]:
    """Those of the predictions that have a time."""
    return [_chart(each, each.time) for each in predictions if each.time is not None]


def reasons(predictions: list[Prediction]) -> list[tuple[str, str]]:
    """The names of the checks without a prediction, and why."""
    return [(each.check.split("/", 2)[2], each.reason) for each in predictions if not each.time]


def _chart(prediction: Prediction, time: PredictedTime) -> Chart:
    sides = {"your file": time}
    if prediction.baseline is not None:
        sides["baseline"] = prediction.baseline
    if prediction.solution is not None:
        sides["solution"] = prediction.solution
    most: dict[str, float] = {}  # the largest share of a function's time
    for side in sides.values():
        for name, us in side.terms.items():
            most[name] = max(most.get(name, 0.0), us / side.us)
    # The student's largest terms first: they are the ones to work on.
    order = sorted(most, key=lambda name: (-time.terms.get(name, 0.0), -most[name], name))
    shown = [name for name in order if most[name] >= SHOWN][:MOST_TERMS]
    if len(shown) < len(most):
        shown.append(OTHER)
    values = {whose: _terms(side, shown) for whose, side in sides.items()}
    _, part, name = prediction.check.split("/", 2)
    best = values.get("solution", {})
    mine = [
        term
        for term in shown
        if term != OTHER and values["your file"][term] > WORSE * best.get(term, 0.0)
    ]
    return Chart(
        part=part,
        name=name,
        line=line(prediction),
        picture=_picture(sides, values),
        legend=[(_colour(i, term), _words(term)) for i, term in enumerate(shown)],
        headings=["", *sides],
        rows=[
            *([_words(t), *(three_digits(values[w][t]) for w in sides)] for t in shown),
            ["in all", *(three_digits(side.us) for side in sides.values())],
            [
                "interval",
                *(f"{three_digits(s.low_us)} to {three_digits(s.high_us)}" for s in sides.values()),
            ],
        ],
        changes=[(WORDS[term], CHANGES[term]) for term in mine],
    )


def _terms(side: PredictedTime, shown: list[str]) -> dict[str, float]:
    known = {name: side.terms.get(name, 0.0) for name in shown if name != OTHER}
    return known | ({OTHER: max(side.us - sum(known.values()), 0.0)} if OTHER in shown else {})


def _picture(sides: dict[str, PredictedTime], values: dict[str, dict[str, float]]) -> Markup:
    label = "Predicted times, not measured. " + ". ".join(
        f"{whose}: {three_digits(side.us)} microseconds, most of them {WORDS[side.bound]}"
        for whose, side in sides.items()
    )
    drawing = Svg(WIDTH, ROW * len(sides) + 8, label)
    scale = (WIDTH - LEFT - RIGHT) / max(side.us for side in sides.values())
    for number, (whose, side) in enumerate(sides.items()):
        top = ROW * number + 8
        drawing.text(LEFT - 10, top + BAR - 6, whose, "label", "end")
        x = LEFT
        for i, (term, us) in enumerate(values[whose].items()):
            wide = us * scale
            if wide <= 0:
                continue
            tip = f"{_words(term)}: {three_digits(us)} us"
            drawing.rect(x, top, wide, BAR, f"term {_colour(i, term)}", tip)
            x += wide
        drawing.text(x + 8, top + BAR - 6, f"{three_digits(side.us)} us", "strong")
    return drawing.done()


def _colour(number: int, term: str) -> str:
    """The class of a term's colour, by its number."""
    return f"term{MOST_TERMS if term == OTHER else number}"


def _words(term: str) -> str:
    return OTHER if term == OTHER else WORDS[term]
