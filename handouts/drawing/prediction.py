"""Predicted times over measured ones, from labs/studies/predict/h200/predictions.csv."""

import csv
import math
from pathlib import Path

from handouts.drawing.canvas import BLUE, FAINT, GREY, INK, ORANGE, Drawing

FILE = Path(__file__).resolve().parents[2] / "labs/studies/predict/h200/predictions.csv"
LEFT, TOP, SIDE = 70, 56, 400
ENDS = (3.0, 3e4)  # microseconds, of both axes


def _share(microseconds: float) -> float:
    low, high = (math.log10(end) for end in ENDS)
    return (math.log10(microseconds) - low) / (high - low)


def _x(microseconds: float) -> float:
    return LEFT + SIDE * _share(microseconds)


def _y(microseconds: float) -> float:
    return TOP + SIDE * (1 - _share(microseconds))


def prediction() -> Drawing:
    """A point for each call that was timed; a line where both times are equal."""
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    held_out = [row for row in rows if row["half"] == "held out"]
    near = sum(_ratio(row) <= 1.3 for row in held_out)
    d = Drawing(
        LEFT + SIDE + 240,
        TOP + SIDE + 60,
        "Predicted and measured times on an H200",
        f"A scatter plot with logarithmic axes from 3 microseconds to 30 milliseconds. {len(rows)} "
        "points lie along the diagonal, where both times are equal. Of the held-out "
        f"{len(held_out)}, {near} are within a factor of 1.3.",
    )
    d.text(24, 30, "Predicted over measured times, µs", 15, weight="bold")
    for decade in (10, 100, 1000, 10000):
        d.line(_x(decade), TOP, _x(decade), TOP + SIDE, FAINT)
        d.line(LEFT, _y(decade), LEFT + SIDE, _y(decade), FAINT)
        d.text(_x(decade), TOP + SIDE + 18, f"{decade}", 11, GREY, "middle")
        d.text(LEFT - 8, _y(decade) + 4, f"{decade}", 11, GREY, "end")
    d.line(_x(ENDS[0]), _y(ENDS[0]), _x(ENDS[1]), _y(ENDS[1]), INK, 1.2)
    d.text(LEFT + SIDE / 2, TOP + SIDE + 38, "measured on an NVIDIA H200", 12, GREY, "middle")
    for row in rows:
        colour = BLUE if row["half"] == "held out" else ORANGE
        d.rect(_x(float(row["measured_us"])) - 2, _y(float(row["predicted_us"])) - 2, 4, 4, colour)
    x = LEFT + SIDE + 24
    for y, colour, words in (
        (TOP + 20, BLUE, f"held out: {len(held_out)} calls"),
        (TOP + 44, ORANGE, f"fitted: {len(rows) - len(held_out)} calls"),
    ):
        d.rect(x, y - 8, 8, 8, colour)
        d.text(x + 16, y, words, 12)
    d.text(x, TOP + 72, "the line: both times are equal", 12, GREY)
    return d


def _ratio(row: dict[str, str]) -> float:
    ratio = float(row["predicted_us"]) / float(row["measured_us"])
    return max(ratio, 1 / ratio)
