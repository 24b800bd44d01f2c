"""The figures of lab 1."""

from handouts.drawing.canvas import (
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
    WHITE,
    Drawing,
)


def equation() -> Drawing:
    """Eq. 1 at one pixel, with numbers."""
    d = Drawing(
        790,
        262,
        "Eq. 1 at the pixel (3, 2): a 3x3 window times the mask",
        "An image of 7 by 5 numbers with a 3 by 3 window around the pixel (3, 2), a mask "
        "of 3 by 3 coefficients, and the result: the sum of the nine products stands at "
        "(3, 2) of the result.",
    )
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
        lambda x, y: PALE_ORANGE if (x, y) == (3, 2) else PALE_BLUE if window(x, y) else WHITE,
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
    d.grid(524, 50, 34, here, lambda x, y: PALE_ORANGE if (x, y) == (3, 2) else WHITE)
    d.text(524, 244, f"h(3, 2) = {total}", 12, ORANGE)
    return d


def borders() -> Drawing:
    """The pixels outside the image, for both borders."""
    d = Drawing(
        560,
        290,
        "A 3x3 image with a zero border and with a replicate border",
        "Two 5 by 5 grids; the image of the numbers 1 to 9 is in the middle of each. On "
        "the left, the pixels around the image are 0. On the right, they repeat the "
        "nearest pixel of the image. A frame shows the nine pixels that a 3 by 3 mask "
        "reads at the corner (0, 0).",
    )
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
    d = Drawing(
        720,
        250,
        "The order of the pixels: down the columns, along the rows",
        "Two images of 16 by 4 pixels with the first 12 visits numbered. The baseline "
        "goes down the columns, so 12 visits touch four cache lines. Part B goes along a "
        "row, so 12 visits touch one.",
    )
    columns, rows, cell = 16, 4, 19
    for k, title in enumerate(("baseline: x outermost", "part B: along a row")):
        left = 30 + k * 350
        d.text(left, 34, title, 15, weight="bold")
        for y in range(rows):
            for x in range(columns):
                order = x * rows + y if k == 0 else y * columns + x
                fill = PALE_ORANGE if order < 12 and k == 0 else PALE_GREEN
                if order >= 12:
                    fill = WHITE
                d.rect(left + x * cell, 52 + y * 30, cell, 24, fill, FAINT)
                if order < 12:
                    middle = left + (x + 0.5) * cell
                    d.text(middle, 52 + y * 30 + 16, str(order + 1), 11, INK, "middle")
            d.rect(left, 52 + y * 30, columns * cell, 24, "none", GREY, 1.2)
        lines = 4 if k == 0 else 1
        d.text(left, 194, f"12 pixels: {lines} × 64 bytes of cache", 12)
    d.text(30, 220, "Each frame is one cache line, 16 floats of one row.", 12, GREY)
    note = "In a real image these rows are kilobytes apart, and not all of them fit into the cache."
    d.text(30, 238, note, 12, GREY)
    return d


def split_row() -> Drawing:
    """add_tap(): where x + a is left of the image, inside it, right of it."""
    d = Drawing(
        720,
        256,
        "A row split into left end, inside and right end",
        "Two rows of 12 pixels. For the tap a = −3 the first three pixels read the "
        "replicated left border; for a = 2 the last two read the right border. All others "
        "read inside the row and need no test.",
    )
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


def _numbers(d: Drawing, x: float, y: float, rows: list[list[int]], fill: str) -> None:
    labels = [[str(v).replace("-", "−") for v in row] for row in rows]
    d.grid(x, y, 34, labels, lambda _x, _y: fill)


def step() -> Drawing:
    """The nine products of one output: of a correlation, and of a convolution."""
    f = [[(3 * x + 5 * y) % 10 for x in range(2, 5)] for y in range(1, 4)]
    g = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    d = Drawing(
        760,
        352,
        "One output of a correlation and of a convolution, product by product",
        "The window 1 4 7, 6 9 2, 1 4 7 of the image is multiplied by the mask −1 0 1, −2 0 2, "
        "−1 0 1, number by number. The products −1, 0, 7, −12, 0, 4, −1, 0, 7 sum to 4. For a "
        "convolution the mask is flipped in both directions first; the sum is then −4.",
    )
    kinds = (
        ("correlation", "mask g", g, "h(3, 2)"),
        ("convolution", "mask g, flipped", [row[::-1] for row in g[::-1]], "(g ∗ f)(3, 2)"),
    )
    for k, (kind, name, mask, result) in enumerate(kinds):
        top = 66 + 166 * k
        products = [
            [c * v for c, v in zip(*rows, strict=True)] for rows in zip(mask, f, strict=True)
        ]
        total = sum(sum(row) for row in products)
        d.text(24, top - 36, kind, 15, weight="bold")
        d.text(24, top - 10, "window of f", 12, BLUE)
        _numbers(d, 24, top, f, PALE_BLUE)
        d.text(150, top + 58, "×", 22, anchor="middle")
        d.text(174, top - 10, name, 12, GREEN)
        _numbers(d, 174, top, mask, PALE_GREEN)
        d.text(300, top + 58, "=", 22, anchor="middle")
        d.text(324, top - 10, "nine products", 12, GREY)
        _numbers(d, 324, top, products, WHITE)
        d.arrow(438, top + 51, 484, top + 51, INK)
        d.text(461, top + 42, "sum", 12, GREY, "middle")
        d.rect(498, top + 34, 34, 34, PALE_ORANGE, GREY, 0.8)
        text = str(total).replace("-", "−")
        d.text(515, top + 56, text, 13, anchor="middle")
        d.text(546, top + 56, f"{result} = {text}", 14, ORANGE)
        if k:
            d.text(546, top + 80, "g(−a, −b) for g(a, b)", 12, GREY)
    return d
