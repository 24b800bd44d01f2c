"""Draws the figures of the handouts as SVG. The same drawing gives the same bytes.

    handouts/figures.py            write handouts/figures/*.svg
    handouts/figures.py --check    change nothing; name the figures that differ, exit 1 if one does

Every figure has a light background, so that it is readable on a dark page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import figures_lab4
import figures_lab5
import figures_lab6
import figures_lab7
import figures_lab8
from drawing import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_GREY,
    PALE_ORANGE,
    RED,
    Drawing,
    bars,
)

FOLDER = Path(__file__).resolve().parent / "figures"


def equation() -> Drawing:
    """Eq. 1 at one pixel, with numbers."""
    d = Drawing(790, 262, "Eq. 1 at the pixel (3, 2): a 3x3 window times the mask")
    f = [[(3 * x + 5 * y) % 10 for x in range(7)] for y in range(5)]
    g = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    total = sum(g[b + 1][a + 1] * f[2 + b][3 + a] for b in (-1, 0, 1) for a in (-1, 0, 1))

    def window(x: int, y: int) -> bool:
        return 2 <= x <= 4 and 1 <= y <= 3

    d.text(30, 34, "image f", 15, weight="bold")
    d.grid(
        30,
        50,
        34,
        [[str(v) for v in row] for row in f],
        lambda x, y: PALE_ORANGE if (x, y) == (3, 2) else PALE_BLUE if window(x, y) else "#ffffff",
    )
    d.rect(30 + 2 * 34, 50 + 34, 3 * 34, 3 * 34, "none", BLUE, 3)
    d.text(30, 244, "f(x + a, y + b) for a, b in −1..1 around (x, y) = (3, 2)", 12, BLUE)
    d.text(306, 140, "×", 24, anchor="middle")
    d.text(340, 67, "mask g", 15, weight="bold")
    d.grid(
        340,
        84,
        34,
        [[str(v).replace("-", "−") for v in row] for row in g],
        lambda _x, _y: PALE_GREEN,
    )
    d.text(340, 206, "g(a, b): a to the right,", 12, GREEN)
    d.text(340, 222, "b down, (0, 0) in the middle", 12, GREEN)
    d.arrow(454, 135, 508, 135, INK)
    d.text(480, 124, "sum", 12, GREY, "middle")
    d.text(524, 34, "result h", 15, weight="bold")
    here = [[str(total) if (x, y) == (3, 2) else "" for x in range(7)] for y in range(5)]
    d.grid(524, 50, 34, here, lambda x, y: PALE_ORANGE if (x, y) == (3, 2) else "#ffffff")
    d.text(524, 244, f"h(3, 2) = {total}", 12, ORANGE)
    return d


def borders() -> Drawing:
    """The pixels outside the image, for both borders."""
    d = Drawing(560, 290, "A 3x3 image with a zero border and with a replicate border")
    names = [str(n) for n in range(1, 10)]
    for k, (title, outside) in enumerate((("zero", False), ("replicate", True))):
        left = 40 + k * 270
        d.text(left + 105, 36, f"border: {title}", 15, anchor="middle", weight="bold")
        rows = []
        for y in range(-1, 4):
            row = []
            for x in range(-1, 4):
                inside = 0 <= x < 3 and 0 <= y < 3
                nearest = names[3 * min(max(y, 0), 2) + min(max(x, 0), 2)]
                row.append(nearest if inside or outside else "0")
            rows.append(row)

        def inner(x: int, y: int) -> bool:
            return 1 <= x <= 3 and 1 <= y <= 3

        d.grid(
            left,
            52,
            42,
            rows,
            lambda x, y: PALE_BLUE if inner(x, y) else PALE_GREY,
            lambda x, y: INK if inner(x, y) else GREY,
        )
        d.rect(left, 52, 3 * 42, 3 * 42, "none", ORANGE, 3)
    d.text(40, 282, "orange: what a 3x3 mask reads at the pixel (0, 0)", 12, ORANGE)
    return d


def loop_order() -> Drawing:
    """The order in which the baseline and part B visit the pixels of an image."""
    d = Drawing(720, 250, "The order of the pixels: down the columns, along the rows")
    columns, rows, cell = 16, 4, 19
    for k, title in enumerate(("baseline: x outermost", "part B: along a row")):
        left = 30 + k * 350
        d.text(left, 34, title, 15, weight="bold")
        for y in range(rows):
            for x in range(columns):
                order = x * rows + y if k == 0 else y * columns + x
                fill = PALE_ORANGE if order < 12 and k == 0 else PALE_GREEN
                if order >= 12:
                    fill = "#ffffff"
                d.rect(left + x * cell, 52 + y * 30, cell, 24, fill, FAINT)
                if order < 12:
                    middle = left + (x + 0.5) * cell
                    d.text(middle, 52 + y * 30 + 16, str(order + 1), 9, INK, "middle")
            d.rect(left, 52 + y * 30, columns * cell, 24, "none", GREY, 1.2)
        lines = 4 if k == 0 else 1
        d.text(left, 194, f"12 pixels: {lines} × 64 bytes of cache", 12)
    d.text(30, 220, "Each frame is one cache line, 16 floats of one row.", 12, GREY)
    note = "In a real image these rows are kilobytes apart, and not all of them fit into the cache."
    d.text(30, 238, note, 12, GREY)
    return d


def split_row() -> Drawing:
    """add_tap(): where x + a is left of the image, inside it, right of it."""
    d = Drawing(720, 256, "A row split into left end, inside and right end")
    width, cell, left = 12, 40, 190
    for k, a in enumerate((-3, 2)):
        top = 54 + k * 95
        first, end = max(0, -a), min(width, width - a)
        d.text(24, top + 24, f"tap a = {'−' if a < 0 else '+'}{abs(a)}", 15, weight="bold")
        d.text(24, top + 44, f"first = {first}, end = {end}", 12, GREY)

        def part(x: int, first: int = first, end: int = end) -> str:
            return PALE_GREEN if first <= x < end else PALE_ORANGE

        labels = [str(min(max(x + a, 0), width - 1)) for x in range(width)]
        d.grid(left, top, cell, [labels], lambda x, _y: part(x))
        d.text(left + (first + end) / 2 * cell, top + 58, "inside: no test", 12, GREEN, "middle")
        ends = (0, first) if first else (end, width)
        name = "left end" if first else "right end"
        d.text(left + sum(ends) / 2 * cell, top + 58, name, 12, ORANGE, "middle")
    d.text(left, 36, "in the square of x: the pixel of the row that is read (replicate)", 12, GREY)
    note = "The two ends add line[0] or line[width − 1] for replicate, nothing for zero."
    d.text(24, 240, note, 12, GREY)
    return d


def blocks() -> Drawing:
    """97x61 pixels under blocks of 32x8 threads."""
    d = Drawing(730, 352, "An image of 97x61 pixels covered by 4x8 blocks of 32x8 threads")
    scale, left, top = 4.4, 40, 50
    for by in range(8):
        for bx in range(4):
            x, y = left + bx * 32 * scale, top + by * 8 * scale
            d.rect(x, y, 32 * scale, 8 * scale, PALE_GREY, GREY, 0.8)
    d.rect(left, top, 97 * scale, 61 * scale, PALE_BLUE)
    for by in range(8):
        for bx in range(4):
            x, y = left + bx * 32 * scale, top + by * 8 * scale
            d.rect(x, y, 32 * scale, 8 * scale, "none", GREY, 0.8)
            d.text(x + (14 if bx == 3 else 4), y + 13, f"{bx},{by}", 9, GREY)
    d.rect(left, top, 97 * scale, 61 * scale, "none", BLUE, 2.5)
    d.text(left, 36, "image 97 × 61, blocks 32 × 8", 15, weight="bold")
    side = left + 128 * scale + 16
    d.text(side, 70, "ceil(97/32) = 4", 12)
    d.text(side, 88, "ceil(61/8) = 8", 12)
    d.text(side, 120, f"{4 * 8 * 256} threads", 12)
    d.text(side, 138, f"{97 * 61} pixels", 12, BLUE)
    d.text(side, 156, f"{4 * 8 * 256 - 97 * 61} outside:", 12, GREY)
    d.text(side, 174, "return at", 12, GREY)
    d.text(side, 190, "once", 12, GREY)
    d.text(side, 230, "rounded down:", 12, RED)
    d.text(side, 246, "3 × 7 blocks,", 12, RED)
    d.text(side, 262, f"{97 * 61 - 96 * 56} pixels", 12, RED)
    d.text(side, 278, "never written", 12, RED)
    return d


def transfer() -> Drawing:
    """Source 000, table 1."""
    measured = (("3×3", 19.78, 0.54, 4.62), ("5×5", 45.90, 1.46, 4.70))
    return bars(
        "1920×1080, Xeon Gold 5122 and GTX 1080 Ti (source 000, table 1)",
        "ms",
        [
            (
                size,
                [
                    ("CPU, filter", cpu, ORANGE),
                    ("GPU, filter", gpu, BLUE),
                    ("GPU, transfer", copy, RED),
                ],
            )
            for size, cpu, gpu, copy in measured
        ],
    )


def lanes() -> Drawing:
    """Which coefficient each lane of a warp needs, before and after regrouping."""
    d = Drawing(790, 332, "A warp reads four coefficients, or one")
    colours = [BLUE, ORANGE, GREEN, RED]
    pale = [PALE_BLUE, PALE_ORANGE, PALE_GREEN, "#f5d5d3"]
    for k in range(2):
        top = 64 + k * 136
        what = (
            "neighbouring lanes, neighbouring columns"
            if k == 0
            else "a warp takes every fourth column"
        )
        d.text(24, top - 14, ("baseline: " if k == 0 else "part B: ") + what, 15, weight="bold")
        columns = [lane if k == 0 else 4 * lane for lane in range(16)]
        d.text(24, top + 21, "lane's x", 12, GREY)
        d.grid(100, top, 30, [[str(x) for x in columns]], lambda x, _y, c=columns: pale[c[x] % 4])  # type: ignore[misc]
        d.text(590, top + 21, "… 32 lanes", 12, GREY)
        used = [0, 1, 2, 3] if k == 0 else [0]
        for phase in used:
            x = 100 + 30 * (1.5 + 4 * phase) if k == 0 else 100 + 30 * 7.5
            d.rect(x, top + 58, 62, 24, pale[phase], colours[phase], 1.5)
            d.text(x + 31, top + 74, f"mask {phase}", 11, INK, "middle")
            lanes_here = [i for i, c in enumerate(columns) if c % 4 == phase]
            for lane in lanes_here:
                d.line(100 + 30 * (lane + 0.5), top + 31, x + 31, top + 57, colours[phase], 0.8)
        reads = "4 words, one at a time" if k == 0 else "1 word for all lanes"
        d.text(590, top + 74, reads, 11.5, RED if k == 0 else GREEN)
    note = "The constant cache serves one word at a time. Three more warps take the columns "
    d.text(24, 316, note + "1, 2 and 3 mod 4.", 12, GREY)
    return d


def constant() -> Drawing:
    """Lab 3 on an H200."""
    one = ((13, 178.7, 167.2), (17, 285.7, 265.2))
    bank = ((13, 464.8, 184.7), (17, 860.4, 353.2))
    return bars(
        "1920×1080 on an H200, one pixel per thread",
        "µs",
        [
            (
                f"one mask, {size}×{size}",
                [("global memory", before, ORANGE), ("constant memory", after, BLUE)],
            )
            for size, before, after in one
        ]
        + [
            (
                f"bank of four, {size}×{size}",
                [("c_bank[x % 4]", before, RED), ("a warp of one phase", after, GREEN)],
            )
            for size, before, after in bank
        ],
    )


FIGURES: dict[str, Callable[[], Drawing]] = {
    "equation": equation,
    "borders": borders,
    "loop_order": loop_order,
    "split_row": split_row,
    "blocks": blocks,
    "transfer": transfer,
    "lanes": lanes,
    "constant": constant,
    **figures_lab4.FIGURES,
    **figures_lab5.FIGURES,
    **figures_lab6.FIGURES,
    **figures_lab7.FIGURES,
    **figures_lab8.FIGURES,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw the figures of the handouts.")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; name the figures that differ"
    )
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    differing = []
    for name, draw in FIGURES.items():
        path, svg = FOLDER / f"{name}.svg", draw().svg()
        if not path.is_file() or path.read_text() != svg:
            differing.append(str(path.relative_to(FOLDER.parent.parent)))
            if not check:
                path.write_text(svg)
    for name in differing:
        print(
            f"{name} is not what figures.py draws; run handouts/figures.py"
            if check
            else f"wrote {name}"
        )
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
