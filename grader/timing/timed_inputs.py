"""The inputs of timed calls and the checksums of outputs, bit for bit as
labs/runtime/bench/timed_inputs.h makes them."""

import numpy as np
import numpy.typing as npt

from grader.oracle.operations import Array

U32 = npt.NDArray[np.uint32]
KINDS = ("u1", "f4", "f8")  # element types of an input


def kind_of(image: Array) -> str:
    """One of KINDS."""
    return f"{image.dtype.kind}{image.dtype.itemsize}"


def mix(index: U32, key: U32 | np.uint32) -> U32:
    """noise_mix(): a hash of each index with a key; all arithmetic is modulo 2^32."""
    x = index.astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x = x + key
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    return x


def key_of(number: int, seed: int) -> int:
    """The key of a round's input when the timing program chooses it, from the run's seed."""
    return int(mix(np.array([number], np.uint32), np.uint32(seed))[0])


def rows(kind: str, key: int, numbers: npt.NDArray[np.int64], width: int) -> Array:
    """The rows with those numbers of the input with that key: an array of the shape of `numbers` by
    `width` elements."""
    index = (numbers[..., np.newaxis] * width + np.arange(width)).astype(np.int64)
    if kind == "u1":
        words = mix((index // 4).astype(np.uint32), np.uint32(key))
        return (words >> (8 * (index % 4)).astype(np.uint32)).astype(np.uint8)
    bits = mix(index.astype(np.uint32), np.uint32(key))
    if kind == "f4":
        return (bits >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)
    return bits.astype(np.float64) * 2**-32


def sums(rows: Array) -> U32:
    """The checksum of each row; its size in bytes must be a multiple of 4."""
    words = np.ascontiguousarray(rows).view("<u4")
    shares = mix(np.arange(words.shape[-1], dtype=np.uint32), words)
    return np.asarray(shares.sum(axis=-1), dtype=np.uint32)
