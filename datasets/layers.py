"""Images of several channels and banks of weights, in three element types.

An element type is "f4" (float32), "f8" (float64) or "u1" (a byte). Random numbers are those of
generate.py: 24 bits of each for f4, 53 for f8, 8 for u1, so that an f8 array is not one of floats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets import generate, stream

Array = npt.NDArray[Any]

TYPES = ("f4", "f8", "u1")
AT_ONCE = 1 << 22  # random numbers for bytes: eight times as large before they are cut


def uniform(kind: str, seed: int, count: int) -> Array:
    """`count` numbers of an element type: of (0, 1], or bytes."""
    if kind == "f8":
        numbers = stream.splitmix64(seed, 0, count) >> np.uint64(11)
        return (numbers.astype(np.float64) + 1.0) / 2.0**53
    if kind == "u1":
        starts = range(0, count, AT_ONCE)
        parts = (stream.splitmix64(seed, k, min(AT_ONCE, count - k)) for k in starts)
        return np.concatenate([(p >> np.uint64(56)).astype(np.uint8) for p in parts])
    return stream.uniform(seed, 0, count).astype(np.float32)


def image(name: str, size: Sequence[int] | None, channels: int, kind: str, seed: int) -> Array:
    """An image as planes: channels x height x width. `size` is (width, height).

    noise     random
    ramp      every element tells where it is from: x + 100 y + 10000 c, scaled so that the last one
              is 1; bytes: (x + 7 y + 85 c) mod 256
    impulse   0, and 1 (bytes: 255) at (width/2, height/2) of channel c = channels/2
    photo     red, green, blue of the photograph, 400 x 600, bytes or 0..1; it has no size

    Raises ValueError for what cannot be, DatasetMissing when the photograph has not been fetched.
    """
    if name == "photo":
        if size is not None or channels != 3:
            raise ValueError("the image photo has its own size, and 3 channels")
        rgb = np.moveaxis(generate.rgb(), 2, 0)
        return rgb if kind == "u1" else (rgb / 255.0).astype(kind)
    if name not in ("noise", "ramp", "impulse"):
        raise ValueError(f"there is no image '{name}' of several channels; there are noise, ramp, "
                         "impulse, photo")  # fmt: skip
    if size is None or len(size) != 2 or min(*size, channels) < 1:
        raise ValueError(f"the image {name} needs channels and a size [width, height], 1 or more")
    shape = (channels, size[1], size[0])
    if name == "noise":
        return uniform(kind, ~seed, channels * size[0] * size[1]).reshape(shape)
    if name == "impulse":
        f = np.zeros(shape, dtype=kind)
        f[channels // 2, size[1] // 2, size[0] // 2] = 255 if kind == "u1" else 1
        return f
    c, y, x = np.indices(shape)
    if kind == "u1":
        return np.asarray((x + 7 * y + 85 * c) % 256, dtype=np.uint8)
    place = x + 100.0 * y + 10000.0 * c
    return np.asarray(place / max(float(place.max()), 1.0), dtype=kind)


def weights(name: str, channels: int, kind: str, seed: int) -> Array:
    """Weights, kind f4 or f8; <k> is an odd size, 1 to 17.

    random<k>     k x k, random in (-1, 1]
    impulse<k>    k x k: 0, and 1 in the middle
    bank<n>x<k>   n masks: n x channels x k x k, random in (-1, 1]
    pick<n>x<k>   n masks: 0, and 1 in the middle of channel i mod channels of mask i
    """
    found = re.fullmatch(r"(?:(random|impulse)|(bank|pick)([1-9][0-9]{0,2})x)([1-9]|1[0-7])", name)
    if found is None or int(found[4]) % 2 == 0 or kind == "u1":
        raise ValueError(f"there are no weights '{name}'; there are random3, impulse3, bank20x3 "
                         "and pick20x3, of type f4 or f8")  # fmt: skip
    size = int(found[4])
    shape = (size, size) if found[1] else (int(found[3]), channels, size, size)
    if found[1] == "random" or found[2] == "bank":
        return (2 * uniform(kind, seed, int(np.prod(shape))) - 1).astype(kind).reshape(shape)
    g = np.zeros(shape, dtype=kind)
    if found[1]:
        g[size // 2, size // 2] = 1
    else:
        masks = np.arange(shape[0])
        g[masks, masks % channels, size // 2, size // 2] = 1
    return g
