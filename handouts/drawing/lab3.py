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
    d = Drawing(  # as wide as a phone
        352,
        374,
        "A warp reads four coefficients, or one",
        "Above, 16 neighbouring lanes need four different masks, so the constant cache "
        "serves four words one at a time. Below, a warp takes every fourth column, and "
        "all lanes need the same word.",
    )
    colours = [BLUE, ORANGE, GREEN, RED]
    pale = [PALE_BLUE, PALE_ORANGE, PALE_GREEN, PALE_RED]
    left, cell = 16, 20
    for k in range(2):
        top = 52 + k * 164
        what = "baseline: neighbouring columns" if k == 0 else "part B: every fourth column"
        d.text(left, top - 24, what, 14, weight="bold")
        d.text(left, top - 6, "the x of lanes 0 to 15, of 32", 12, GREY)
        columns = [lane if k == 0 else 4 * lane for lane in range(16)]
        shown = [[str(x) for x in columns]]
        d.grid(left, top, cell, shown, lambda x, _y, c=columns: pale[c[x] % 4])  # type: ignore[misc]
        used = [0, 1, 2, 3] if k == 0 else [0]
        for phase in used:
            middle = left + cell * (2 + 4 * phase if k == 0 else 8)
            d.rect(middle - 31, top + 58, 62, 24, pale[phase], colours[phase], 1.5)
            d.text(middle, top + 74, f"mask {phase}", 12, INK, "middle")
            lanes_here = [i for i, c in enumerate(columns) if c % 4 == phase]
            for lane in lanes_here:
                x = left + cell * (lane + 0.5)
                d.line(x, top + cell + 1, middle, top + 57, colours[phase], 0.8)
        reads = "4 words, one at a time" if k == 0 else "1 word for all lanes"
        d.text(left, top + 102, reads, 13, RED if k == 0 else GREEN)
    d.text(left, 346, "The constant cache serves one word at a time.", 12, GREY)
    d.text(left, 363, "Three more warps take the columns 1, 2, 3 mod 4.", 12, GREY)
    return d
