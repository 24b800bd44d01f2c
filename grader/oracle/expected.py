"""The right result of a check: the value of each element, and how far an output may be from it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grader.oracle.rounding_bound import SMALLEST, gamma, likely_gamma

MANY = 1 << 16  # terms
F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Expected:
    """The right value of each output element and the largest error allowed there; same shape."""

    value: F64
    bound: F64


def exact(value: npt.ArrayLike) -> Expected:
    """A result that no rounding changes, such as one of integers."""
    wide = np.asarray(value, np.float64)
    return Expected(wide, np.broadcast_to(0.0, wide.shape))


def summed(terms: npt.ArrayLike, axis: int = -1) -> Expected:
    """The sum of terms along an axis, which float32 adds in any order. Of whole numbers whose
    magnitudes sum to less than 2^24 no order rounds: then only that value is right. Of more than
    MANY terms the bound is the likely one: the certain one would let 0 pass for a sum."""
    wide = np.asarray(terms, np.float64)
    value, magnitude = wide.sum(axis), np.abs(wide).sum(axis)
    count = wide.shape[axis]
    if count > MANY:
        bound = likely_gamma(count) * magnitude + count * SMALLEST
    else:
        bound = rounded(value, magnitude, count).bound
    is_exact = (wide == np.rint(wide)).all(axis) & (magnitude < 2.0**24)
    return Expected(value, np.where(is_exact, 0.0, bound))


def rounded(value: npt.ArrayLike, magnitude: npt.ArrayLike, operations: int) -> Expected:
    """A sum that float32 computes in any order. value: in float64; magnitude: of each element, the
    sum of the absolute values of its terms; operations: how many in a row round, such as one for
    each term (rounding_bound.py)."""
    wide = np.asarray(value, np.float64)
    bound = gamma(operations) * np.asarray(magnitude, np.float64) + operations * SMALLEST
    return Expected(wide, np.broadcast_to(bound, wide.shape))
