"""Draws SVG: shapes, text and bar charts, in the colours of the handouts' figures.

The attributes hold the light colours, for print and for programs that ignore style sheets. A style
sheet in each file replaces them where the reader prefers dark pages.
"""

from collections.abc import Callable
from xml.sax.saxutils import escape

INK, GREY, FAINT, GROUND, WHITE = "#1b1b1b", "#5f6064", "#d9d9d4", "#fcfcf9", "#ffffff"
BLUE, ORANGE, GREEN, RED = "#2a66a8", "#9a4b08", "#1f7447", "#a62e28"
PALE_BLUE, PALE_ORANGE, PALE_GREEN = "#d3e3f5", "#fbe0c8", "#d2eedd"
PALE_GREY, PALE_RED = "#ecece7", "#f5d5d3"

DARK = {  # what each of these becomes on a dark page
    INK: "#ececea",
    GREY: "#adb0b6",
    FAINT: "#3d4047",
    GROUND: "#16181c",
    WHITE: "#202329",
    BLUE: "#8abcf4",
    ORANGE: "#f2ac6c",
    GREEN: "#72d09d",
    RED: "#f59a93",
    PALE_BLUE: "#1f3c5b",
    PALE_ORANGE: "#57391d",
    PALE_GREEN: "#1d4733",
    PALE_GREY: "#30333a",
    PALE_RED: "#5a2d2a",
}


class Drawing:
    """An SVG under construction. Lengths are in px; y points down.

    `title` names the figure in a few words, `desc` says what is seen in it; both are for readers
    who do not see it.
    """

    def __init__(self, width: int, height: int, title: str, desc: str) -> None:
        self.opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" '
            'font-family="DejaVu Sans, Verdana, sans-serif">'
        )
        self.title, self.desc = title, desc
        self.parts: list[str] = []
        self.rect(0.5, 0.5, width - 1, height - 1, GROUND, FAINT)

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str,
        stroke: str = "none",
        bold: float = 1,
    ) -> None:
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{bold:g}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 13,
        colour: str = INK,
        anchor: str = "start",
        weight: str = "normal",
    ) -> None:
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" '
            f'text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str = GREY, bold: float = 1
    ) -> None:
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" '
            f'stroke-width="{bold:g}"/>'
        )

    def arrow(
        self, x1: float, y1: float, x2: float, y2: float, colour: str = GREY, bold: float = 1.5
    ) -> None:
        """A line with an arrowhead at (x2, y2)."""
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        bx, by = x2 - 8 * ux, y2 - 8 * uy
        self.line(x1, y1, bx, by, colour, bold)
        head = f"{x2:.2f},{y2:.2f} {bx - 4 * uy:.2f},{by + 4 * ux:.2f} "
        head += f"{bx + 4 * uy:.2f},{by - 4 * ux:.2f}"
        self.parts.append(f'<polygon points="{head}" fill="{colour}"/>')

    def grid(
        self,
        x: float,
        y: float,
        cell: float,
        rows: list[list[str]],
        fill: Callable[[int, int], str],
        colour: Callable[[int, int], str] = lambda _column, _row: INK,
    ) -> None:
        """Squares with text; `fill` and `colour` take (column, row)."""
        for j, row in enumerate(rows):
            for i, label in enumerate(row):
                self.rect(x + i * cell, y + j * cell, cell, cell, fill(i, j), GREY, 0.8)
                if label:
                    middle = (x + (i + 0.5) * cell, y + (j + 0.5) * cell + cell * 0.14)
                    self.text(*middle, label, max(11, cell * 0.38), colour(i, j), "middle")

    def svg(self) -> str:
        body = "\n".join(self.parts)
        rules = "".join(
            f'[{attribute}="{light}"]{{{attribute}:{dark}}}'
            for light, dark in DARK.items()
            for attribute in ("fill", "stroke")
            if f'{attribute}="{light}"' in body
        )
        head = [
            self.opening,
            f"<title>{escape(self.title)}</title>",
            f"<desc>{escape(self.desc)}</desc>",
            f"<style>@media screen and (prefers-color-scheme:dark){{{rules}}}</style>",
        ]
        return "\n".join([*head, body, "</svg>"]) + "\n"


def bars(title: str, unit: str, groups: list[tuple[str, list[tuple[str, float, str]]]]) -> Drawing:
    """Groups of horizontal bars, all on the same scale."""
    count = sum(len(group) for _, group in groups)
    values = "; ".join(
        f"{name}: " + ", ".join(f"{label} {value:g} {unit}".strip() for label, value, _ in group)
        for name, group in groups
    )
    d = Drawing(720, 64 + 26 * count + 34 * len(groups), title, f"Bars. {values}.")
    d.text(24, 34, title, 15, weight="bold")
    longest = max(value for _, group in groups for _, value, _ in group)
    y = 58
    for name, group in groups:
        d.text(24, y + 12, name, 13, GREY, weight="bold")
        y += 22
        for label, value, colour in group:
            d.text(238, y + 14, label, 12, anchor="end")
            d.rect(246, y + 2, max(1.5, 384 * value / longest), 16, colour)
            d.text(252 + max(1.5, 384 * value / longest), y + 14, f"{value:g} {unit}".strip(), 12)
            y += 26
        y += 12
    return d
