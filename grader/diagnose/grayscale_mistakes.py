"""Known mistakes on the way from colour to grey, each as the output that it gives (lab 8)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from grader.diagnose import plane_mistakes
from grader.diagnose.mistake import Mistake
from grader.model.spec import Case
from grader.oracle.compare import Comparison
from grader.oracle.correlation import Expected
from grader.oracle.grayscale import DECIMALS, WEIGHTS, Triple, grey, weighted
from grader.oracle.inputs import Inputs

I64 = npt.NDArray[np.int64]

POISON = 255  # what a byte of the output holds before it is written
FEW = 16  # wrong pixels; what fewer show may be chance


def mistakes(case: Case, given: Inputs, seen: Comparison) -> Iterator[Mistake]:
    """The likeliest first. The image is height x width x 3 bytes."""
    image, name = given.image, case.set["weights"]
    weights = WEIGHTS[name]
    yield from _unwritten(seen)
    if seen.count() < FEW:
        return
    yield from _weights(image, name)
    yield from _roundings(image, weights, DECIMALS[name])
    yield from _places(image, weights, seen)
    yield from _moved(image, weights, seen)


def _unwritten(seen: Comparison) -> Iterator[Mistake]:
    """A byte that was not written is 255, which no pixel that must be 255 can show."""
    value = seen.expected.value
    left = seen.wrong & (seen.got == POISON)
    if left.all() or (left == (value != POISON)).all():
        yield _exactly("nothing-written", "no pixel of the output was written", seen.got)
        return
    if (left == seen.wrong).all():
        flat = np.flatnonzero(left)
        last = len(flat) == left.size - flat[0]
        where = f": the last {len(flat)} of the image" if last else ""
        yield _exactly(
            "not-all-written",
            f"{len(flat)} of {left.size} pixels still hold 255, as before the call{where}; what is "
            "left over by the vectors, the sections or the grid is missing",
            seen.got,
        )


def _weights(image: npt.NDArray[np.uint8], name: str) -> Iterator[Mistake]:
    r, g, b = WEIGHTS[name]
    for wrong, text, other in (
        ("channels-swapped", "red and blue are swapped: R comes first in memory", (b, g, r)),
        ("channels-swapped", "the weights are given to the wrong colours", (g, b, r)),
        ("channels-swapped", "the weights are given to the wrong colours", (b, r, g)),
        ("channels-swapped", "the weights of red and green are swapped", (g, r, b)),
        ("channels-swapped", "the weights of green and blue are swapped", (r, b, g)),
        ("channel-left-out", "blue is left out of the sum", (r, g, 0)),
        ("channel-left-out", "green is left out of the sum", (r, 0, b)),
        ("channel-left-out", "red is left out of the sum", (0, g, b)),
        ("one-channel", "the output is the red channel", (32768, 0, 0)),
        ("one-channel", "the output is the green channel", (0, 32768, 0)),
        ("one-channel", "the output is the blue channel", (0, 0, 32768)),
    ):
        yield _exactly(wrong, text, grey(image, other))
    for other_name, other in WEIGHTS.items():
        if other_name != name:
            yield _exactly(
                "weights-ignored",
                f"this is what the weights of BT.{other_name} give; they are a parameter, and here "
                f"they are those of BT.{name}",
                grey(image, other),
            )
    total = image.astype(np.int64).sum(axis=2)
    for average in (total // 3, (2 * total + 3) // 6):
        yield _exactly("averaged", "this is (R + G + B) / 3: the weights are missing", average)


def _roundings(
    image: npt.NDArray[np.uint8], weights: Triple, decimals: tuple[float, float, float]
) -> Iterator[Mistake]:
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
            f"this is what decimal weights give, {how}: the rule's are in units of 1/32768",
            np.floor(floating + half).astype(np.int64),
        )
    yield _exactly(
        "not-normalised",
        "the sum was not divided by 32768: shift it right by 15, or only its lowest byte is left",
        (total + 16384) & 255,
    )
    yield _exactly(
        "not-normalised",
        "the sum was not divided by 32768: shift it right by 15, or every value is cut to 255",
        np.minimum(total + 16384, 255),
    )
    for shift, words in ((16, "half"), (14, "twice")):
        yield _exactly(
            "wrong-shift",
            f"each value is {words} what it must be: the sum is shifted right by 15, which "
            "divides it by 32768",
            ((total + 16384) >> shift) & 255,
        )
    yield _exactly(
        "accumulated",
        "each value was added to what the output held before: set it, and add nothing to it",
        (((total + 16384) >> 15) + POISON) & 255,
    )
    small = [(w + 64) >> 7 for w in weights]
    yield _exactly(
        "eight-bit-weights",
        "this is what weights of 8 bits give: they are off by up to 1/512 each",
        np.minimum((weighted(image, (small[0], small[1], small[2])) + 128) >> 8, 255),
    )
    apart = sum(((image[..., i].astype(np.int64) * weights[i] + 16384) >> 15) for i in range(3))
    yield _exactly(
        "rounded-apart",
        "each product is rounded by itself: add them up first, and round once",
        np.asarray(apart),
    )


def _places(image: npt.NDArray[np.uint8], weights: Triple, seen: Comparison) -> Iterator[Mistake]:
    height, width, _ = image.shape
    planes = image.reshape(3, height, width)
    yield _exactly(
        "channel-order",
        "the image was read as three planes, one after the other; a pixel's bytes lie together",
        grey(np.moveaxis(planes, 0, 2), weights),
    )
    flat = seen.expected.value.reshape(-1).astype(np.int64)
    for vector in (4, 8, 16, 32, 64):
        order = _permuted(seen, flat, vector)
        if order is not None:
            yield _exactly(
                "wrong-order",
                f"the right values stand in another order within each {vector} pixels: bytes "
                "were picked or packed in the wrong order, or from the wrong lane",
                order,
            )


def _moved(image: npt.NDArray[np.uint8], weights: Triple, seen: Comparison) -> Iterator[Mistake]:
    """Pixels that are read or written where another one belongs."""
    height, width, _ = image.shape
    right = seen.expected.value
    if height > 1 and width > 1:
        yield _exactly(
            "transposed",
            "x and y are swapped where the output is written",
            np.ascontiguousarray(right.T).reshape(right.shape),
        )
        yield _exactly(
            "image-transposed",
            "x and y are swapped where the image is read",
            np.ascontiguousarray(right.reshape(width, height).T),
        )
    bytes_ = image.reshape(-1)
    for stride, first, name, text in (
        (4, 0, "channel-stride", "pixels were read 4 bytes apart; one has 3, without a gap"),
        (1, 0, "channel-stride", "pixels were read 1 byte apart; one has 3"),
        (3, 1, "shifted", "each pixel was read 1 byte too far on: its colours are G, B, R"),
        (3, 3, "shifted", "each output holds the grey of the next pixel"),
        (3, -3, "shifted", "each output holds the grey of the pixel before it"),
    ):
        places = np.arange(right.size)[:, None] * stride + first + np.arange(3)[None, :]
        known = np.asarray(((places >= 0) & (places < bytes_.size)).all(axis=1))
        read = bytes_[np.where(known[:, None], places, 0)]
        value = grey(read[None], weights)[0].astype(np.float64)
        yield _exactly(name, text, np.where(known, value, np.nan).reshape(right.shape))
    for pitch, words in plane_mistakes.pitches(width, height, 0) if height > 1 else ():
        y, x = np.indices(right.shape)
        there = y * pitch + x
        value = right.reshape(-1)[np.minimum(there, right.size - 1)]
        yield _exactly(
            "row-pitch",
            f"the image's rows were read {pitch} pixels apart, {words}; one begins width = {width} "
            "after the other",
            np.where(there < right.size, value, np.nan),
        )


def _permuted(seen: Comparison, flat: I64, vector: int) -> I64 | None:
    """The output that one permutation inside all groups of `vector` pixels gives, if one is seen
    in the first groups. It must hold in all of them to be reported."""
    groups = len(flat) // vector
    if groups < 2:
        return None
    got = seen.got.reshape(-1)[: groups * vector].reshape(groups, vector)
    right = flat[: groups * vector].reshape(groups, vector)
    same = (got[:, :, None] == right[:, None, :]).mean(axis=0)
    order = same.argmax(axis=1)
    if sorted(order) != list(range(vector)):
        return None
    moved = flat.copy()
    moved[: groups * vector] = right[:, order].reshape(-1)
    return moved.reshape(seen.got.shape)


def _exactly(name: str, text: str, output: npt.ArrayLike) -> Mistake:
    value = np.asarray(output, dtype=np.float64)
    return Mistake(name, text, lambda: Expected(value, np.zeros(value.shape)))
