"""Arrays of any shape for operations that are no images, in four element types.

whole    whole numbers of +-1 to +-99, so that float32 adds many of them without rounding, and
         each one that is missing shows; bytes: any
noise    in (0, 1]; integers: 0 to 999, bytes: any
signed   in (-1, 1]; integers: any of +-999
ramp     1, 2, 3, ... / 64; integers: 0, 1, 2, ...
flat     0.75, or 3, everywhere
sparse   0, and a few large values
zero     0 everywhere
wide     signed, times 2^-20 to 2^20; integers: as signed
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from datasets import layers, stream

Array = npt.NDArray[Any]

CONTENTS = ("whole", "noise", "signed", "ramp", "flat", "sparse", "zero", "wide")
MOST = 1000  # of an integer, not included; bytes have 256


def values(content: str, kind: str, shape: tuple[int, ...], seed: int) -> Array:
    """An array of the element type "f4", "f8", "i4" or "u1". Raises ValueError for an unknown
    content."""
    if content not in CONTENTS:
        known = ", ".join(CONTENTS)
        raise ValueError(f"there is no content '{content}'; the contents are {known}")
    count = int(np.prod(shape))
    made = (_floats if kind in ("f4", "f8") else _integers)(content, kind, count, seed)
    return made.astype(kind).reshape(shape)


def _floats(content: str, kind: str, count: int, seed: int) -> Array:
    uniform = layers.uniform(kind, seed, count).astype(np.float64)
    if content == "noise":
        return uniform
    if content == "ramp":
        return (np.arange(count) + 1.0) / 64.0
    if content in ("flat", "zero"):
        return np.full(count, 0.75 if content == "flat" else 0.0)
    signed = 2.0 * uniform - 1.0
    if content == "whole":
        return np.copysign(1.0 + np.floor(98.999 * np.abs(signed)), signed)
    if content == "sparse":
        return np.where(_chosen(seed, count), 100.0 * signed, 0.0)
    if content == "wide":
        exponents = stream.splitmix64(seed ^ 1, 0, count) % np.uint64(41)
        return signed * 2.0 ** (exponents.astype(np.float64) - 20.0)
    return signed


def _integers(content: str, kind: str, count: int, seed: int) -> Array:
    most = 256 if kind == "u1" else MOST
    numbers = (stream.splitmix64(seed, 0, count) >> np.uint64(32)).astype(np.int64)
    if content == "ramp":
        return np.arange(count) % most
    if content in ("flat", "zero"):
        return np.full(count, 3 if content == "flat" else 0)
    if content == "sparse":
        return np.where(_chosen(seed, count), numbers % most, 0)
    if content == "noise" or kind == "u1":
        return numbers % most
    if content == "whole":
        return (numbers % 99 + 1) * np.where(numbers % 2 == 0, 1, -1)
    return numbers % (2 * most - 1) - (most - 1)


def _chosen(seed: int, count: int) -> Array:
    """About one element of seven."""
    return np.asarray(stream.splitmix64(seed ^ 1, 0, count) % np.uint64(7) == 0)
