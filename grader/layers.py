"""What is right for an image of several channels: c x height x width, and 0 outside it.

    depthwise     h(c, y, x) = sum over b, a of f(c, y + b, x + a) g(b, a)
    convolution   h(n, y, x) = sum over c, b, a of f(c, y + b, x + a) g_n(c, b, a)

Like Eq. 1 a correlation: masks are not flipped. The bound is oracle.py's, for the unit roundoff of
the image's type; for doubles the exact result is found in long double, and its own error added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle import Expected

Array = npt.NDArray[Any]


def gamma(operations: int, kind: np.dtype[Any]) -> float:
    """The relative error bound of n rounded operations in a row, in a floating-point type."""
    roundoff = float(np.finfo(kind).eps) / 2
    return operations * roundoff / (1 - operations * roundoff)


def depthwise(image: Array, mask: Array) -> Expected:
    """Each channel with the same mask (k x k)."""
    wide = _wider(image)
    value = _correlated(image.astype(wide), mask.astype(wide))
    magnitude = _correlated(np.abs(image).astype(wide), np.abs(mask).astype(wide))
    return Expected(value, _bound(magnitude, mask.size, image.dtype))


def convolution(image: Array, bank: Array) -> Expected:
    """n masks over all channels: the bank is n x c x k x k, the result n x height x width."""
    wide = _wider(image)
    value = np.zeros((len(bank), *image.shape[1:]), dtype=wide)
    magnitude = np.zeros_like(value)
    for channel in range(len(image)):
        f, g = image[channel : channel + 1].astype(wide), bank[:, channel].astype(wide)
        value += _correlated(f, g)[:, 0]
        magnitude += _correlated(np.abs(f), np.abs(g))[:, 0]
    return Expected(value, _bound(magnitude, bank[0].size, image.dtype))


def _correlated(planes: Array, masks: Array) -> Array:
    """Planes (p x height x width) with masks (... x k x k): ... x p x height x width."""
    size = masks.shape[-1]
    height, width = planes.shape[1:]
    padded = np.pad(planes, ((0, 0), (size // 2, size // 2), (size // 2, size // 2)))
    total = np.zeros((*masks.shape[:-2], *planes.shape), dtype=planes.dtype)
    for row, column in np.ndindex(size, size):
        window = padded[:, row : row + height, column : column + width]
        total += masks[..., row, column, np.newaxis, np.newaxis, np.newaxis] * window
    return total


def _wider(image: Array) -> type[np.floating[Any]]:
    return np.longdouble if image.dtype == np.float64 else np.float64


def _bound(magnitude: Array, taps: int, kind: np.dtype[Any]) -> Array:
    """Of the student's program, and twice that of the wider type: the value's and magnitude's."""
    wide = magnitude.dtype
    smallest = taps * float(np.finfo(kind).smallest_subnormal)
    return (gamma(taps, kind) + 2 * gamma(2 * taps, wide)) * magnitude + smallest
