"""Charts as SVG for light and dark pages: their colours are CSS variables."""

import io
import re

import matplotlib as mpl
from matplotlib.figure import Figure

# Charts are drawn in these colours, which as_svg() then replaces: matplotlib has no CSS variables.
INK, FAINT = "#010101", "#020202"
SERIES = ("#030303", "#040404", "#050505")
VARIABLES = {INK: "var(--ink)", FAINT: "var(--faint)"} | {
    colour: f"var(--series{i})" for i, colour in enumerate(SERIES)
}
# For a separate file: legible on white and on black.
FIXED = {INK: "#7a7a7a", FAINT: "#9a9a9a"} | dict(
    zip(SERIES, ("#4a86c8", "#d07a2a", "#3a9c68"), strict=True)
)

mpl.rcParams["svg.fonttype"] = "none"  # text stays text


def as_svg(chart: Figure, name: str, colours: dict[str, str]) -> str:
    """A chart as SVG, with `colours` in place of INK, FAINT and SERIES. The same chart gives the
    same text. Its ids start with its name, so that a page can hold several charts."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        metadata = {"Date": None, "Creator": None}
        chart.savefig(buffer, format="svg", transparent=True, metadata=metadata)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for drawn, shown in colours.items():
        text = text.replace(drawn, shown)
    text = re.sub(r'\bid="', f'id="c{name}-', text)
    return re.sub(r'(href="|url\()#', rf"\1#c{name}-", text)
