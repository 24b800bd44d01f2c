"""Scaling curves as SVG, in the colours of the project's other charts."""

import matplotlib as mpl
import matplotlib.ticker
from matplotlib.figure import Figure

from labs.studies.bench import svg
from labs.studies.bench.results import Curve, Line

# Ours have a colour each, all libraries the third; limits are grey.
COLOURS = {
    "reference": svg.SERIES[0],
    "expert": svg.SERIES[1],
    "baseline": svg.INK,
    "copy": svg.FAINT,
}
DASHES = {
    "copy": ":",
    "baseline": "-.",
    "cuDNN TF32": "--",
    "CuPy": ":",
    "OpenCV direct": "--",
    "SciPy": ":",
}
MARKERS = {"reference": "o", "expert": "s", "copy": "", "baseline": ""}
SIZE = (6.4, 3.6)  # inches
WIDE = 4  # an axis is logarithmic if its largest value is over this times the smallest


def figure(curve: Curve) -> Figure:
    """All lines of a curve in one panel, named at the right."""
    chart = Figure(figsize=SIZE, layout="constrained")
    axes = chart.subplots()
    for line in curve.lines:
        x, y = zip(*line.points, strict=True)
        axes.plot(
            x,
            y,
            color=COLOURS.get(line.who, svg.SERIES[2]),
            linestyle=DASHES.get(line.who, "-"),
            marker=MARKERS.get(line.who, "^"),
            markersize=4,
            linewidth=1.4,
            label=line.who,
        )
    _axes(axes, curve)
    legend = chart.legend(loc="outside right upper", frameon=False, fontsize=8, handlelength=2.6)
    for text in legend.get_texts():
        text.set_color(svg.INK)
    return chart


def _axes(axes: mpl.axes.Axes, curve: Curve) -> None:
    axes.set_title(curve.title, color=svg.INK, fontsize=9, loc="left")
    axes.set_xlabel(curve.x, color=svg.INK, fontsize=8)
    axes.set_ylabel(curve.y, color=svg.INK, fontsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(svg.FAINT)
    axes.tick_params(colors=svg.INK, labelsize=8, color=svg.FAINT, which="both")
    axes.grid(color=svg.FAINT, linewidth=0.4, alpha=0.6)
    values = sorted({x for line in curve.lines for x, _ in line.points})
    if values[-1] > WIDE * values[0]:
        axes.set_xscale("log")
    axes.set_xticks(values, [f"{value:g}" for value in values])
    axes.xaxis.set_minor_locator(mpl.ticker.NullLocator())
    if _spread(curve.lines) > WIDE:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _position: f"{value:g}")
        axes.yaxis.set_minor_locator(mpl.ticker.NullLocator())
    else:
        axes.set_ylim(bottom=0)


def _spread(lines: list[Line]) -> float:
    values = [y for line in lines for _, y in line.points]
    return max(values) / min(values)


def as_svg(curve: Curve) -> str:
    """A separate file: legible on white and on black."""
    return svg.as_svg(figure(curve), curve.name, svg.FIXED)
