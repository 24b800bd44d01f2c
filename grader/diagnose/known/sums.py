"""Mistakes with the sum: never set back to 0, or never taken."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from grader.diagnose.known.filter import Filter, kept
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected
from grader.oracle.rounding_bound import gamma

UNIT = 2.0**-20  # as a share of a sum: more than it is rounded by
MOST = 0.9  # of the values behind the first group


def not_reset(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """One sum for a row or for a plane: each pixel also contains those before it."""
    height, width = f.shape
    right = comparison.expected
    roundoff = float(np.finfo(comparison.got.dtype).eps) / 2
    for words, shape in (("row", (-1, height, width)), ("plane", (-1, 1, height * width))):
        if shape[-1] > 1:
            value = np.cumsum(right.value.reshape(shape), axis=-1)
            bound = np.cumsum(right.bound.reshape(shape), axis=-1)
            largest = np.maximum.accumulate(np.abs(value), axis=-1)
            bound += gamma(shape[-1], roundoff) * largest
            output = Expected(value.reshape(right.value.shape), bound.reshape(right.value.shape))
            yield Mistake(
                "sum-not-reset",
                f"each pixel also contains the sums of all pixels before it in its {words}: set "
                "the sum to 0 for every pixel",
                lambda output=output: output,  # type: ignore[misc]
            )


def not_reset_between_groups(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """A thread computes several pixels of a row or column, and its sum goes on from one to the
    next."""
    right = comparison.expected
    roundoff = float(np.finfo(comparison.got.dtype).eps) / 2
    for axis, things, to in ((-1, "column", "left of it"), (-2, "row", "above it")):
        count = f.shape[axis]
        for step in (1, 2, 4, 8, 16, 32):
            for block in (2 * step, 4 * step, 8 * step, 128, count):
                if not step < block <= max(count, 2 * step) or step >= count:
                    continue
                place = np.arange(count) % block
                if not (_is_wrong_from(comparison, axis, place, step)):
                    continue
                of_each = f" of every {block}" if block < count else ""
                yield Mistake(
                    "sum-not-reset",
                    f"from {things} {step}{of_each} on, each pixel also contains the sum of the "
                    f"pixel {step} {to}: set the sum to 0 for every pixel",
                    partial(_summed_on, right, axis, step, block, roundoff),
                )


def overwritten(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Each product replaces the sum: the last tap alone is left, or the last one inside."""
    if f.operation != "correlate" or f.radius == 0:
        return
    text = "your output is the product of the last tap alone: add each product to the sum, with +="
    last = kept(f.mask, slice(-1, None), slice(-1, None))
    yield Mistake("sum-overwritten", text, f.output(mask=last))
    if f.border == "zero":
        yield Mistake("sum-overwritten", text, partial(_last_inside, f))


def _last_inside(f: Filter) -> Expected:
    (rows, columns), (height, width) = f.reach, f.shape
    y, x = np.indices(f.shape)
    b, a = np.minimum(rows, height - 1 - y), np.minimum(columns, width - 1 - x)
    value = f.mask[b + rows, a + columns].astype(np.float64) * f.image[y + b, x + a]
    return Expected(value, np.abs(value) * float(np.finfo(f.image.dtype).eps))


def in_integers(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The sum is an integer: each addition drops the fraction."""
    if f.operation == "correlate" and f.image.ndim == f.mask.ndim:
        yield Mistake(
            "truncated",
            "each sum is cut to a whole number after every addition: keep it in a floating-point "
            "variable, not in an integer",
            partial(_cut, f),
        )


def _cut(f: Filter) -> Expected:
    """Unknown where rounding decides what is cut."""
    value = np.zeros(f.shape)
    for _, _, tap in f.taps():
        total = value + tap.value
        near = np.abs(total - np.rint(total)) <= tap.bound + np.abs(total) * UNIT
        value = np.where(near & (tap.value != 0), np.nan, np.trunc(total))
    return Expected(value, np.zeros(f.shape))


def _is_wrong_from(
    comparison: Comparison, axis: int, place: npt.NDArray[np.int64], step: int
) -> bool:
    """Are the first `step` lines of each block right, and most others wrong?"""
    wrong = np.moveaxis(comparison.wrong, axis, 0)
    later = wrong[place >= step]
    return not wrong[place < step].any() and later.size > 0 and bool(later.mean() > MOST)


def _summed_on(right: Expected, axis: int, step: int, block: int, roundoff: float) -> Expected:
    value, bound = (np.moveaxis(a, axis, 0).copy() for a in (right.value, right.bound))
    for i in range(len(value)):
        if i % block >= step:
            value[i] += value[i - step]
            bound[i] += bound[i - step] + 4 * roundoff * np.abs(value[i])
    return Expected(np.moveaxis(value, 0, axis), np.moveaxis(bound, 0, axis))


def copied(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """The input, where the result belongs."""
    if f.image.shape == comparison.got.shape:
        image = f.image.astype(np.float64)
        text = "the output is the input, unchanged"
        if f.mask.ndim == 2 and 1 in f.mask.shape != (1, 1):
            text += (
                "; a pass gives this, too, with the coefficients of the other one, here a lone 1"
            )
        yield Mistake(
            "copied",
            text,
            lambda: Expected(image, np.zeros(image.shape)),
        )
