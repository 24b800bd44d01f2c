"""The right result for an image of several channels (c x height x width), with its error bound.

    depthwise     h(c, y, x) = sum over b, a of f(c, y + b, x + a) g(b, a)
    convolution   h(n, y, x) = sum over c, b, a of f(c, y + b, x + a) g_n(c, b, a)

Like Eq. 1 a correlation: masks are not flipped. The bound is that of correlation.py with the unit
roundoff of the image's type. For doubles the result is computed in long double, and the bound also
covers the error of that.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle import borders
from grader.oracle.expected import Expected
from grader.oracle.rounding_bound import gamma

Array = npt.NDArray[Any]


def depthwise(image: Array, mask: Array, border: str = "zero") -> Expected:
    """Each channel filtered with the same mask (k x k). Result: c x height x width."""
    wide = _wider(image)
    value = _depthwise(image.astype(wide), mask.astype(wide), border)
    magnitude = _depthwise(
        np.abs(image).astype(np.float64), np.abs(mask).astype(np.float64), border
    )
    return Expected(value, _bound(magnitude, mask.size, image.dtype))


def convolution(image: Array, mask: Array, border: str = "zero") -> Expected:
    """n masks over all channels. mask: n x c x k x k; result: n x height x width."""
    wide = _wider(image)
    value = _convolution(image.astype(wide), mask.astype(wide), border)
    magnitude = _convolution(
        np.abs(image).astype(np.float64), np.abs(mask).astype(np.float64), border
    )
    return Expected(value, _bound(magnitude, mask[0].size, image.dtype))


def _depthwise(image: Array, mask: Array, border: str) -> Array:
    total = np.zeros_like(image)
    for (row, column), window in _windows(image, mask, border):
        total += mask[row, column] * window
    return total


def _convolution(image: Array, bank: Array, border: str) -> Array:
    """A product of matrices for each tap: n x c times c x (height * width)."""
    total = np.zeros((len(bank), image[0].size), dtype=image.dtype)
    for (row, column), window in _windows(image, bank, border):
        total += bank[:, :, row, column] @ window.reshape(len(image), -1)
    return total.reshape(len(bank), *image.shape[1:])


def _windows(image: Array, mask: Array, border: str) -> Iterator[tuple[tuple[int, int], Array]]:
    """The row and column of each tap, with the pixels (c x height x width) that it multiplies.

    Taps that are 0 in every mask are left out: they add nothing.
    """
    height, width = image.shape[1:]
    radius = mask.shape[-1] // 2
    padded = borders.pad(image, radius, radius, border)
    for row, column in np.ndindex(mask.shape[-2:]):
        if mask[..., row, column].any():
            yield (row, column), padded[:, row : row + height, column : column + width]


def _wider(image: Array) -> type[np.floating[Any]]:
    """The type in which the result for such an image is computed."""
    return np.longdouble if image.dtype == np.float64 else np.float64


def _bound(magnitude: Array, taps: int, kind: np.dtype[Any]) -> Array:
    """The largest error of a program that sums `taps` products in the type `kind`, plus, with room
    to spare, that of the wider type. `magnitude`, the sum of |f| |g| as a float64, is itself off by
    gamma of 2 taps and more: a relative 1e-9 is far beyond that."""
    wide = np.dtype(np.longdouble if kind == np.float64 else np.float64)
    smallest = taps * float(np.finfo(kind).smallest_subnormal)
    rounding = gamma(taps, _roundoff(kind)) + 2 * gamma(2 * taps, _roundoff(wide))
    return rounding * (1 + 1e-9) * magnitude + smallest


def _roundoff(kind: np.dtype[Any]) -> float:
    """The unit roundoff of a floating-point type."""
    return float(np.finfo(kind).eps) / 2
