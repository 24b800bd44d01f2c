"""The figures of lab 3."""

from handouts.drawing.canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_ORANGE,
    PALE_RED,
    RED,
    Drawing,
)


def lanes() -> Drawing:
    """Which coefficient each lane of a warp needs, before and after regrouping."""
    d = Drawing(
        790,
        332,
        "A warp reads four coefficients, or one",
        "Above, 16 neighbouring lanes need four different masks, so the constant cache "
        "serves four words one at a time. Below, a warp takes every fourth column, and "
        "all lanes need the same word.",
    )
    colours = [BLUE, ORANGE, GREEN, RED]
    pale = [PALE_BLUE, PALE_ORANGE, PALE_GREEN, PALE_RED]
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
