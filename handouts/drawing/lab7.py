"""The figures of lab 7."""

from handouts.drawing.canvas import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_GREY,
    PALE_ORANGE,
    Drawing,
)


def planes(
    d: Drawing, x: float, y: float, count: int, window: int, fill: str, edge: str, pale: str
) -> None:
    """A stack of planes, the first in front, each with a window of that many cells of 9 px."""
    for k in reversed(range(count)):
        left, top = x + 15 * k, y - 15 * k
        d.rect(left, top, 84, 84, pale, GREY)
        if window:
            d.rect(left + 36, top + 36, 9 * window, 9 * window, fill, edge, 1.6)


def layers() -> Drawing:
    """Which channels and masks meet in an output of parts A, B and C."""
    d = Drawing(
        760,
        560,
        "Parts A, B and C: the inputs of one output",
        "Three rows. A, depthwise: one plane of the image and one 3 by 3 mask give a "
        "value, 9 products. B, pointwise: one pixel of all c planes and a mask of 1 by 1 "
        "by c give a value, c products. C: a 3 by 3 window of all c planes and a mask of "
        "3 by 3 by c give a value, 9 c products.",
    )
    rows = (
        ("A", "depthwise", 3, 4, 1, "one mask, 3 × 3", "one value:", "1 plane,", "9 products"),
        ("B", "pointwise", 1, 4, 4, "n masks, 1 × 1 × c", "one value:", "c planes,", "c products"),
        (
            "C",
            "3 × 3, all channels",
            3,
            4,
            4,
            "n masks, 3 × 3 × c",
            "one value:",
            "c planes,",
            "9 c products",
        ),
    )
    for j, (part, name, window, channels, deep, masks, *words) in enumerate(rows):
        y = 86 + 182 * j
        d.text(24, y + 4, part, 22, weight="bold")
        d.text(24, y + 26, name, 12, GREY)
        planes(d, 150, y, channels, window, PALE_ORANGE, ORANGE, PALE_BLUE)
        d.text(150, y + 102, "image: c planes", 12, BLUE)
        d.text(312, y + 46, "×", 18)
        side = 14 * window
        for k in reversed(range(deep)):
            d.rect(344 + 9 * k, y + 20 - 9 * k, side, side, PALE_ORANGE, ORANGE, 1.4)
        d.text(344, y + 102, masks, 12, ORANGE)
        d.arrow(470, y + 42, 506, y + 42)
        planes(d, 530, y, 4, 0, PALE_GREEN, GREEN, PALE_GREY if j else PALE_BLUE)
        d.rect(530 + 45, y + 45, 9, 9, PALE_GREEN, GREEN, 1.6)
        d.text(530, y + 102, "c planes" if part == "A" else "n planes", 12, GREEN)
        for k, line in enumerate(words):
            d.text(672, y + 26 + 18 * k, line, 12, GREY)
    return d
