"""Mistakes on the way from colour to grey: weights, rounding, and the order of bytes (lab 8)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from grader.diagnose.known.indexing import pitches
from grader.diagnose.mistake import Mistake
from grader.model.spec import Case
from grader.oracle.compare import Comparison
from grader.oracle.correlation import Expected
from grader.oracle.grayscale import DECIMALS, WEIGHTS, Triple, grey, weighted
from grader.oracle.inputs import Inputs

Bytes = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]

POISON = 255  # each byte of the output before the call
FEW = 16  # wrong pixels; what fewer show may be chance


def mistakes(case: Case, inputs: Inputs, comparison: Comparison) -> Iterator[Mistake]:
    """The known mistakes, the likeliest first. The image is height x width x 3 bytes."""
    image, name = inputs.image, case.set["weights"]
    yield from _unwritten(comparison)
    if comparison.count() < FEW:
        return
    yield from _weights(image, name)
    yield from _rounding(image, WEIGHTS[name], DECIMALS[name])
    yield from _byte_order(image, WEIGHTS[name], comparison)
    yield from _swapped(image, comparison.expected.value)
    yield from _moved(image, WEIGHTS[name], comparison.expected.value)


def _unwritten(comparison: Comparison) -> Iterator[Mistake]:
    """Bytes that still hold 255. One that must be 255 cannot be told from one that was written."""
    right, got = comparison.expected.value, comparison.got
    left = comparison.wrong & (got == POISON)
    if left.all() or (left == (right != POISON)).all():
        yield _exactly("nothing-written", "no pixel of the output was written", got)
        return
    if (left == comparison.wrong).all():
        flat = np.flatnonzero(left)
        last = len(flat) == left.size - flat[0]
        where = f": the last {len(flat)} of the image" if last else ""
        yield _exactly(
            "not-all-written",
            f"{len(flat)} of {left.size} pixels still hold 255, as before the call{where}; compute "
            "the pixels that remain after the vectors, the parallel sections or the grid's blocks",
            got,
        )


def _weights(image: Bytes, name: str) -> Iterator[Mistake]:
    """The weights of another standard, for another colour, or none."""
    r, g, b = WEIGHTS[name]
    for mistake, text, weights in (
        ("channels-swapped", "red and blue are swapped: R is first in memory", (b, g, r)),
        ("channels-swapped", "the weights are assigned to the wrong colours", (g, b, r)),
        ("channels-swapped", "the weights are assigned to the wrong colours", (b, r, g)),
        ("channels-swapped", "the weights of red and green are swapped", (g, r, b)),
        ("channels-swapped", "the weights of green and blue are swapped", (r, b, g)),
        ("channel-left-out", "blue is missing in the sum", (r, g, 0)),
        ("channel-left-out", "green is missing in the sum", (r, 0, b)),
        ("channel-left-out", "red is missing in the sum", (0, g, b)),
        ("one-channel", "the output is the red channel", (32768, 0, 0)),
        ("one-channel", "the output is the green channel", (0, 32768, 0)),
        ("one-channel", "the output is the blue channel", (0, 0, 32768)),
    ):
        yield _exactly(mistake, text, grey(image, weights))
    for other, weights in WEIGHTS.items():
        if other != name:
            yield _exactly(
                "weights-ignored",
                f"your output is what the weights of BT.{other} give; use the weights that are "
                f"passed as a parameter, here those of BT.{name}",
                grey(image, weights),
            )
    total = image.astype(np.int64).sum(axis=2)
    for average in (total // 3, (2 * total + 3) // 6):
        yield _exactly(
            "averaged", "your output is (R + G + B) / 3: multiply by the weights", average
        )


def _rounding(
    image: Bytes, weights: Triple, decimals: tuple[float, float, float]
) -> Iterator[Mistake]:
    """Sums that are cut, shifted by a wrong number, or rounded at the wrong time."""
    total = weighted(image, weights)
    yield _exactly(
        "truncated",
        "each value is cut, not rounded: add 16384, one half, before the shift",
        total >> 15,
    )
    channels = [image[..., i].astype(np.float32) for i in range(3)]
    products = [np.float32(d) * c for d, c in zip(decimals, channels, strict=True)]
    floating = products[0] + products[1] + products[2]
    for half, how in ((np.float32(0.5), "rounded"), (np.float32(0), "cut")):
        yield _exactly(
            "decimal-weights",
            f"your output is what decimal weights give, {how}: use the integer weights, in units "
            "of 1/32768",
            np.floor(floating + half).astype(np.int64),
        )
    yield _exactly(
        "not-normalised",
        "your output is the lowest byte of the sum: shift the sum right by 15, which divides it by "
        "32768",
        (total + 16384) & 255,
    )
    yield _exactly(
        "not-normalised",
        "your output is the sum, limited to 255: shift the sum right by 15, which divides it by "
        "32768",
        np.minimum(total + 16384, 255),
    )
    for shift, words in ((16, "half"), (14, "twice")):
        yield _exactly(
            "wrong-shift",
            f"each value is {words} the right one: shift the sum right by 15, which divides it by "
            "32768",
            ((total + 16384) >> shift) & 255,
        )
    yield _exactly(
        "accumulated",
        "each value was added to what the output held before: write it with =, not +=",
        (((total + 16384) >> 15) + POISON) & 255,
    )
    small = [(w + 64) >> 7 for w in weights]
    yield _exactly(
        "eight-bit-weights",
        "your output is what weights of 8 bits give, which are off by up to 1/512 each: use the "
        "weights of 15 bits",
        np.minimum((weighted(image, (small[0], small[1], small[2])) + 128) >> 8, 255),
    )
    each = sum(((image[..., i].astype(np.int64) * weights[i] + 16384) >> 15) for i in range(3))
    yield _exactly(
        "rounded-apart",
        "each product is rounded by itself: add the three products first, then round once",
        np.asarray(each),
    )


def _byte_order(image: Bytes, weights: Triple, comparison: Comparison) -> Iterator[Mistake]:
    """Planes taken for pixels, or the bytes of each vector in the wrong order."""
    height, width, _ = image.shape
    planes = image.reshape(3, height, width)
    yield _exactly(
        "channel-order",
        "the image was read as three planes, one after the other; the three bytes of a pixel are "
        "neighbours in memory",
        grey(np.moveaxis(planes, 0, 2), weights),
    )
    flat = comparison.expected.value.reshape(-1).astype(np.int64)
    for vector in (4, 8, 16, 32, 64):
        order = _permuted(comparison, flat, vector)
        if order is not None:
            yield _exactly(
                "wrong-order",
                f"the values are right, but in another order within each {vector} pixels: check "
                "the order of the bytes where you shuffle or pack them, and the lanes",
                order,
            )


def _permuted(comparison: Comparison, flat: I64, vector: int) -> I64 | None:
    """The output that one permutation inside all groups of `vector` pixels gives, if most groups
    show one; None otherwise. `flat`: the right values. Whether the permutation holds everywhere is
    for reproduces() to find out."""
    groups = len(flat) // vector
    if groups < 2:
        return None
    got = comparison.got.reshape(-1)[: groups * vector].reshape(groups, vector)
    right = flat[: groups * vector].reshape(groups, vector)
    same = (got[:, :, None] == right[:, None, :]).mean(axis=0)
    order = same.argmax(axis=1)
    if sorted(order) != list(range(vector)):
        return None
    moved = flat.copy()
    moved[: groups * vector] = right[:, order].reshape(-1)
    return moved.reshape(comparison.got.shape)


def _swapped(image: Bytes, right: npt.NDArray[np.float64]) -> Iterator[Mistake]:
    """x and y swapped."""
    height, width, _ = image.shape
    if height > 1 and width > 1:
        yield _exactly(
            "transposed",
            "x and y are swapped where you write the output",
            np.ascontiguousarray(right.T).reshape(right.shape),
        )
        yield _exactly(
            "image-transposed",
            "x and y are swapped where you read the image",
            np.ascontiguousarray(right.reshape(width, height).T),
        )


def _moved(image: Bytes, weights: Triple, right: npt.NDArray[np.float64]) -> Iterator[Mistake]:
    """Pixels read or written at the index of another one."""
    height, width, _ = image.shape
    bytes_ = image.reshape(-1)
    for stride, first, name, text in (
        (4, 0, "channel-stride", "pixels were read 4 bytes apart; a pixel has 3 bytes, and no gap"),
        (1, 0, "channel-stride", "pixels were read 1 byte apart; a pixel has 3 bytes"),
        (3, 1, "shifted", "each pixel was read 1 byte too far on: its colours are G, B, R"),
        (3, 3, "shifted", "each output holds the grey of the next pixel"),
        (3, -3, "shifted", "each output holds the grey of the pixel before it"),
    ):
        index = np.arange(right.size)[:, None] * stride + first + np.arange(3)[None, :]
        known = np.asarray(((index >= 0) & (index < bytes_.size)).all(axis=1))
        pixels = bytes_[np.where(known[:, None], index, 0)]
        value = grey(pixels[None], weights)[0].astype(np.float64)
        yield _exactly(name, text, np.where(known, value, np.nan).reshape(right.shape))
    for pitch, words in pitches(width, height, 0) if height > 1 else ():
        y, x = np.indices(right.shape)
        index = np.asarray(y * pitch + x)
        value = right.reshape(-1)[np.minimum(index, right.size - 1)]
        yield _exactly(
            "row-pitch",
            f"the image's rows were read {pitch} pixels apart ({words}); row y begins at y * width "
            f"= y * {width}",
            np.where(index < right.size, value, np.nan),
        )


def _exactly(name: str, text: str, output: npt.ArrayLike) -> Mistake:
    """A mistake that gives these bytes and no others."""
    value = np.asarray(output, dtype=np.float64)
    return Mistake(name, text, lambda: Expected(value, np.zeros(value.shape)))
