"""What do additions that are rounded leave of very small terms?"""

from collections.abc import Callable, Iterable
from functools import partial, reduce
from random import Random

import numpy as np

from grader.ask.draft import CannotTell, Draft, numbers
from grader.ask.impulse import name, ones, out_name, window
from grader.ask.program import Program
from grader.ask.words import image
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array

ABOUT = "the last bit of a sum"
REBUILDS = False
HALF, ULP = np.float32(2.0**-24), 2.0**-23  # an ulp: of the floats from 1 to 2
Terms = list[list[Array]]  # of a window: rows of terms, one or many of each
ADD = partial(reduce, np.add)


def by_rows(terms: Terms) -> Array:
    return ADD(term for row in terms for term in row)


def by_columns(terms: Terms) -> Array:
    return by_rows([list(column) for column in zip(*terms, strict=True)])


def sums_of_rows(terms: Terms) -> Array:
    return ADD([ADD(row) for row in terms])


def sums_of_columns(terms: Terms) -> Array:
    return sums_of_rows([list(column) for column in zip(*terms, strict=True)])


ORDERS: dict[str, Callable[[Terms], Array]] = {
    "row by row": by_rows,
    "column by column": by_columns,
    "within each row first": sums_of_rows,
    "within each column first": sums_of_columns,
}


def ask(program: Program, draw: Random) -> Draft:
    across, down, width, height = window(program)
    given = ones(program, program.case())
    if given.image.dtype != np.float32 or given.image.ndim != 2 or given.mask.ndim != 2:
        raise CannotTell("no sum of floats of one channel")
    order = order_of(program, given, draw.randrange(1 << 30))
    y, x = draw.randrange(down, height - down), draw.randrange(across, width - across)
    b, a = draw.randint(-down, down), draw.randint(-across, across)
    small = np.full_like(given.image, HALF)
    small[y + b, x + a] = 1
    shown, at = out_name(program, y, x)

    def ulps(value: float) -> int:
        return round((value - 1) / ULP)

    found = {way: ulps(float(add(terms(small, y, x, across, down)))) for way, add in ORDERS.items()}
    answer = found[order]

    def second() -> str:
        return str(ulps(float(program.right_output(program.case(), with_image(given, small))[at])))

    taps = (2 * across + 1) * (2 * down + 1)
    mistakes = [
        ((taps - 1) // 2, "that is the exact sum, but each addition of floats is rounded"),
        (0, "terms that come before the 1 are added exactly: together they count"),
        (taps - 1, "2^-24 is half an ulp of 1, not a whole one"),
        *((other, f"that is so when the terms are added {way}") for way, other in found.items()),
        (answer + 1, "a sum half way between two floats goes to the even one"),
        (answer - 1, "a sum half way between two floats goes to the even one"),
        (2 * answer, "2^-24 is half an ulp of 1, not a whole one"),
    ]
    return Draft(
        file=program.shown,
        line=program.result_line,
        text=f"{program.name} runs on {image(program.trace.size)}. All {taps} coefficients are 1; "
        f"every pixel is 2^-24, but {name(program, y + b, x + a)} is 1. The floats next to 1 are "
        f"2^-23 apart: one ulp. By how many ulp is {shown} above 1?",
        answer=str(answer),
        second=second,
        ways=("the additions one by one, in the program's order", "a run on that image"),
        why=f"Your program adds the terms {order}. 2^-24 is half an ulp of 1: added to the 1 "
        "alone, it is rounded to the even neighbour, but terms that were added to one another "
        f"before count together. The exact sum would be {(taps - 1) / 2:g} ulp above 1; the run "
        f"gives {answer}.",
        mistakes=numbers(answer, mistakes),
    )


def terms(of: Array, y: int | slice, x: int | slice, across: int, down: int) -> Terms:
    """The pixels below the window of one pixel, or of those in two slices."""

    def moved(place: int | slice, by: int) -> int | slice:
        return place + by if isinstance(place, int) else slice(place.start + by, place.stop + by)

    steps: tuple[Iterable[int], Iterable[int]] = range(-down, down + 1), range(-across, across + 1)
    return [[of[moved(y, b), moved(x, a)] for a in steps[1]] for b in steps[0]]


def order_of(program: Program, given: Inputs, seed: int) -> str:
    """The one order of additions that gives each pixel of a noisy image to the last bit. Raises
    CannotTell where none does, or where several do."""
    noise = np.random.default_rng(seed).random(given.image.shape, np.float32)
    result = program.right_output(program.case(), with_image(given, noise))
    across, down, width, height = window(program)
    inside = slice(down, height - down), slice(across, width - across)
    fitting = [
        way
        for way, add in ORDERS.items()
        if np.array_equal(add(terms(noise, *inside, across, down)), result[inside])
    ]
    if not fitting:
        raise CannotTell("it does not add in one of the known orders")
    return fitting[0]


def with_image(given: Inputs, pixels: Array) -> Inputs:
    return Inputs(**{**given.arrays, "image": pixels})
