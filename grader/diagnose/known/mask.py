"""Mistakes with the mask: flipped, transposed, a row or a tap missing, its rows read wrongly."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from grader.diagnose.known.filter import Array, Filter, Output, kept
from grader.diagnose.known.indexing import read_at
from grader.diagnose.mistake import Diagnosis, Mistake
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected

FEW = 16  # wrong elements; what fewer show may be chance
MAX_SIZE = 17  # of the labs' masks: a row of a mask of fixed size is that long
MOST_TAPS = 4096  # tried one by one; no mask of fixed size has more
COLUMNS_OF_A_WARP = (8, 16, 32, 64, 128)  # or of a block
MOST_VALUES = 6_000_000  # computed for all of them together


def turned(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Flipped, transposed, mirrored, upside down."""
    swap = "swap the row and the column where you index the mask"
    if f.operation == "separable":
        swap = "the row pass uses the coefficients of the column, and the column pass the row's"
    for name, text, mask in (
        (
            "mask-flipped",
            "a flipped mask gives (convolution); Eq. 1 is a correlation: multiply f(x+a, y+b) by "
            "g(a, b)",
            f.mask[..., ::-1, ::-1],
        ),
        (
            "mask-transposed",
            f"a transposed mask gives: {swap}",
            np.swapaxes(f.mask, -1, -2),
        ),
        (
            "mask-mirrored",
            "a mask mirrored left to right gives: change the sign of the x offset",
            f.mask[..., ::-1],
        ),
        (
            "mask-upside-down",
            "a mask turned upside down gives: change the sign of the y offset",
            f.mask[..., ::-1, :],
        ),
    ):
        yield Mistake(name, f"your output is what {text}", f.output(mask=mask))


def parts(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """A row or a column of the mask left out, or all but its middle; not where all taps of a row or
    a column read the same pixel: there, any other tap left out gives the same output."""
    alike = (f.shape[0] == 1 and f.reach[0]) or (f.shape[1] == 1 and f.reach[1])
    if alike and f.border == "replicate":
        return
    every = slice(None)
    above, left = slice(f.reach[0], None), slice(f.reach[1], None)
    below, right = slice(f.reach[0] + 1), slice(f.reach[1] + 1)
    without = [
        ("its last row and column", slice(0, -1), slice(0, -1)),
        ("its last row", slice(0, -1), every),
        ("its last column", every, slice(0, -1)),
        ("its first row and column", slice(1, None), slice(1, None)),
        ("its first row", slice(1, None), every),
        ("its first column", every, slice(1, None)),
        ("its outermost ring", slice(1, -1), slice(1, -1)),
    ]
    if f.radius > 1:
        without += [
            ("the rows above and columns left of its centre", above, left),
            ("the rows above its centre", above, every),
            ("the columns left of its centre", every, left),
            ("the rows below and columns right of its centre", below, right),
            ("the rows below its centre", below, every),
            ("the columns right of its centre", every, right),
        ]
    advice = "run both loops over the mask from -radius to +radius, both included"
    for name, rows, columns in without:
        text = f"your output is what {f.masks} gives without {name}: {advice}"
        yield Mistake("loop-bound", text, f.output(mask=kept(f.mask, rows, columns)))
    if f.radius > 1:
        text = f"your output is what the centre of {f.masks} gives alone: {advice}"
        yield Mistake("loop-bound", text, f.output(mask=_middle(f, 0)))
    if f.radius > 2:
        yield Mistake(
            "radius-ignored",
            f"your code uses only the middle 3x3 of {f.masks}: use the radius that it is given",
            f.output(mask=_middle(f, 1)),
        )


def coefficients(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """None of them used, or of a bank only the first quarter there: their number, not their bytes,
    was copied to memory that held 0."""
    yield Mistake(
        "mask-ignored",
        "your output is the sum of the pixels: multiply each by its coefficient",
        f.output(mask=np.ones_like(f.mask)),
    )
    there = f.mask.size // f.mask.itemsize
    if f.phases > 1 and there:
        first = np.where(np.arange(f.mask.size) < there, f.mask.reshape(-1), 0)
        yield Mistake(
            "bytes-forgotten",
            f"only the first {there} of the {f.mask.size} coefficients were there: does the copy "
            "get the number of all masks' coefficients, and that in bytes, times sizeof(float)?",
            f.output(mask=first.astype(f.mask.dtype).reshape(f.mask.shape)),
        )


def _middle(f: Filter, radius: int) -> Array:
    rows, columns = f.reach
    return kept(
        f.mask,
        slice(max(rows - radius, 0), rows + radius + 1),
        slice(max(columns - radius, 0), columns + radius + 1),
    )


def offsets(f: Filter) -> list[tuple[int, str]]:
    """How many coefficients too early a mask is read when a radius is left out of an index, and
    the words for it."""
    rows, columns = f.reach
    size = 2 * columns + 1
    whole = f"row b, column a of {f.masks} is at index (b + radius) * {size} + (a + radius)"
    known = (
        (rows * size + columns, "index b * size + a: add the radius to both, since a and b begin"),
        (rows * size, "row b, not b + radius: add the radius, since b begins"),
        (columns, "column a, not a + radius: add the radius, since a begins"),
    )
    return [
        (shift, f"the mask was read at {words} at -radius; {whole}")
        for shift, words in known
        if shift
    ]


def read_too_early(f: Filter, comparison: Comparison) -> Diagnosis | None:
    """Are the elements that need no coefficient from before the mask's first one what the mask
    gives when it is read too early? Those that need one may hold anything; where uninitialized
    memory shows in the output, it must be just those."""
    for shift, words in offsets(f) if f.mask.ndim == 2 else ():
        output = read_before(f, shift)
        known = ~np.isnan(output.value)
        if comparison.wrong[known].sum() < FEW:
            continue
        if comparison.unwritten.any() and (known == comparison.unwritten).any():
            continue
        got = comparison.got[known].astype(np.float64)
        if (np.abs(got - output.value[known]) <= output.bound[known]).all():
            return Diagnosis("mask-offset", words)
    return None


def read_before(f: Filter, shift: int) -> Expected:
    """The result when each coefficient is read `shift` elements too early. NaN where a coefficient
    from before the mask's first one is needed."""
    size = f.mask.shape[-1]
    result = _earlier(f, shift)()
    rows, columns = f.reach
    inside = np.ones(f.shape, dtype=np.bool_)
    padded = np.pad(inside, ((rows, rows), (columns, columns)), constant_values=f.border != "zero")
    height, width = f.shape
    touched = np.zeros(f.shape, dtype=np.bool_)
    for index in range(min(shift, f.mask.shape[-2] * size)):
        row, column = divmod(index, size)
        touched |= padded[row : row + height, column : column + width]
    return Expected(np.where(touched, np.nan, result.value), result.bound)


def early(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Coefficients read too early, where the memory before the mask holds 0."""
    for shift, words in offsets(f):
        yield Mistake("mask-offset", words, _earlier(f, shift))


def late(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Coefficients read one too late, where the memory behind the mask holds 0."""
    if f.mask.ndim == 2 and f.mask.size > 1:
        flat = np.append(f.mask.reshape(-1)[1:], f.mask.dtype.type(0))
        yield Mistake(
            "mask-offset",
            "each coefficient is read one too late, at index i + 1 for i: is the index advanced "
            "before it is used?",
            f.output(mask=flat.reshape(f.mask.shape)),
        )


def bank_strides(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The masks of a bank taken from where they would begin if each had another size."""
    rows, size = f.mask.shape[-2:]
    number, place = np.indices((len(f.mask), rows * size))
    for stride, words in (
        (MAX_SIZE * MAX_SIZE, "the size of the largest mask"),
        (size, "a row of a mask"),
        (1, "one coefficient"),
    ):
        if f.phases > 1 and stride != rows * size:
            yield Mistake(
                "bank-stride",
                f"the masks of the bank were read {stride} coefficients apart ({words}); mask k "
                f"begins at k * (2 * radius + 1)^2 = k * {rows * size}",
                f.output(
                    mask=read_at(f.mask, np.asarray(number * stride + place)).reshape(f.mask.shape)
                ),
            )


def _earlier(f: Filter, shift: int) -> Output:
    """With each coefficient read `shift` elements too early, and 0 before the mask's first one."""
    flat = np.zeros(f.mask.size, dtype=f.mask.dtype)
    flat[shift:] = f.mask.reshape(-1)[:-shift]
    return f.output(mask=flat.reshape(f.mask.shape))


def single_taps(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """One tap left out, or counted twice."""
    rows, columns = f.mask.shape[-2:]
    if rows * columns * comparison.got.size > MOST_VALUES:
        return
    for b, a, tap in islice(f.taps(), MOST_TAPS):
        for sign, verb in ((-1, "leaves out"), (1, "counts twice")):
            yield Mistake(
                "single-tap",
                f"your code {verb} the tap at a={a}, b={b} of {f.masks}",
                partial(_with, comparison.expected, tap, sign),
            )


def _with(right: Expected, tap: Expected, sign: int) -> Expected:
    """With the bound twice as large: a sum with one more tap rounds once more."""
    return Expected(right.value + sign * tap.value, 2 * right.bound)


def strides(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The mask's rows read as if they were longer or shorter than they are."""
    rows, size = f.mask.shape[-2:]
    if size == 1 or rows != size:
        return
    row, column = np.indices((size, size))
    number = np.arange(f.mask.size // row.size).reshape((*f.mask.shape[:-2], 1, 1))
    for pitch in dict.fromkeys((size - 1, size + 1, MAX_SIZE, size // 2)):
        apart = "1 coefficient" if pitch == 1 else f"{pitch} coefficients"
        for whole in dict.fromkeys((pitch * pitch, size * size)):
            if pitch != size:
                index = np.asarray(number * whole + row * pitch + column)
                yield Mistake(
                    "mask-stride",
                    f"the rows of {f.masks} were read {apart} apart; row b begins at b * (2 * "
                    f"radius + 1) = b * {size}",
                    f.output(mask=read_at(f.mask, index)),
                )


def phases(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The wrong mask of a bank of which column x takes mask x mod n."""
    count = f.phases
    if count == 1:
        return
    rule = f"column x needs mask x mod {count} of the bank"
    for shift in range(1, count):
        yield Mistake(
            "wrong-phase",
            f"{rule}; your code takes mask (x + {shift}) mod {count}",
            f.output(mask=np.roll(f.mask, -shift, axis=0)),
        )
    for phase in range(count):
        yield Mistake(
            "one-phase",
            f"{rule}; your code takes mask {phase} for every column",
            f.output(mask=np.repeat(f.mask[phase : phase + 1], count, axis=0)),
        )


def phases_of_blocks(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """One mask for several neighbouring columns, of a bank of which column x takes mask x mod n."""
    count = f.phases
    if count == 1:
        return
    alone = cache(lambda mask: f.output(mask=np.repeat(f.mask[mask : mask + 1], count, axis=0))())
    for columns in COLUMNS_OF_A_WARP:
        taken = np.arange(f.shape[1]) // columns % count
        yield Mistake(
            "wrong-phase",
            f"column x needs mask x mod {count} of the bank; your code takes one mask for "
            f"{columns} neighbouring columns, the next one for the next {columns}",
            partial(_by_column, alone, taken),
        )


def _by_column(alone: Callable[[int], Expected], taken: npt.NDArray[np.int64]) -> Expected:
    """Of each column the output with the mask that it takes."""
    results = [alone(int(mask)) for mask in range(taken.max() + 1)]
    columns = np.arange(len(taken))
    value, bound = (
        np.stack([getattr(r, name) for r in results])[taken, ..., columns]
        for name in ("value", "bound")
    )
    return Expected(np.moveaxis(value, 0, -1), np.moveaxis(bound, 0, -1))
