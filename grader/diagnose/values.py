"""What the values of an output tell by themselves: all NaN, all 0, cut to integers, or scaled."""

import numpy as np

from grader.diagnose.known.filter import Filter
from grader.diagnose.mistake import Diagnosis
from grader.oracle.compare import Comparison

HUGE = 1e37  # no sum of the labs comes near it


def by_themselves(comparison: Comparison) -> Diagnosis | None:
    """A cause that the values show without any mistake being tried."""
    got, right = comparison.got, comparison.expected.value
    if np.isnan(got[comparison.wrong]).all():
        return Diagnosis(
            "nan",
            "every wrong pixel is NaN: your code uses a value before it is written, or divides 0 "
            "by 0",
        )
    if not got.any():
        small = not np.trunc(right).any()
        integer = ", or the sum is kept in an integer" if small else ""
        return Diagnosis(
            "all-zero",
            "every pixel is 0: nothing is added to the sum, the sum is never written to the "
            "output, or every coefficient of the mask or every pixel of the image was read as "
            f"0{integer}",
        )
    if (np.abs(got[comparison.wrong]) > HUGE).all():
        return Diagnosis(
            "uninitialised-value",
            "every wrong pixel is huge: the sum includes an uninitialized value. Is the sum set to "
            "0 first, and was each value that it adds stored before?",
        )
    if (got == np.trunc(right).astype(got.dtype)).all():
        return Diagnosis(
            "truncated",
            "each value is truncated: keep it in a floating-point variable, not an integer",
        )
    return None


def scaled(f: Filter, comparison: Comparison) -> Diagnosis | None:
    """All values off by the same factor, up to rounding; named where it comes from the mask."""
    value, got = comparison.expected.value, comparison.got.astype(np.float64)
    large = np.abs(value) > 1e-3 * max(float(np.abs(value).max()), 1e-30)
    if large.sum() < 8 or not np.isfinite(got).all():
        return None
    ratio = got[large] / value[large]
    factor = float(np.median(ratio))
    if abs(factor - 1) <= 1e-3 or (np.abs(ratio - factor) > 1e-4 * abs(factor)).any():
        return None
    for divisor, what in (
        (float(f.mask.sum(dtype=np.float64)), "the sum of the mask's coefficients"),
        (float(f.mask.size), "the number of taps"),
    ):
        if f.image.ndim == 2 and abs(factor * divisor - 1) < 1e-4:
            return Diagnosis(
                "normalised",
                f"every value is divided by {divisor:.6g}, {what}: use the mask as it is",
            )
    if f.image.ndim == 2 and min(f.shape) <= f.radius:
        return None  # nearly every tap reads the same pixels: any mistake looks like a factor
    return Diagnosis(
        "scaled", f"every value is {factor:.6g} times the right one: look for a wrong factor"
    )
