"""What do additions that are rounded leave of very small terms?"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from grader.ask.impulse import name, ones, out_name, window
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array

OF_IMAGES = True
HALF, ULP = np.float32(2.0**-24), 2.0**-23  # an ulp: of the floats from 1 to 2


def ask(program: AskedPart, draw: Random) -> Draft:
    across, down, width, height = window(program)
    given = ones(program)
    if given.image.dtype != np.float32 or given.image.ndim != 2 or given.mask.ndim != 2:
        raise CannotTell("no sum of floats of one channel")
    shape = 2 * down + 1, 2 * across + 1
    y, x = draw.randrange(down, height - down), draw.randrange(across, width - across)
    b, a = draw.randint(-down, down), draw.randint(-across, across)

    def run(pixels: Array) -> Array:
        inputs = Inputs(image=pixels, mask=given.mask)
        result = program.right_output(program.wide, inputs)
        return result[down : height - down, across : width - across]

    noise = np.random.default_rng(draw.randrange(1 << 30)).random((height, width), np.float32)
    noisy = run(noise)
    orders = [way for way, sum_ in sums(noise, shape).items() if np.array_equal(sum_, noisy)]
    if not orders:
        raise CannotTell("it does not add in one of the known orders")
    small = np.full_like(noise, HALF)
    small[y + b, x + a] = 1
    place = y - down, x - across
    found = {way: ulps(sum_[place]) for way, sum_ in sums(small, shape).items()}
    answer, taps = found[orders[0]], shape[0] * shape[1]
    return Draft(
        line=program.first_line,
        text=f"{runs(program, program.wide)}. All coefficients are 1; "
        f"every pixel is 2^-24, but {name(program, y + b, x + a)} is 1. The floats next to 1 are "
        f"2^-23 apart: one ulp. By how many ulp is {out_name(program, y, x)[0]} above 1?",
        answer=answer,
        second=lambda: ulps(run(small)[place]),
        why=f"Your program adds the terms {orders[0]}. 2^-24 is half an ulp of 1: added to the 1 "
        "alone, it is rounded to the even neighbour, but terms that were added to one another "
        f"before count together. The exact sum would be {(taps - 1) / 2:g} ulp above 1; the run "
        f"gives {answer}.",
        mistakes=[
            ((taps - 1) // 2, "that is the exact sum, but each addition of floats is rounded"),
            (0, "terms that come before the 1 are added exactly: together they count"),
            (taps - 1, "2^-24 is half an ulp of 1, not a whole one"),
            *((other, f"adding the terms {way} gives that") for way, other in found.items()),
            (answer + 1, "a sum half way between two floats goes to the even one"),
            (answer - 1, "a sum half way between two floats goes to the even one"),
            (2 * answer, "2^-24 is half an ulp of 1, not a whole one"),
            *(
                (n, "count the terms that are added before the 1, or among themselves")
                for n in range(taps // 2)
            ),
            (taps, "those are the terms"),
        ],
        counts="add the terms in the order of your program, and round each sum",
    )


def ulps(value: float) -> int:
    return round((float(value) - 1) / ULP)


def sums(pixels: Array, shape: tuple[int, int]) -> dict[str, Array]:
    """The sums of all windows of a shape, with the terms of each added one by one in an order."""

    def added(terms: Array) -> Array:
        return np.add.accumulate(terms, axis=-1)[..., -1]

    rows = sliding_window_view(pixels, shape)
    columns, flat = rows.swapaxes(2, 3), (*rows.shape[:2], -1)
    return {
        "row by row": added(rows.reshape(flat)),
        "column by column": added(columns.reshape(flat)),
        "within each row first": added(added(rows)),
        "within each column first": added(added(columns)),
    }
