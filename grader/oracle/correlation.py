"""The right result of a filter of one plane, in float64, and the error that float32 may make.

    h(x, y) = sum over alpha, beta of f(x + alpha, y + beta) g(alpha, beta)      (source 000, Eq. 1)

rounding_bound.py says how large the error may be.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from grader.oracle import borders
from grader.oracle.expected import F64, Expected
from grader.oracle.rounding_bound import SMALLEST, gamma

MANY_TAPS = 25  # with fewer, one tap after the other is as fast
PRODUCTS = 1 << 17  # values that are summed at a time: they stay in a cache
LARGE = 1 << 16  # pixels of which no second copy is made

F32 = npt.NDArray[np.float32]


def correlate64(image: npt.ArrayLike, mask: npt.ArrayLike, border: str) -> F64:
    """Eq. 1 in float64. image: ... x height x width; mask: (2r+1) x (2r+1), or a line of one row
    or column, or one for each plane of the image; border: a key of BORDERS. A coefficient of 0
    ignores its pixels, whatever they are."""
    f = np.asarray(image, dtype=np.float64)
    g = np.asarray(mask, dtype=np.float64)
    if g.shape[-2:] == (1, 1):  # no neighbours: the same values in a tenth of the time
        return np.asarray(f * g)
    rows, columns = g.shape[-2:]
    if (
        rows != columns
        or rows * columns < MANY_TAPS
        or not (f.size and np.isfinite(f).all() and np.isfinite(g).all())
    ):
        return _by_taps(f, g[..., None, None, :, :], border)
    if f.ndim > 2:
        masks = np.broadcast_to(g, (*f.shape[:-2], *g.shape[-2:]))
        return np.stack([correlate64(*plane, border) for plane in zip(f, masks, strict=True)])
    if f.shape[0] > f.shape[1]:  # long rows make large products
        return _by_products(np.ascontiguousarray(f.T), np.ascontiguousarray(g.T), border).T
    return _by_products(f, g, border)


def _by_products(f: F64, g: F64, border: str) -> F64:
    """Eq. 1 by products of matrices. First the taps of each column of the mask are summed, for
    every row of the image and every column x of the padded one:
    B(y, a, x) = sum over beta of f(x, y + beta) g(a, beta); then B(y, a, x + a) over a."""
    taps = len(g)
    height, width = f.shape
    padded = borders.pad(f, taps // 2, taps // 2, border)
    line, item = padded.strides
    windows = np.ndarray((height, taps, padded.shape[1]), f.dtype, padded, 0, (line, line, item))
    of_columns = np.ascontiguousarray(g.T)
    out = np.empty(f.shape)
    rows = max(1, PRODUCTS // (taps * padded.shape[1]))
    for top in range(0, height, rows):
        summed = np.matmul(of_columns, windows[top : top + rows])
        total = out[top : top + rows]
        total[...] = summed[:, 0, :width]
        for a in range(1, taps):
            total += summed[:, a, a : a + width]
    return out


def _by_taps(f: F64, g: F64, border: str) -> F64:
    """Eq. 1 for any border and any pixels, one tap after the other. g: ... x rows x columns; what
    is in front of that fits the planes and the pixels of the image."""
    height, width = f.shape[-2:]
    rows, columns = g.shape[-2:]
    padded = borders.pad(f, rows // 2, columns // 2, border)
    out = np.zeros(f.shape)
    taps = np.argwhere(g.reshape(-1, rows, columns).any(axis=0)).tolist()
    at_a_time = max(1, PRODUCTS * height // max(1, out.size))
    for top in range(0, height, at_a_time):
        total = out[..., top : top + at_a_time, :]
        for row, column in taps:
            lines = padded[..., top + row : top + row + total.shape[-2], :]
            total += lines[..., column : column + width] * g[..., row, column]
    return out


def _with_magnitude(f: F64, g: F64) -> tuple[F64, F64]:
    """An image and a mask, and their magnitudes below: one call of Eq. 1 has both."""
    return np.stack([f, np.abs(f)]), np.stack([g, np.abs(g)])


def _value_and_magnitude(f: F64, g: F64, border: str) -> tuple[F64, F64]:
    """Eq. 1 of both, and of their magnitudes."""
    if f.size > LARGE:
        value = correlate64(f, g, border)
        if f.min() >= 0 and g.min() >= 0:
            return value, value
        return value, correlate64(np.abs(f), np.abs(g), border)
    value, magnitude = correlate64(*_with_magnitude(f, g), border)
    return value, magnitude


def correlate(image: F32, mask: F32, border: str) -> Expected:
    """Eq. 1 with its bound, both height x width."""
    f, g = image.astype(np.float64), mask.astype(np.float64)
    value, magnitude = _value_and_magnitude(f, g, border)
    return Expected(value, _bound(magnitude, mask.size))


def _bound(magnitude: F64, taps: int) -> F64:
    """What a sum of so many rounded products may be off by."""
    return gamma(taps) * magnitude + taps * SMALLEST


def polyphase(image: F32, mask: F32, border: str) -> Expected:
    """Column x is correlated with mask x mod n of a bank (n x (2r+1) x (2r+1))."""
    masks = mask[np.arange(image.shape[1]) % len(mask)]
    f, g = _with_magnitude(image.astype(np.float64), masks.astype(np.float64))
    value, magnitude = _by_taps(f, g[:, None], border)
    return Expected(value, _bound(magnitude, mask[0].size))


def outer(lines: F32) -> F64:
    """The mask, (2r+1) x (2r+1), that is the product of a column and a row (`lines`: 2 x (2r+1)).

    Exact: the product of two numbers of 24 bits fits the 53 bits of a float64.
    """
    return np.outer(lines[0].astype(np.float64), lines[1].astype(np.float64))


def _two_passes(image: F32, mask: npt.ArrayLike, border: str, rounded: int) -> Expected:
    """A row pass, then a column pass, with lines whose product is the mask up to gamma_rounded.

    With n columns and m rows of taps, row line p, column line q, and t the result of the row pass:

        computed t = sum over a of f p(a) (1 + theta_n)             |theta_k| <= gamma_k
        computed h = sum over b of (computed t) q(b) (1 + theta_m)
                   = sum over a, b of f p(a) q(b) (1 + theta_n) (1 + theta_m)
        p(a) q(b)  = g(a, b) (1 + theta_rounded)

    Rounded factors of gamma_j and gamma_k make one of gamma_(j+k) (Higham, lemma 3.3), so
    |computed h - h| <= gamma_(n+m+rounded) sum |f| |g|. For 17x17 that is gamma_50, while one sum
    of 289 taps has gamma_289: two short sums round less. Each of the n + m operations, those of the
    row pass times a coefficient of the column, may also lose SMALLEST below the normal range.
    """
    g = np.asarray(mask, dtype=np.float64)
    rows, columns = g.shape
    value, magnitude = _value_and_magnitude(np.asarray(image, dtype=np.float64), g, border)
    lost = (rows + columns * rows * max(1.0, float(np.abs(g).max()))) * SMALLEST
    bound = gamma(rows + columns + rounded) * magnitude + lost
    return Expected(value, bound)


def separable(image: F32, mask: F32, border: str) -> Expected:
    """Eq. 1 by two passes, with a column and a row that the program found in the mask (lab 5).

    Their product may differ from the mask by 16 u in each coefficient, which lab 5's
    SEPARABLE_TOLERANCE allows: g(a, q) g(p, b) / g(p, q) has three coefficients that were rounded
    when the mask was made, and is compared with a fourth; up to three roundings in each, and one of
    the quotient, are 13. 16 u <= gamma_16.
    """
    return _two_passes(image, mask, border, 16)


def lines(image: F32, mask: F32, border: str) -> Expected:
    """Eq. 1 by two passes, with the column and the row that are given (2 x (2r+1), lab 6)."""
    return _two_passes(image, outer(mask), border, 0)


OPERATIONS: dict[str, Callable[[F32, F32, str], Expected]] = {
    "correlate": correlate,
    "polyphase": polyphase,
    "separable": separable,
    "lines": lines,
}


def float32_row_major(image: F32, mask: F32, border: str) -> Expected:
    """The bits that four plain loops give: taps row by row, each product and each sum rounded.

    A tap outside a zero border adds 0, which changes no bit. The bound is 0: only these bits are
    right.
    """
    radius = mask.shape[0] // 2
    height, width = image.shape
    padded = borders.pad(image, radius, radius, border)
    total = np.zeros(image.shape, dtype=np.float32)
    for row in range(mask.shape[0]):
        for column in range(mask.shape[1]):
            window = padded[row : row + height, column : column + width]
            total += window * mask[row, column]
    return Expected(total.astype(np.float64), np.zeros(image.shape))
