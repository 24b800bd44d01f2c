"""Every mask that a lab.toml names: those of generate.py, and those that two lines make.

    row13      1 x 13: random coefficients in [-1, 1), no two alike
    column13   13 x 1: other random coefficients
    outer13    13 x 13: a column times a row, both random; rounded to float32 once
    offset13   as outer13, but the first row and the first column are 0
    faint13    the magnitudes of offset13 times -2^-30: from -1e-9 to 0
    lines13    2 x 13: a column and a row, which lab 6 gets instead of a mask
    gausslines17   2 x 17: the Gaussian of radius 8 and sigma 3 (source 003's), each line of sum 1
    zero5      5 x 5 zeros

Sizes are odd, 1 to 17. The random ones have no symmetry: flipping, turning or transposing one gives
another mask.
"""

from __future__ import annotations

import math
import re

import numpy as np

from datasets import generate, stream
from datasets.generate import F32
from datasets.stream import F64

COLUMN, ROW = 0, 1  # the two streams of a seed


def _line(size: int, seed: int, which: int) -> F64:
    """Multiples of 2^-23 in [-1, 1), which float32 holds exactly."""
    return 2.0 * stream.uniform(2 * seed + which, 0, size) - 1.0


def _gaussian_line() -> F64:
    """The middle column of the 17x17 Gaussian, divided by its sum."""
    column = generate.gaussian(8, 3.0).astype(np.float64)[:, 8]
    return column / math.fsum(column)


def mask(name: str, seed: int) -> F32:
    """A mask as above, or one of generate.mask(). Raises ValueError for an unknown name."""
    if name == "gausslines17":
        return np.stack([_gaussian_line(), _gaussian_line()]).astype(np.float32)
    match = re.fullmatch(r"(row|column|outer|offset|faint|lines|zero)([1-9]|1[0-7])", name)
    if match is None or int(match[2]) % 2 == 0:
        return generate.mask(name, seed)
    kind, size = match[1], int(match[2])
    column, row = _line(size, seed, COLUMN), _line(size, seed, ROW)
    if kind in ("offset", "faint"):
        column[0] = row[0] = 0.0
    if kind == "faint":
        column, row = np.abs(column) * -(2.0**-30), np.abs(row)
    exact = {
        "row": row[np.newaxis, :],
        "column": column[:, np.newaxis],
        "lines": np.stack([column, row]),
        "zero": np.zeros((size, size)),
    }
    return np.asarray(exact.get(kind, np.outer(column, row)), dtype=np.float32)
