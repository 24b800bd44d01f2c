"""Wavefronts of shared memory: a warp that reads float4, and a tile with a padded row."""

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
    PALE_RED,
    RED,
    WHITE,
    Drawing,
)

BANKS = 32


def vector_load() -> Drawing:
    """A warp reads 32 float4: in which wavefront and which banks the words of each lane are."""
    d = Drawing(
        790,
        330,
        "A warp reads 32 neighbouring float4: four wavefronts, none of them extra",
        "Above, the 32 lanes of a warp in four groups of eight. Below, four wavefronts over the 32 "
        "banks. Lanes 0 to 7 fill the banks of the first wavefront, four banks each; lanes 8 to 15 "
        "those of the second, and so on. A wavefront carries 128 bytes, the warp asks for 512.",
    )
    left, cell = 118, 20
    fills = (PALE_BLUE, PALE_ORANGE, PALE_GREEN, PALE_RED)
    d.text(24, 34, "32 lanes, neighbouring float4: 32 × 16 bytes = 512 bytes", 15, weight="bold")
    d.text(24, 70, "lane", 12, GREY)
    for lane in range(BANKS):
        x = left + lane * cell
        d.rect(x, 56, cell, 20, fills[lane // 8], GREY, 0.8)
        d.text(x + cell / 2, 70, str(lane), 11, INK, "middle")
    for group in range(4):
        x = left + (8 * group + 4) * cell
        d.rect(left + 8 * group * cell, 56, 8 * cell, 20, "none", INK, 1.6)
        d.arrow(x, 80, x, 104, GREY, 1.2)
        d.text(x + 8, 97, f"wavefront {group + 1}", 11, GREY)
    d.text(24, 130, "bank", 12, GREY)
    for bank in range(BANKS):
        d.text(left + (bank + 0.5) * cell, 130, str(bank), 11, GREY, "middle")
    for group in range(4):
        y = 140 + 28 * group
        d.text(24, y + 15, f"wavefront {group + 1}", 12)
        for k in range(8):
            x = left + 4 * k * cell
            d.rect(x, y, 4 * cell, 22, fills[group], GREY)
            for word in range(1, 4):
                d.line(x + word * cell, y, x + word * cell, y + 22, FAINT)
            d.text(x + 2 * cell, y + 15, f"lane {8 * group + k}", 11, INK, "middle")
    d.text(24, 278, "A wavefront is a pass over 32 banks of 4 bytes: 128 bytes.", 12.5)
    d.text(24, 298, "512 bytes need 512 / 128 = 4 wavefronts; none is caused by a conflict.", 12.5)
    d.text(
        24, 318, "32 single floats need 128 bytes: 1 wavefront, but a quarter of the data.", 12.5
    )
    return d


def _tile(d: Drawing, left: float, top: float, cell: float, pitch: int) -> None:
    """32 rows of `pitch` words; those of bank 0 are filled, the column that a warp reads framed."""
    width, height = pitch * cell, BANKS * cell
    d.rect(left, top, BANKS * cell, height, WHITE)
    if pitch > BANKS:
        d.rect(left + BANKS * cell, top, (pitch - BANKS) * cell, height, PALE_GREY)
    for word in range(0, BANKS * pitch, BANKS):
        d.rect(left + word % pitch * cell, top + word // pitch * cell, cell, cell, ORANGE)
    for column in range(pitch + 1):
        d.line(left + column * cell, top, left + column * cell, top + height, FAINT, 0.6)
    for row in range(BANKS + 1):
        d.line(left, top + row * cell, left + width, top + row * cell, FAINT, 0.6)
    d.rect(left, top, width, height, "none", GREY)
    d.rect(left, top, cell, height, "none", BLUE, 2.5)


def padding() -> Drawing:
    """A column of a tile with 32 and with 33 words in a row."""
    d = Drawing(
        790,
        420,
        "A warp reads a column of a tile: rows of 32 words, and rows of 33",
        "Two tiles of 32 rows with the words of bank 0 filled and column 0 framed. With 32 words "
        "in a row, all 32 words of column 0 are in bank 0: 32 wavefronts. With a 33rd, unused word "
        "in each row, the words of bank 0 lie on a diagonal, and column 0 has one word of each "
        "bank: 1 wavefront.",
    )
    cell, top = 9, 76
    cases = (
        (
            24,
            32,
            "float s_tile[32][32]",
            "32 words of bank 0",
            "32 wavefronts, 31 of them extra",
            RED,
        ),
        (
            420,
            33,
            "float s_tile[32][33]",
            "one word of each bank",
            "1 wavefront, none extra",
            GREEN,
        ),
    )
    for left, pitch, name, words, wavefronts, colour in cases:
        d.text(left, 34, name, 15, weight="bold")
        d.text(left, 54, f"word (y, x) is in bank ({pitch} y + x) mod 32", 12, GREY)
        _tile(d, left, top, cell, pitch)
        d.text(left, 386, f"column 0: {words}", 12.5, BLUE)
        d.text(left, 406, wavefronts, 12.5, colour, weight="bold")
    d.text(330, 96, "filled:", 12, ORANGE)
    d.text(330, 112, "bank 0", 12, ORANGE)
    d.text(330, 146, "frame:", 12, BLUE)
    d.text(330, 162, "read by", 12, BLUE)
    d.text(330, 178, "a warp", 12, BLUE)
    d.text(728, 96, "grey:", 12, GREY)
    d.text(728, 112, "unused", 12, GREY)
    return d
