"""The distribution of the times of calls: the student's, the baseline's and the solution's."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from grader.render.svg import Svg
from grader.session.report_data import Timed
from grader.timing.statistics import F64

WIDTH, LEFT, RIGHT, ROW = 700.0, 96.0, 20.0, 58.0
BINS = 90
LABEL_DISTANCE = 52.0  # of two numbers on the axis, at least
TICKS = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9), range(10, 100))


@dataclass(frozen=True)
class Times:
    """The chart of a check, and its numbers as a table."""

    check: str
    picture: Markup
    rows: list[tuple[str, str, str, str, str]]  # name, rounds, median, percentiles 5 and 95
    ratio: Markup | None


def times(timed: Timed, details: dict[str, Any], bars: list[float]) -> Times:
    """`details`: of the speed check. `bars`: the ratios that earn points."""
    everything = np.concatenate(list(timed.times.values()))
    low, high = float(everything.min()) * 0.9, float(everything.max()) * 1.1
    rows = [_row(name, column) for name, column in timed.times.items()]
    label = "Times of a call. " + "; ".join(f"{name}: median {m}" for name, _, m, _, _ in rows)
    drawing = Svg(WIDTH, ROW * len(rows) + 46, label)
    foot = ROW * len(rows) + 6
    last = 0.0
    for tick in _ticks(low, high):
        x = _at(tick, low, high)
        drawing.line(x, 4, x, foot, "grid")
        if x > last + LABEL_DISTANCE:
            drawing.text(x, foot + 16, duration(tick), "axis", "middle")
            last = x
    for number, (name, column) in enumerate(timed.times.items()):
        _spread(drawing, name, column, (low, high), ROW * number + 6)
    drawing.text((LEFT + WIDTH - RIGHT) / 2, foot + 36, "time of a call", "axis", "middle")
    return Times(timed.check, drawing.done(), rows, _ratio(details, bars))


def _row(name: str, column: F64) -> tuple[str, str, str, str, str]:
    five, middle, most = (duration(float(q)) for q in np.quantile(column, (0.05, 0.5, 0.95)))
    return name, f"{len(column)}", middle, five, most


def _at(value: float, low: float, high: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(value / low) / math.log(high / low)


def _ticks(low: float, high: float) -> list[float]:
    """The coarsest marks that give at least three ticks."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    for marks in TICKS:
        inside = [t * 10.0**e for e in decades for t in marks if low <= t * 10.0**e <= high]
        if len(inside) >= 3:
            return inside
    return [low, high]


def _spread(drawing: Svg, name: str, column: F64, span: tuple[float, float], top: float) -> None:
    """A histogram on the logarithmic axis, with a line at the median."""
    edges = np.geomspace(*span, BINS + 1)
    counts, _ = np.histogram(column, edges)
    base, tall = top + ROW - 16, ROW - 24
    mine = "mine" if name == "your file" else "theirs"
    for number in np.flatnonzero(counts):
        x = _at(float(edges[number]), *span)
        wide = _at(float(edges[number + 1]), *span) - x
        height = max(2.0, tall * float(counts[number]) / float(counts.max()))
        drawing.rect(x, base - height, max(wide - 0.6, 1), height, mine)
    drawing.line(LEFT, base, WIDTH - RIGHT, base, "base")
    drawing.text(LEFT - 10, base - 6, name, "label", "end")
    x = _at(float(np.median(column)), *span)
    drawing.line(x, base - tall - 4, x, base + 4, f"median {mine}")


def _ratio(details: dict[str, Any], bars: list[float]) -> Markup | None:
    """The speed with its confidence interval, and the ratios that earn points."""
    if not {"ratio", "ratio_low", "ratio_high"} <= details.keys():
        return None
    low, middle, high = (float(details[k]) for k in ("ratio_low", "ratio", "ratio_high"))
    most = max(1.15, high * 1.1, *(b * 1.2 for b in bars))

    def at(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * value / most

    label = f"Relative speed {middle:.2f}, confidence interval {low:.2f} to {high:.2f}"
    drawing = Svg(WIDTH, 74, label)
    drawing.line(LEFT, 44, WIDTH - RIGHT, 44, "base")
    drawing.text(LEFT - 10, 48, "speed", "label", "end")
    for bar in [0.0, *bars]:
        drawing.line(at(bar), 24, at(bar), 52, "bar")
        drawing.text(at(bar), 66, f"{bar:g}", "axis", "middle")
    drawing.rect(at(low), 38, max(at(high) - at(low), 2), 12, "interval")
    drawing.line(at(middle), 34, at(middle), 54, "median mine")
    anchor = "end" if at(middle) > WIDTH / 2 else "start"
    drawing.text(at(middle), 18, f"{middle:.2f} ({low:.2f} to {high:.2f})", "label", anchor)
    return drawing.done()


def duration(ns: float) -> str:
    """ "1.23 ms"."""
    for factor, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= factor:
            return f"{ns / factor:.3g} {unit}"
    return f"{ns:.3g} ns"
