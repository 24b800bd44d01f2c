"""Images of several channels and banks of weights, in three element types.

An element type is "f4" (float32), "f8" (float64) or "u1" (a byte). Of each random number of
stream.py, f4 keeps 24 bits, f8 53 and u1 8, so that an f8 array holds more than floats can.
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
AT_ONCE = 1 << 22  # bytes made at a time: their random numbers take eight times the memory


def uniform(kind: str, seed: int, count: int) -> Array:
    """`count` random numbers of an element type: in (0, 1], or bytes."""
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
    ramp      every element shows its own position: x + 100 y + 10000 c, scaled so that the last
              one is 1; bytes: (x + 7 y + 85 c) mod 256
    impulse   0, and 1 (bytes: 255) at (width/2, height/2) of channel c = channels/2
    photo     red, green, blue of the photograph, 400 x 600, bytes or 0..1; takes no `size`

    Raises ValueError for an unknown name or a wrong size, DatasetMissing without the photograph.
    """
    if name == "photo":
        if size is not None or channels != 3:
            raise ValueError("the image photo has its own size and 3 channels; remove `size`")
        rgb = np.moveaxis(generate.rgb(), 2, 0)
        return rgb if kind == "u1" else (rgb / 255.0).astype(kind)
    if name not in ("noise", "ramp", "impulse"):
        raise ValueError(f"there is no image '{name}' of several channels; the images are noise, "
                         "ramp, impulse, photo")  # fmt: skip
    if size is None or len(size) != 2 or min(*size, channels) < 1:
        raise ValueError(
            f"the image {name} needs channels and a size [width, height], each 1 or more"
        )
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
    value = x + 100.0 * y + 10000.0 * c
    return np.asarray(value / max(float(value.max()), 1.0), dtype=kind)


def weights(name: str, channels: int, kind: str, seed: int) -> Array:
    """A mask or a bank of masks, of type f4 or f8; <k> is an odd size, 1 to 17.

    random<k>     k x k, random in (-1, 1]
    impulse<k>    k x k: 0, and 1 in the middle
    bank<n>x<k>   n masks: n x channels x k x k, random in (-1, 1]
    pick<n>x<k>   n masks: 0, and 1 in the middle of channel i mod channels of mask i
    """
    match = re.fullmatch(r"(?:(random|impulse)|(bank|pick)([1-9][0-9]{0,2})x)([1-9]|1[0-7])", name)
    if match is None or int(match[4]) % 2 == 0 or kind == "u1":
        raise ValueError(f"there are no weights '{name}'; the weights are random3, impulse3, "
                         "bank20x3 and pick20x3, of type f4 or f8")  # fmt: skip
    size = int(match[4])
    shape = (size, size) if match[1] else (int(match[3]), channels, size, size)
    if match[1] == "random" or match[2] == "bank":
        return (2 * uniform(kind, seed, int(np.prod(shape))) - 1).astype(kind).reshape(shape)
    g = np.zeros(shape, dtype=kind)
    if match[1]:
        g[size // 2, size // 2] = 1
    else:
        masks = np.arange(shape[0])
        g[masks, masks % channels, size // 2, size // 2] = 1
    return g
