"""The charts of the report: published figures, this machine and the committed run side by side."""

import matplotlib as mpl
import matplotlib.ticker
from matplotlib.figure import Figure

from labs.studies.bench.svg import FAINT, INK, SERIES, as_svg
from labs.studies.reproduce.tables import Cell, Section

LOGARITHMIC = 30  # the axis is logarithmic if the largest value is over this times the smallest
PANEL, SIDE, BAR = 3.1, 2.3, 0.22  # inches


def _panel(axes: mpl.axes.Axes, title: str, cells: list[Cell], colours: list[str]) -> None:
    """Draws horizontal bars, the first on top, or words where there is no figure."""
    values = [cell.value for cell in cells if cell.value]
    axes.set_title(title, color=INK, fontsize=9, loc="left")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.tick_params(colors=INK, labelsize=8, left=False, color=FAINT)
    axes.set_axisbelow(True)
    if not values:
        words = sorted({cell.text for cell in cells})
        axes.text(0.5, 0.5, words[0], transform=axes.transAxes, ha="center", color=INK, fontsize=9)
        axes.set_xticks([])
        return
    low = min(values)
    if max(values) > LOGARITHMIC * low:
        axes.set_xscale("log")
        axes.set_title(f"{title}, log scale", color=INK, fontsize=9, loc="left")
        axes.xaxis.set_minor_locator(mpl.ticker.NullLocator())
        axes.set_xlim(low / 3, max(values) * 6)
    else:
        axes.set_xlim(0, max(values) * 1.35)
    axes.xaxis.set_major_formatter(lambda value, _position: f"{value:g}")
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    for y, (cell, colour) in enumerate(zip(cells, colours, strict=True)):
        if cell.value:
            axes.barh(y, cell.value, height=0.72, color=colour)
        label = f"\N{NO-BREAK SPACE}{cell.text}"
        start = cell.value or axes.get_xlim()[0]
        axes.text(start, y, label, va="center", color=INK, fontsize=7.5)


def figure(section: Section) -> Figure:
    """Published, this machine and the committed run side by side, each panel with its own scale."""
    lines = [line for line in section.lines if line.bar]
    groups = list(dict.fromkeys(line.group for line in lines))
    colours = [SERIES[groups.index(line.group) % len(SERIES)] for line in lines]
    panels = [
        ("this machine", [line.here for line in lines]),
        ("committed run", [line.reference for line in lines]),
    ]
    if any(line.published.value is not None for line in lines):
        panels.insert(0, ("published", [line.published for line in lines]))
    height = 0.75 + BAR * len(lines)
    chart = Figure(figsize=(SIDE + PANEL * len(panels), height), layout="constrained")
    for axes, (title, cells) in zip(
        chart.subplots(1, len(panels), sharey=True), panels, strict=True
    ):
        _panel(axes, f"{title}, {section.unit}", cells, colours)
    names = [f"{line.label} {line.group}".strip() for line in lines]
    axes = chart.axes[0]
    axes.set_yticks(range(len(lines)), names)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    return chart


def svg(section: Section, colours: dict[str, str]) -> str:
    """The chart as SVG, with `colours` in place of INK, FAINT and SERIES."""
    return as_svg(figure(section), section.chart, colours)
