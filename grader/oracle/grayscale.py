"""The right result of lab 8: a colour image as grey values.

    Y = (r R + g G + b B + 2^14) >> 15

The weights are integers in units of 2^-15 and sum to 2^15. The sum is exact in any arithmetic of 24
bits or more and is rounded once, so exactly one byte is right.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
Triple = tuple[int, int, int]
AT_A_TIME = 1 << 14  # pixels: what is computed from them stays in a processor's cache

# By the name that a case gives them, in units of 2^-15, as in lab 8's lab.h.
WEIGHTS: dict[str, Triple] = {"709": (6966, 23436, 2366), "601": (9798, 19235, 3735)}
DECIMALS = {"709": (0.2126, 0.7152, 0.0722), "601": (0.299, 0.587, 0.114)}


def weights_of(name: str) -> Triple:
    """The weights of a case: by their name, or three numbers such as "16384,16384,0"."""
    if name in WEIGHTS:
        return WEIGHTS[name]
    r, g, b = (int(number) for number in name.split(","))
    return r, g, b


def weighted(image: npt.NDArray[Any], weights: Triple) -> I64:
    """r R + g G + b B. image: height x width x 3; result: height x width. In float64, whose matrix
    products are faster: no sum of bytes times weights is rounded there."""
    pixels, factors = image.reshape(-1, 3), np.array(weights, dtype=np.float64)
    sums = np.empty(len(pixels), dtype=np.int64)
    for start in range(0, len(pixels), AT_A_TIME):
        part = pixels[start : start + AT_A_TIME]
        sums[start : start + AT_A_TIME] = part.astype(np.float64) @ factors
    return sums.reshape(image.shape[:-1])


def grey(image: npt.NDArray[Any], weights: Triple) -> I64:
    """Y of every pixel, rounded to nearest, halves up. image: height x width x 3."""
    return (weighted(image, weights) + 16384) >> 15
