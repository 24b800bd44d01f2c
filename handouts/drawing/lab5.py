"""The figures of lab 5."""

from handouts.drawing.canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_GREY,
    PALE_ORANGE,
    RED,
    WHITE,
    Drawing,
)


def minus(number: int) -> str:
    """The number with a typographic minus sign."""
    return str(number).replace("-", "−")


def product() -> Drawing:
    """A mask that is a column times a row, and the four coefficients of one comparison."""
    d = Drawing(
        760,
        252,
        "A mask as a column times a row, and the test of one coefficient",
        "The column 2, −1, 5 times the row 1, −3, 2 is a 3 by 3 mask. A line joins its "
        "largest coefficient g(p, q) with g(a, b), which is tested: the product of these "
        "two equals the product of the two coefficients at the other corners of their "
        "rectangle.",
    )
    column, row = [2, -1, 5], [1, -3, 2]
    cell, top = 40, 92
    p, q, a, b = 1, 2, 2, 0  # the largest coefficient, and the one that is tested
    d.text(30, 34, "column × row", 15, weight="bold")
    d.grid(30, top, cell, [[minus(c)] for c in column], lambda _x, _y: PALE_ORANGE)
    d.text(92, top + 66, "×", 22, anchor="middle")
    d.grid(112, top + cell, cell, [[minus(r) for r in row]], lambda _x, _y: PALE_BLUE)
    d.text(256, top + 66, "=", 22, anchor="middle")
    mask = [[c * r for r in row] for c in column]

    def fill(x: int, y: int) -> str:
        if (x, y) in ((p, q), (a, b)):
            return PALE_GREEN
        return PALE_GREY if (x, y) in ((p, b), (a, q)) else WHITE

    d.text(286, 34, "mask g", 15, weight="bold")
    d.grid(286, top, cell, [[minus(v) for v in r] for r in mask], fill)
    x0, y0 = 286 + cell / 2, top + cell / 2
    d.line(x0 + p * cell + 14, y0 + q * cell - 14, x0 + a * cell - 14, y0 + b * cell + 14, GREEN, 2)
    d.text(286 + cell * (p + 0.5), top + 3 * cell + 16, "p", 13, GREEN, "middle")
    d.text(286 + cell * (a + 0.5), top - 8, "a", 13, GREEN, "middle")
    d.text(286 + 3 * cell + 12, top + cell * (q + 0.6), "q", 13, GREEN)
    d.text(286 + 3 * cell + 12, top + cell * (b + 0.6), "b", 13, GREEN)
    g = mask
    d.text(450, 108, f"g(a, b) g(p, q) = {minus(g[b][a])} · {minus(g[q][p])}", 13, GREEN)
    d.text(450, 128, f"= {minus(g[b][a] * g[q][p])}", 13, GREEN)
    d.text(450, 158, f"g(p, b) g(a, q) = {minus(g[b][p])} · {minus(g[q][a])}", 13, GREY)
    d.text(450, 178, f"= {minus(g[b][p] * g[q][a])}", 13, GREY)
    d.text(30, 240, "Equal for every a and b: the mask is separable.", 12.5, INK)
    d.text(
        372,
        240,
        "One pair that differs: it is not, and these four show why.",
        12.5,
        RED,
    )
    return d


def passes() -> Drawing:
    """What a block reads for its pixels in one 2-D pass, in each short pass, and fused."""
    kinds = (
        ("2-D tile", 32, 32, 8, 8, "289 taps"),
        ("row pass", 128, 8, 8, 0, "17 taps"),
        ("column pass", 32, 32, 0, 8, "17 taps"),
        ("fused", 64, 32, 8, 8, "1.5 · 17 + 17 taps"),
    )
    reads = [(w + 2 * x) * (h + 2 * y) / (w * h) for _, w, h, x, y, _ in kinds]
    told = ", ".join(f"{kind[0]}: {read:g}" for kind, read in zip(kinds, reads, strict=True))
    d = Drawing(
        790,
        272,
        "The aprons of a 2-D tile, a row pass, a column pass, and both fused",
        "Four tiles drawn to scale with their aprons of radius 8. For each pixel that they "
        f"compute, they read so many pixels: {told}.",
    )
    unit = 1.9  # px for a pixel
    lefts = (28, 160, 446, 616)
    for (name, w, h, apron_x, apron_y, taps), read, left in zip(kinds, reads, lefts, strict=True):
        top = 78
        outer_w, outer_h = (w + 2 * apron_x) * unit, (h + 2 * apron_y) * unit
        d.text(left, 32, f"{name}, {w}×{h}", 13, weight="bold")
        d.text(left, 52, taps, 12, GREY)
        y = top + (48 * unit - outer_h) / 2
        d.rect(left, y, outer_w, outer_h, PALE_ORANGE, ORANGE)
        if name == "fused":
            d.rect(left + apron_x * unit, y, w * unit, outer_h, PALE_GREEN, GREEN)
        inner = (left + apron_x * unit, y + apron_y * unit, w * unit, h * unit)
        d.rect(*inner, PALE_BLUE, BLUE)
        d.text(left, 204, f"{read:g} reads", 12, ORANGE)
        d.text(left, 220, "a pixel", 12, ORANGE)
    d.text(28, 254, "blue: what the block computes", 12, BLUE)
    d.text(236, 254, "orange: the apron, radius 8", 12, ORANGE)
    d.text(424, 254, "green: row pass done for the column pass's apron", 12, GREEN)
    return d


def row_loads() -> Drawing:
    """Which pixels of a row of the tile one lane loads, and which ones it computes."""
    lane = 3
    d = Drawing(
        790,
        252,
        "Lane 3 loads five of the 160 pixels of a row and computes four of the 128",
        "A row of 160 pixels: 8 of the left apron, the 128 of the block, 8 of the right apron, "
        "16 that nobody needs. Lane 3 loads pixels 3, 35, 67, 99 and 131. It computes pixels "
        "3, 35, 67 and 99 of the block; the first needs pixels 3 to 19 of the row.",
    )
    unit, left = 4.4, 64  # px for a pixel

    def at(pixel: float) -> float:
        return left + pixel * unit

    d.text(24, 30, f"What lane {lane} of a warp does (one row of the block is one warp)", 13)
    for first, last, fill in (
        (0, 8, PALE_ORANGE),
        (8, 136, PALE_BLUE),
        (136, 144, PALE_ORANGE),
        (144, 160, PALE_GREY),
    ):
        d.rect(at(first), 76, (last - first) * unit, 26, fill, GREY)
    for step in range(5):
        d.line(at(32 * step), 60, at(32 * step), 102, INK, 1.2)
        d.text(at(32 * step + 16), 58, f"first = {32 * step}", 11, GREY, "middle")
        d.rect(at(32 * step + lane) - 1, 76, unit + 2, 26, ORANGE)
        d.text(at(32 * step + lane) + 8, 118, f"u = {32 * step + lane}", 11, ORANGE)
    d.text(24, 94, "loads", 12, ORANGE)
    d.rect(at(8), 168, 128 * unit, 26, PALE_BLUE, GREY)
    for step in range(4):
        d.rect(at(8 + 32 * step + lane) - 1, 168, unit + 2, 26, BLUE)
        d.text(at(8 + 32 * step + lane) + 8, 186, str(32 * step + lane), 11, BLUE)
    d.text(16, 186, "computes", 12, BLUE)
    d.rect(at(lane), 142, 17 * unit, 10, PALE_GREEN, GREEN)
    d.line(at(8 + lane + 0.5), 152, at(8 + lane + 0.5), 168, GREEN)
    d.text(at(22), 152, "the 17 taps of pixel 3: s_mine[3] to s_mine[19]", 11, GREEN)
    d.text(24, 236, "blue: the block's 128 pixels", 12, BLUE)
    d.text(236, 236, "orange: the apron, 8 at each end", 12, ORANGE)
    d.text(478, 236, "grey: loaded, so that no load needs a test", 12, GREY)
    return d
