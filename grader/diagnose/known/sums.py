"""Mistakes with the sum: never set back to 0, or never taken."""

from collections.abc import Iterator

import numpy as np

from grader.diagnose.known.filter import Filter
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.correlation import Expected
from grader.oracle.rounding_bound import gamma


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
