"""Random numbers that are the same on every machine: splitmix64, as in labs/runtime/mask.h.

The k-th number (from 0) of a seed mixes seed + (k+1) 0x9e3779b97f4a7c15, all of it modulo 2^64.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
U64 = npt.NDArray[np.uint64]


def splitmix64(seed: int, start: int, count: int) -> U64:
    """Numbers start ... start+count-1 of the stream `seed`."""
    step = np.uint64(0x9E3779B97F4A7C15)
    k = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    z = k * step + np.uint64(seed % 2**64)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def uniform(seed: int, start: int, count: int) -> F64:
    """Numbers start ... start+count-1 of the stream `seed`, cut to multiples of 2^-24 in (0, 1],
    which float32 holds exactly."""
    numbers = splitmix64(seed, start, count) >> np.uint64(40)
    return (numbers.astype(np.float64) + 1.0) / 2.0**24
