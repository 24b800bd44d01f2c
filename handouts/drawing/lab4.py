"""The figures of lab 4."""

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
    PALE_RED,
    RED,
    WHITE,
    Drawing,
)


def apron() -> Drawing:
    """The apron of a tile lies in eight other tiles."""
    d = Drawing(
        700,
        330,
        "A tile and its apron, which lies in the neighbours' tiles",
        "A tile in the middle of 3 by 3 tiles. Around it lies the apron, r pixels wide, "
        "which covers parts of the eight neighbours. For a tile of 32 by 32, tile and "
        "apron have 1.13 pixels for each pixel of the tile at r = 1, 1.89 at r = 6 and "
        "2.25 at r = 8.",
    )
    left, top, tile, radius = 36, 52, 84, 26
    d.text(left, 34, "3 × 3 tiles of an image", 15, weight="bold")
    for j in range(3):
        for i in range(3):
            d.rect(left + i * tile, top + j * tile, tile, tile, PALE_GREY, GREY)
    x, y = left + tile, top + tile
    d.rect(x - radius, y - radius, tile + 2 * radius, tile + 2 * radius, PALE_ORANGE, ORANGE, 2)
    d.rect(x, y, tile, tile, PALE_GREEN, GREEN, 2.5)
    for k in range(4):
        at = (x - radius if k % 2 == 0 else x + tile, y - radius if k < 2 else y + tile)
        d.rect(*at, radius, radius, PALE_RED, ORANGE)
    for i in (1, 2):
        d.line(left + i * tile, top, left + i * tile, top + 3 * tile)
        d.line(left, top + i * tile, left + 3 * tile, top + i * tile)
    d.text(x + tile / 2, y + tile / 2 + 5, "tile", 14, GREEN, "middle", "bold")
    d.text(x + tile / 2, y - radius / 2 + 4, "apron", 12, ORANGE, "middle")
    d.text(x - radius / 2, y + tile + radius / 2 + 4, "r", 12, RED, "middle")
    side = left + 3 * tile + 36
    d.text(side, 84, "The block of this tile writes the tile", 13, GREEN)
    d.text(side, 102, "and reads r more pixels on each side,", 13, ORANGE)
    d.text(side, 120, "from four neighbours", 13, ORANGE)
    d.text(side, 138, "and, at the corners, from four more.", 13, RED)
    d.text(side, 174, "Pixels read for a tile of 32 × 32:", 13)
    for k, r in enumerate((1, 6, 8)):
        share = (32 + 2 * r) ** 2 / 32**2
        text = f"r = {r}:  {32 + 2 * r}² pixels, {share:.2f} for each pixel of the tile"
        d.text(side, 196 + 20 * k, text, 13, GREY)
    d.text(side, 276, "Without a tile it is (2r+1)²:", 13)
    d.text(side, 296, "9, 169 and 289 for each pixel.", 13, GREY)
    return d


def threads() -> Drawing:
    """Who loads and who computes, in part A and in part B."""
    d = Drawing(
        640,
        384,
        "Part A: threads of the apron idle. Part B: threads load more than once",
        "Left, part A: a block of 8 by 8 threads with a radius of 2; 16 threads in the "
        "middle load and compute, the 48 around them load and then idle. Right, part B: 8 "
        "by 8 threads load 12 by 12 pixels in four iterations, and all 64 compute.",
    )
    cell, block, radius = 20, 8, 2
    side = block + 2 * radius
    left, top = 40, 62
    d.text(left, 34, "part A", 15, weight="bold")
    d.text(left, 52, f"{block} × {block} threads, r = {radius}", 12, GREY)

    def works(i: int, j: int) -> bool:
        return all(radius <= k < block - radius for k in (i, j))

    d.grid(
        left,
        top,
        cell,
        [[""] * block for _ in range(block)],
        lambda i, j: PALE_GREEN if works(i, j) else PALE_ORANGE,
    )
    d.rect(left, top, block * cell, block * cell, "none", BLUE, 2.5)
    tile = block - 2 * radius
    busy = tile * tile
    d.text(left, top + block * cell + 24, "blue: the block's threads", 12, BLUE)
    d.text(
        left,
        top + block * cell + 42,
        f"{busy} load and compute: a tile of {tile} × {tile}",
        12,
        GREEN,
    )
    d.text(left, top + block * cell + 60, f"{block**2 - busy} load, wait, and idle", 12, ORANGE)
    left = 360
    d.text(left, 34, "part B", 15, weight="bold")
    d.text(left, 52, f"{block} × {block} threads, r = {radius}", 12, GREY)
    fills = {(0, 0): PALE_BLUE, (1, 0): PALE_GREEN, (0, 1): PALE_ORANGE, (1, 1): PALE_RED}
    d.grid(
        left,
        top,
        cell,
        [[str(1 + i // block + 2 * (j // block)) for i in range(side)] for j in range(side)],
        lambda i, j: fills[i // block, j // block],
        lambda _i, _j: GREY,
    )
    d.rect(left, top, block * cell, block * cell, "none", BLUE, 2.5)
    inner = left + radius * cell, top + radius * cell
    d.rect(*inner, block * cell, block * cell, "none", GREEN, 2.5)
    beneath = top + side * cell
    d.text(left, beneath + 22, f"{side} × {side} pixels; the iteration that loads each", 12)
    d.text(left, beneath + 40, "blue: where the threads begin", 12, BLUE)
    d.text(left, beneath + 58, f"green: the tile, {block} × {block}: all compute", 12, GREEN)
    return d


def patch() -> Drawing:
    """Part D: a row of the tile is read once, for up to three rows of outputs (r = 1)."""
    d = Drawing(
        760,
        330,
        "Part D: a row of the tile is read once and used for several outputs",
        "Left, six rows of the tile; row 2 is read as two float4. Right, the 4 by 4 sums "
        "of the thread: the row is multiplied by row 2, 1 and 0 of the mask and added to "
        "the first three rows of sums; the fourth row does not need it.",
    )
    cell, radius, size = 30, 1, 4
    rows = size + 2 * radius
    left, top, row = 40, 76, 2
    d.text(left, 34, "what a thread reads (r = 1)", 15, weight="bold")
    d.text(left, 54, f"row {row} is in registers now: two float4s", 12, BLUE)

    def fill(i: int, j: int) -> str:
        if j == row:
            return PALE_BLUE if i < rows else PALE_GREY
        return WHITE if i < rows else PALE_GREY

    labels = [[str(j) if i == 0 else "" for i in range(8)] for j in range(rows)]
    d.grid(left, top, cell, labels, fill, lambda _i, _j: GREY)
    for k in range(2):
        d.rect(left + 4 * k * cell, top + row * cell, 4 * cell, cell, "none", BLUE, 2.5)
    d.rect(left + cell, top + cell, size * cell, size * cell, "none", GREEN, 2.5)
    d.text(left, top + rows * cell + 24, "green: the pixels of the patch", 12, GREEN)
    d.text(left, top + rows * cell + 42, "grey: read with the last float4, not used", 12, GREY)
    right = 450
    d.text(right, 34, "what it adds to: sum[j][i]", 15, weight="bold")
    names = [[f"{j},{i}" for i in range(size)] for j in range(size)]
    shift = top + cell
    d.grid(
        right,
        shift,
        cell,
        names,
        lambda _i, j: PALE_GREEN if 0 <= row - j <= 2 * radius else WHITE,
        lambda _i, j: INK if 0 <= row - j <= 2 * radius else GREY,
    )
    for j in range(size):
        b = row - j
        at = shift + (j + 0.62) * cell
        if 0 <= b <= 2 * radius:
            d.arrow(left + 8 * cell + 8, top + (row + 0.5) * cell, right - 8, at - 4, BLUE, 1.2)
            d.text(right + size * cell + 12, at, f"times row {b} of the mask", 12)
        else:
            d.text(right + size * cell + 12, at, "not in its window", 12, GREY)
    d.text(right, top + rows * cell + 24, f"row {row}: 6 pixels read, 3 × 4 × 3 = 36", 12)
    d.text(right, top + rows * cell + 42, "multiply-adds from registers", 12)
    return d
