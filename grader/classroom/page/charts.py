"""The charts of the class page: matplotlib's SVG, with CSS variables for colours and real text."""

import io
import re
from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

# Plotted in these colours, which _svg() then replaces: matplotlib knows no CSS variables.
INK, SOFT, LINE, BAR, PALE = "#010101", "#020202", "#030303", "#040404", "#050505"
VARIABLES = {
    INK: "var(--ink)",
    SOFT: "var(--soft)",
    LINE: "var(--line)",
    BAR: "var(--accent)",
    PALE: "var(--accent-pale)",
}
BINS = 20  # of 5 % each

mpl.rcParams["svg.fonttype"] = "none"  # text stays text
mpl.rcParams["font.size"] = 9


def histogram(name: str, label: str, shares: Sequence[float], unit: str) -> Markup:
    """How the shares of the points (0 to 1) are distributed, with a line at their median.
    label: what a screen reader reads out. unit: what the second axis counts."""
    figure = Figure(figsize=(5.6, 2.3), layout="constrained")
    axes = figure.subplots()
    counts, edges = np.histogram(np.clip(shares, 0, 1), BINS, (0, 1))
    axes.bar(edges[:-1], counts, np.diff(edges) * 0.88, align="edge", color=BAR, linewidth=0)
    top = max(int(counts.max()), 4)
    axes.set_ylim(0, top * 1.22)
    axes.set_xlim(0, 1)
    middle = float(np.median(shares))
    axes.plot([middle, middle], [0, top * 1.1], color=INK, linewidth=1.4)
    side = "right" if middle > 0.5 else "left"
    words = f" median {middle:.0%} ".replace("%", " %")
    axes.text(middle, top * 1.12, words, color=INK, ha=side, va="center")
    axes.set_ylabel(unit, color=SOFT)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.grid(axis="y", color=LINE, linewidth=0.7)
    _percent(axes)
    return _svg(figure, name, label)


def boxes(name: str, label: str, labs: Mapping[str, Sequence[float]]) -> Markup:
    """A row for each lab: a line from the 5th to the 95th percentile, a box from the first to the
    third quartile, and a mark at the median, with its figure."""
    figure = Figure(figsize=(5.6, 0.5 + 0.24 * len(labs)), layout="constrained")
    axes = figure.subplots()
    for row, shares in enumerate(labs.values()):
        low, first, middle, third, high = np.quantile(shares, (0.05, 0.25, 0.5, 0.75, 0.95))
        axes.plot([low, high], [row, row], color=SOFT, linewidth=1)
        axes.barh(row, max(third - first, 0.004), 0.56, first, color=PALE, edgecolor=BAR)
        axes.plot([middle, middle], [row - 0.36, row + 0.36], color=INK, linewidth=2.2)
        axes.text(1.02, row, f"{100 * middle:.0f} %", color=INK, ha="left", va="center")
    axes.set_xlim(0, 1.12)
    axes.set_ylim(len(labs) - 0.4, -0.6)
    axes.set_yticks(range(len(labs)), list(labs))
    axes.grid(axis="x", color=LINE, linewidth=0.7)
    _percent(axes)
    axes.spines["bottom"].set_bounds(0, 1)
    axes.tick_params(axis="y", colors=INK)
    return _svg(figure, name, label)


def _percent(axes: Axes) -> None:
    """A first axis from 0 to 100 %, and no frame."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(SOFT)
    axes.set_xticks(np.linspace(0, 1, 6))
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.tick_params(colors=SOFT, length=3)
    axes.tick_params(axis="y", length=0)
    axes.set_axisbelow(True)


def _svg(figure: Figure, name: str, label: str) -> Markup:
    """The same figure gives the same text. The ids begin with the chart's name."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(buffer, format="svg", transparent=True, metadata=metadata)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    box = re.search(r'viewBox="[-0-9. ]+"', text)
    assert box, "matplotlib gives every SVG a viewBox"
    # A style in an SVG holds for the whole page; class.css has what this one says.
    for part in ("<metadata>.*?</metadata>", "<style.*?</style>", "<!--.*?-->"):
        text = re.sub(part, "", text, flags=re.DOTALL)
    for plotted, variable in VARIABLES.items():
        text = text.replace(plotted, variable)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
    head = Markup('<svg class="plot" {} role="img" aria-label="{}">').format(Markup(box[0]), label)
    return head + Markup(text[text.index(">") + 1 :])
