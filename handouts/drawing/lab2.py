"""The figures of lab 2."""

from handouts.drawing.canvas import BLUE, GREY, PALE_BLUE, PALE_GREY, RED, Drawing


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
            d.text(x + (14 if bx == 3 else 4), y + 13, f"{bx},{by}", 11, GREY)
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
