"""The figures of lab 8: bytes into registers, into pairs, and lanes of 128 bits."""

from handouts.drawing.canvas import (
    BLUE,
    GREY,
    INK,
    PALE_BLUE,
    PALE_GREEN,
    PALE_GREY,
    PALE_ORANGE,
    Drawing,
)

CELL = 40
COLOURS = {"R": PALE_ORANGE, "G": PALE_GREEN, "B": PALE_BLUE}


def _register(d: Drawing, x: float, y: float, words: list[str]) -> None:
    """Sixteen bytes, the lowest on the left."""
    for i, word in enumerate(words):
        d.rect(x + i * CELL, y, CELL, 30, COLOURS.get(word[:1], PALE_GREY))
        d.text(x + (i + 0.5) * CELL, y + 20, word, 13, anchor="middle")


def pairs() -> Drawing:
    """Two shuffles, two multiply-adds: four gray values."""
    d = Drawing(
        790,
        316,
        "Twelve bytes become pairs of 16-bit integers, and four sums",
        "A register of 16 bytes with the R, G and B of four pixels. One shuffle makes the "
        "pairs R, G of each pixel; another makes B and 0. Multiply-adds turn each pair "
        "into a sum of 32 bits, and both sums of a pixel are added and shifted.",
    )
    left = 120
    picked = [f"{'RG'[i % 2]}{i // 2}" for i in range(8)]
    first = [word for name in picked for word in (name, "0")]
    second = [word for i in range(4) for word in (f"B{i}", "0", "0", "0")]
    d.text(24, 54, "loaded", 13, GREY)
    _register(d, left, 34, [f"{'RGB'[i % 3]}{i // 3}" for i in range(16)])
    d.line(left + 12 * CELL, 28, left + 12 * CELL, 70, INK, 2)
    d.text(24, 124, "shuffled", 13, GREY)
    _register(d, left, 104, first)
    d.text(24, 194, "and again", 13, GREY)
    _register(d, left, 174, second)
    for lane in range(4):
        x = left + 4 * lane * CELL
        d.rect(x, 104, 4 * CELL, 30, "none", INK, 2)
        d.rect(x, 174, 4 * CELL, 30, "none", INK, 2)
        d.text(x + 2 * CELL, 154, f"r·R{lane} + g·G{lane}", 12, anchor="middle")
        d.text(x + 2 * CELL, 224, f"b·B{lane} + 0·0", 12, anchor="middle")
        d.arrow(x + 2 * CELL, 234, x + 2 * CELL, 254, BLUE, 1.2)
        d.rect(x, 258, 4 * CELL, 30, PALE_GREY, INK, 2)
        d.text(x + 2 * CELL, 278, f"Y{lane}, 32 bits", 13, anchor="middle")
    d.text(24, 278, "sum, shift", 13, GREY)
    d.text(left, 308, "Only 12 of the 16 bytes are used: four whole pixels.", 12, GREY)
    return d


def vector_lanes() -> Drawing:
    """Six lanes as they are loaded, and as both halves of each register need them."""
    d = Drawing(
        790,
        236,
        "Six lanes of 16 bytes: as they are loaded, and as they are needed",
        "Above, three registers with the lanes 0 and 1, 2 and 3, 4 and 5 as they are "
        "loaded. Below, the registers as they are needed: 0 and 3, 1 and 4, 2 and 5.",
    )
    width = 104

    def lane(x: float, y: float, number: int) -> None:
        d.rect(x, y, width, 36, PALE_BLUE if number < 3 else PALE_ORANGE)
        d.text(x + width / 2, y + 16, f"lane {number}", 13, anchor="middle")
        d.text(
            x + width / 2, y + 31, f"bytes {16 * number} to {16 * number + 15}", 11, anchor="middle"
        )

    names = ("low", "middle", "high")
    for register in range(3):
        x = 100 + register * (2 * width + 18)
        for half in (0, 1):
            lane(x + half * width, 44, 2 * register + half)
            lane(x + half * width, 138, register + 3 * half)
        d.rect(x, 44, 2 * width, 36, "none", INK, 2)
        d.rect(x, 138, 2 * width, 36, "none", INK, 2)
        d.text(x + width, 194, names[register], 13, anchor="middle")
    d.text(24, 66, "loaded", 13, GREY)
    d.text(24, 160, "needed", 13, GREY)
    d.text(100, 112, "a blend for low and high, one permutation for middle", 12, BLUE)
    d.text(100, 224, "blue: pixels 0 to 15, in the lower halves; orange: 16 to 31", 12, GREY)
    return d


def alignr() -> Drawing:
    """Sixteen bytes from the middle of two registers, and the four groups of twelve."""
    d = Drawing(
        790,
        214,
        "_mm_alignr_epi8(middle, low, 12): 16 bytes from byte 12 of the two registers on",
        "The 48 bytes of 16 pixels in three registers, low, middle and high, and the four "
        "groups of 12 bytes. The second group begins at byte 12 of low and ends in middle: "
        "_mm_alignr_epi8(middle, low, 12) takes bytes 12 to 27 as one register.",
    )
    cell, left = 14.5, 64
    fills = (PALE_BLUE, PALE_ORANGE, PALE_GREEN, PALE_GREY)
    for k, name in enumerate(("low", "middle", "high")):
        d.text(left + (16 * k + 8) * cell, 30, name, 13, anchor="middle", weight="bold")
    for byte in range(48):
        d.rect(left + byte * cell, 62, cell, 26, fills[byte // 12], GREY, 0.8)
    for k in range(3):
        d.rect(left + 16 * k * cell, 62, 16 * cell, 26, "none", INK, 2.2)
    for k in range(4):
        middle = left + (12 * k + 6) * cell
        d.text(middle, 54, f"pixels {4 * k} to {4 * k + 3}", 11, GREY, "middle")
        d.text(left + 12 * k * cell + 4, 104, f"byte {12 * k}", 11, GREY)
    for byte in range(16):
        fill = fills[(12 + byte) // 12]
        d.rect(left + (12 + byte) * cell, 132, cell, 26, fill, GREY, 0.8)
    d.rect(left + 12 * cell, 132, 16 * cell, 26, "none", INK, 2.2)
    d.line(left + 12 * cell, 88, left + 12 * cell, 132, BLUE, 1.4)
    d.line(left + 28 * cell, 88, left + 28 * cell, 132, BLUE, 1.4)
    d.text(left + 29 * cell, 150, "_mm_alignr_epi8(middle, low, 12)", 12.5, BLUE)
    d.text(
        left,
        194,
        "The lowest 12 bytes of the result are the second group. Memory order: the "
        "lowest byte is on the left.",
        12,
        GREY,
    )
    return d
