"""The figures of lab 2."""

from handouts.drawing.canvas import (
    BLUE,
    GREY,
    ORANGE,
    PALE_BLUE,
    PALE_GREY,
    RED,
    Drawing,
    bars,
)


def blocks() -> Drawing:
    """97x61 pixels under blocks of 32x8 threads."""
    d = Drawing(
        730,
        352,
        "An image of 97x61 pixels covered by 4x8 blocks of 32x8 threads",
        "An image under a grid of 4 by 8 blocks. The last column of blocks covers one "
        "column of pixels, the last row of blocks five rows. 2275 of 8192 threads lie "
        "outside the image. Rounded down, 3 by 7 blocks leave 541 pixels without a "
        "thread.",
    )
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


def last_block() -> Drawing:
    """The threads of the last block of the same grid: five have a pixel."""
    width, height, columns, rows = 97, 61, 32, 8
    left, top, cell = 96, 78, 20
    bx, by = width // columns, height // rows
    inside = (width - bx * columns) * (height - by * rows)
    d = Drawing(
        760,
        338,
        "The last block of a grid: 32x8 threads, of which five have a pixel",
        "The threads of block (3, 7) over an image of 97 by 61 pixels. Only its first column, "
        "x = 96, and its first five rows, y = 56 to 60, are in the image. The other 251 threads "
        "must not read or write a pixel.",
    )
    d.text(24, 34, f"block ({bx}, {by}) of the image {width} × {height}", 15, weight="bold")

    def within(i: int, j: int) -> bool:
        return bx * columns + i < width and by * rows + j < height

    for i in range(0, columns, 4):
        x = left + (i + 0.5) * cell
        d.text(x, top - 8, str(bx * columns + i), 11, GREY, "middle")
    d.text(24, top - 8, "x =", 12, GREY)
    for j in range(rows):
        d.text(left - 10, top + j * cell + 14, str(by * rows + j), 11, GREY, "end")
    d.text(24, top + 14, "y =", 12, GREY)
    labels = [[""] * columns for _ in range(rows)]
    d.grid(left, top, cell, labels, lambda i, j: PALE_BLUE if within(i, j) else PALE_GREY)
    right, bottom = left + (width - bx * columns) * cell, top + (height - by * rows) * cell
    d.line(right, top - 4, right, bottom, BLUE, 3)
    d.line(left - 4, bottom, right, bottom, BLUE, 3)
    d.text(24, 266, f"blue: {inside} threads with a pixel", 12.5, BLUE)
    d.text(300, 266, f"grey: {columns * rows - inside} threads outside of the image", 12.5, GREY)
    d.text(24, 292, "if (x >= width || y >= height) return;", 12.5)
    d.text(300, 292, "keeps them from writing what is not theirs", 12.5, GREY)
    note = f"Rounded down to {bx} × {by} blocks, the grid has no block ({bx}, {by}): "
    d.text(24, 318, f"{note}its {inside} pixels are never written.", 12.5, RED)
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
