"""Is what a program computed right? Only then does its time count.

Some rows of the output, the first and last among them, are compared with the float64 result and its
bound (grader/oracle). All of it is compared with the output of the first program that was right
there: two right outputs differ by at most two bounds.
"""

import numpy as np

from grader.oracle import correlation, multichannel
from grader.oracle.expected import Expected
from grader.oracle.grayscale import grey
from grader.oracle.rounding_bound import gamma
from labs.studies.bench.work import Array, Work

BAND = 8  # rows that are compared at a time
DRAWN = 3  # bands between the first and the last
PLANES = 3  # of an output of many, besides the first and the last
# The relative error of a product whose factors were cut to TF32's 10 bits, each by less than 2^-10.
TF32 = 2.0**-9 + 2.0**-20
WRONG = float("inf")


class Verifier:
    """Judges outputs of one work. Which rows it compares is chosen for each verifier."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.accepted: Array | None = None
        draw = np.random.default_rng()
        height = work.out_shape[-2]
        last = max(0, height - BAND)
        tops = {0, last, *(int(top) for top in draw.integers(0, last + 1, DRAWN))}
        self.planes = _planes(work, draw)
        self.bands = [(top, min(height, top + BAND)) for top in sorted(tops)]
        self.expected = [_expected(work, self.planes, first, end) for first, end in self.bands]
        self.gamma = 0.0 if work.operation == "grey" else gamma(work.roundings, _roundoff(work))

    def error(self, out: Array, tf32: bool = False) -> float:
        """The largest error in the rows that are compared, as a multiple of its bound; WRONG where
        another row is wrong. tf32: factors may have been cut to 10 bits."""
        worst = 0.0
        for (first, end), expected in zip(self.bands, self.expected, strict=True):
            rows = out[..., first:end, :]
            rows = rows if self.planes is None else rows[self.planes]
            bound = expected.bound
            if tf32:  # a bound is gamma times the sum of |f| |g|; tensor cores also cut their sums
                bound = 2 * bound + TF32 / self.gamma * bound
            worst = max(worst, _times_bound(rows, expected.value, bound))
        if worst <= 1 and not self._agrees(out, tf32):
            return WRONG
        if worst <= 1 and not tf32 and self.accepted is None:
            self.accepted = out.copy()
        return worst

    def _agrees(self, out: Array, tf32: bool) -> bool:
        """Whether all of the output is as near to the accepted one as two right ones can be. The
        sum of |f| |g| is at most 1: pixels are below 1, and the coefficients of a mask sum to 1."""
        if self.accepted is None:
            return True
        if self.work.operation == "grey":
            return bool(np.array_equal(out, self.accepted))
        most = 1.001 * (2 * self.gamma + (TF32 + self.gamma if tf32 else 0.0))
        difference = np.subtract(out, self.accepted)
        return bool(np.abs(difference, out=difference).max() <= most)  # false for a NaN


def _roundoff(work: Work) -> float:
    """The unit roundoff of the work's type."""
    return float(np.finfo(work.image.dtype).eps) / 2


def _planes(work: Work, draw: np.random.Generator) -> Array | None:
    """The planes that are compared with the oracle; None: there is one."""
    if len(work.out_shape) == 2:
        return None
    count = work.out_shape[0]
    return np.unique([0, count - 1, *draw.integers(0, count, PLANES)])


def _expected(work: Work, planes: Array | None, first: int, end: int) -> Expected:
    """The right rows first..end-1, computed from the rows that they need. Rows at a cut lack their
    neighbours, and are dropped."""
    if work.operation == "grey":
        r, g, b = (int(weight) for weight in work.mask)
        value = grey(work.image[first:end], (r, g, b)).astype(np.float64)
        return Expected(value, np.zeros(value.shape))
    top = max(0, first - work.radius)
    cut = work.image[..., top : end + work.radius, :]
    if work.operation == "depthwise":
        whole = multichannel.depthwise(cut[planes], work.mask)
    elif work.operation == "convolution":
        whole = multichannel.convolution(cut, work.mask[planes])
    else:
        whole = correlation.OPERATIONS[work.operation](cut, work.mask, "zero")
    rows = slice(first - top, end - top)
    return Expected(whole.value[..., rows, :], whole.bound[..., rows, :])


def _times_bound(rows: Array, value: Array, bound: Array) -> float:
    """The largest error as a multiple of its bound; WRONG for a NaN, and for any error where the
    bound is 0."""
    difference = np.abs(rows.astype(value.dtype) - value)
    if not np.isfinite(difference).all() or difference[bound == 0].any():
        return WRONG
    return float((difference / np.where(bound == 0, 1.0, bound)).max())
