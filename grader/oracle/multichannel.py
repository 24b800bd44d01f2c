"""What is right for an image of several channels: c x height x width, and 0 outside it.

    depthwise     h(c, y, x) = sum over b, a of f(c, y + b, x + a) g(b, a)
    convolution   h(n, y, x) = sum over c, b, a of f(c, y + b, x + a) g_n(c, b, a)

Like Eq. 1 a correlation: masks are not flipped. The bound is oracle.py's, for the unit roundoff of
the image's type; for doubles the exact result is found in long double, and its own error added.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle.correlation import Expected

Array = npt.NDArray[Any]


def gamma(operations: int, kind: np.dtype[Any]) -> float:
    """The relative error bound of n rounded operations in a row, in a floating-point type."""
    roundoff = float(np.finfo(kind).eps) / 2
    return operations * roundoff / (1 - operations * roundoff)


def depthwise(image: Array, mask: Array) -> Expected:
    """Each channel with the same mask (k x k)."""
    wide = _wider(image)
    value = _depthwise(image.astype(wide), mask.astype(wide))
    magnitude = _depthwise(np.abs(image).astype(np.float64), np.abs(mask).astype(np.float64))
    return Expected(value, _bound(magnitude, mask.size, image.dtype))


def convolution(image: Array, bank: Array) -> Expected:
    """n masks over all channels: the bank is n x c x k x k, the result n x height x width."""
    wide = _wider(image)
    value = _convolution(image.astype(wide), bank.astype(wide))
    magnitude = _convolution(np.abs(image).astype(np.float64), np.abs(bank).astype(np.float64))
    return Expected(value, _bound(magnitude, bank[0].size, image.dtype))


def _depthwise(image: Array, mask: Array) -> Array:
    total = np.zeros_like(image)
    for (row, column), window in _windows(image, len(mask)):
        total += mask[row, column] * window
    return total


def _convolution(image: Array, bank: Array) -> Array:
    """A product of matrices for each place in the masks: n x c times c x (height * width)."""
    total = np.zeros((len(bank), image[0].size), dtype=image.dtype)
    for (row, column), window in _windows(image, bank.shape[-1]):
        total += bank[:, :, row, column] @ window.reshape(len(image), -1)
    return total.reshape(len(bank), *image.shape[1:])


def _windows(image: Array, size: int) -> Iterator[tuple[tuple[int, int], Array]]:
    """Each place in a mask with the pixels, c x height x width, that it is multiplied with."""
    height, width = image.shape[1:]
    border = (size // 2, size // 2)
    padded = np.pad(image, ((0, 0), border, border))
    for row, column in np.ndindex(size, size):
        yield (row, column), padded[:, row : row + height, column : column + width]


def _wider(image: Array) -> type[np.floating[Any]]:
    return np.longdouble if image.dtype == np.float64 else np.float64


def _bound(magnitude: Array, taps: int, kind: np.dtype[Any]) -> Array:
    """Of the student's program and, with room to spare, of the value's wider type. The magnitude,
    a float64, is itself off by gamma of 2 taps and more: a relative 1e-9 is far beyond that."""
    wide = np.dtype(np.longdouble if kind == np.float64 else np.float64)
    smallest = taps * float(np.finfo(kind).smallest_subnormal)
    allowed = (gamma(taps, kind) + 2 * gamma(2 * taps, wide)) * (1 + 1e-9)
    return allowed * magnitude + smallest
