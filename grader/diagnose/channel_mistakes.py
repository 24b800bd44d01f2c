"""Known mistakes with several channels and masks, each as the output that it gives (lab 7)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grader.diagnose import channel_regions
from grader.diagnose.mistake import Mistake
from grader.model.spec import Case
from grader.oracle import multichannel
from grader.oracle.compare import Comparison
from grader.oracle.correlation import Expected
from grader.oracle.inputs import Inputs
from grader.oracle.multichannel import Array

MANY = 40  # channels or masks; the parts that they are taken in are smaller


def depthwise(_case: Case, given: Inputs, seen: Comparison) -> Iterator[Mistake]:
    """One mask (k x k) for every channel (c x height x width)."""
    image, mask = given.image, given.mask
    if image.dtype == np.float64:
        yield _single(multichannel.depthwise(image, mask))
    for name, text, other in _turned(mask):
        yield Mistake(name, text, lambda other=other: multichannel.depthwise(image, other))  # type: ignore[misc]
    for name, text, moved in _channels(image):
        yield Mistake(name, text, lambda moved=moved: multichannel.depthwise(moved, mask))  # type: ignore[misc]
    yield Mistake(
        "channels-summed",
        "every channel holds the sum over all channels: a depthwise filter keeps them apart",
        lambda: _spread(multichannel.depthwise(image, mask)),
    )
    yield Mistake("copied", "the output is the input, unchanged", lambda: _exactly(image))
    yield from channel_regions.mistakes(image, mask, multichannel.depthwise, seen)


def convolution(_case: Case, given: Inputs, seen: Comparison) -> Iterator[Mistake]:
    """n masks (n x c x k x k) over all channels."""
    image, bank = given.image, given.mask

    def first_masks(taps: int) -> Array:
        """Each mask as if the bank were read without the offset of its n."""
        return np.broadcast_to(bank.reshape(-1)[:taps], (len(bank), taps)).reshape(bank.shape)

    yield Mistake(
        "first-mask-everywhere",
        "every output plane is that of mask 0: the offset n * channels * k * k into the weights is "
        "missing",
        lambda: multichannel.convolution(image, first_masks(bank[0].size)),
    )
    yield Mistake(
        "first-channel-weights",
        "channel 0's weights of each mask were used for all of its channels: the offset c * k * k "
        "into a mask is missing",
        lambda: multichannel.convolution(image, np.repeat(bank[:, :1], bank.shape[1], axis=1)),
    )
    yield Mistake(
        "first-weights-everywhere",
        "mask 0's weights of channel 0 were used for every mask and channel: the table of weights "
        "is read without any offset",
        lambda: multichannel.convolution(image, np.broadcast_to(bank[:1, :1], bank.shape)),
    )
    if image.dtype == np.float64:
        yield _single(multichannel.convolution(image, bank))
    yield from _reused(image, bank)
    yield from _orders(image, bank)
    for name, text, other in _turned(bank):
        yield Mistake(name, text, lambda other=other: multichannel.convolution(image, other))  # type: ignore[misc]
    for name, text, moved in _channels(image):
        yield Mistake(name, text, lambda moved=moved: multichannel.convolution(moved, bank))  # type: ignore[misc]
    yield Mistake(
        "output-order",
        "the result was written as height x width x masks; it lies as masks x height x width",
        lambda: _interleaved(multichannel.convolution(image, bank)),
    )
    yield from _some_channels(image, bank)
    yield from channel_regions.mistakes(image, bank, multichannel.convolution, seen)


def _reused(image: Array, bank: Array) -> Iterator[Mistake]:
    """Weights that are loaded for a part of the channels and then used for the others too."""
    channels = bank.shape[1]
    for part in range(2, min(channels, MANY)):
        places = np.arange(channels) % part
        yield Mistake(
            "weights-not-reloaded",
            f"the weights of channels 0..{part - 1} were used again for the channels after them: "
            "each part of the channels must load its own, from where they begin in the mask",
            lambda places=places: multichannel.convolution(image, bank[:, places]),  # type: ignore[misc]
        )


def _orders(image: Array, bank: Array) -> Iterator[Mistake]:
    """The table of weights read as if its axes lay in another order."""
    n, channels, size, _ = bank.shape
    for shape, axes, words in (
        ((channels, n, size, size), (1, 0, 2, 3), "channels x n x k x k"),
        ((n, size, size, channels), (0, 3, 1, 2), "n x k x k x channels"),
        ((size, size, channels, n), (3, 2, 0, 1), "k x k x channels x n"),
    ):
        other = bank.reshape(shape).transpose(axes)
        yield Mistake(
            "weights-order",
            f"the weights were read as {words}; they lie as n x channels x k x k",
            lambda other=other: multichannel.convolution(image, other),  # type: ignore[misc]
        )


def _turned(mask: Array) -> Iterator[tuple[str, str, Array]]:
    if mask.shape[-1] == 1:
        return
    yield (
        "mask-flipped",
        "this is what flipped masks give (convolution): this lab asks for correlation, "
        "f(c, y + b, x + a) goes with g(c, b, a)",
        mask[..., ::-1, ::-1],
    )
    yield (
        "mask-mirrored",
        "this is what masks mirrored left to right give: the sign of the x offset is wrong",
        mask[..., ::-1],
    )
    yield (
        "mask-upside-down",
        "this is what masks turned upside down give: the sign of the y offset is wrong",
        mask[..., ::-1, :],
    )
    yield (
        "mask-transposed",
        "this is what transposed masks give: rows and columns of each are swapped",
        np.swapaxes(mask, -1, -2),
    )
    size = mask.shape[-1]
    for name, rows, columns in (
        ("last row and column", slice(0, -1), slice(0, -1)),
        ("first row and column", slice(1, None), slice(1, None)),
        ("last row", slice(0, -1), slice(None)),
        ("last column", slice(None), slice(0, -1)),
        ("first row", slice(1, None), slice(None)),
        ("first column", slice(None), slice(1, None)),
        ("all but the middle", slice(size // 2, size // 2 + 1), slice(size // 2, size // 2 + 1)),
    ):
        kept = np.zeros_like(mask)
        kept[..., rows, columns] = mask[..., rows, columns]
        yield (
            "loop-bound",
            f"this is what leaving out each mask's {name} gives: the loops over it run from "
            "-radius to +radius, both included",
            kept,
        )


def _channels(image: Array) -> Iterator[tuple[str, str, Array]]:
    """Images that are read with the wrong order or stride of their channels."""
    channels, height, width = image.shape
    flat = image.reshape(-1)
    if channels > 1:
        yield (
            "channel-order",
            "the image was read as height x width x channels; it lies as channels x height x width",
            np.moveaxis(flat.reshape(height, width, channels), 2, 0),
        )
        yield (
            "channels-reversed",
            "the channels were taken in reverse order",
            image[::-1],
        )
        yield (
            "first-channel-everywhere",
            "channel 0 of the image was used for every channel: the offset c * height * width is "
            "missing",
            np.broadcast_to(image[:1], image.shape),
        )
    for stride, words in (
        (width * width, "width * width"),
        (height * height, "height * height"),
        (width * (height + 1), "width * (height + 1)"),
        ((width + 2) * (height + 2), "(width + 2) * (height + 2), as if it were padded"),
        (width * height - 1, "width * height - 1"),
        (width * height + 1, "width * height + 1"),
        (width, "width"),
        (height, "height"),
        (1, "1"),
    ):
        if stride != width * height and channels > 1:
            yield (
                "channel-stride",
                f"the channels were read {stride} elements apart, {words}; one begins "
                f"height * width = {width * height} after the other",
                _strided(flat, stride, image.shape),
            )


def _strided(flat: Array, stride: int, shape: tuple[int, ...]) -> Array:
    """Planes `stride` apart; what lies beyond the array is 0."""
    plane = shape[1] * shape[2]
    places = np.arange(shape[0])[:, None] * stride + np.arange(plane)[None, :]
    inside = places < flat.size
    return np.where(inside, flat[np.where(inside, places, 0)], 0).reshape(shape)


def _some_channels(image: Array, bank: Array) -> Iterator[Mistake]:
    """Channels at the end, or all but one, left out of the sum."""
    channels = len(image)
    yield Mistake(
        "last-channel-only",
        "only the last channel is in the sums: they must go on from channel to channel",
        lambda: multichannel.convolution(image[-1:], bank[:, -1:]),
    )
    for first in sorted(
        {(channels - 1) // chunk * chunk for chunk in range(2, min(channels, MANY))}
    ):
        yield Mistake(
            "last-chunk-only",
            f"only channels {first}..{channels - 1} are in the sums: they start anew with each "
            "part of the channels, and must go on from one to the next",
            lambda first=first: multichannel.convolution(image[first:], bank[:, first:]),  # type: ignore[misc]
        )
    whole = {channels - channels % part for part in range(2, MANY)}  # the rest is left out
    for count in sorted({channels - 1, *whole, *range(1, MANY)}, reverse=True):
        if not 0 < count < channels:
            continue
        yield Mistake(
            "channels-left-out",
            f"only channels 0..{count - 1} of {channels} are in the sums"
            if count > 1
            else "only channel 0 is in the sums: they must go on from channel to channel",
            lambda count=count: multichannel.convolution(image[:count], bank[:, :count]),  # type: ignore[misc]
        )


def _single(right: Expected) -> Mistake:
    return Mistake(
        "single-precision",
        "right to about seven digits: somewhere on the way a double became a float",
        lambda: Expected(right.value, right.bound * 2.0**29),  # 2^-24 is float's unit roundoff
    )


def _interleaved(planes: Expected) -> Expected:
    """Planes as they look when written with their number moving fastest."""
    shape = planes.value.shape
    value, bound = (np.moveaxis(a, 0, 2).reshape(shape) for a in (planes.value, planes.bound))
    return Expected(value, bound)


def _spread(planes: Expected) -> Expected:
    """The sum over the planes, in each of them."""
    count = len(planes.value)
    value = np.broadcast_to(planes.value.sum(axis=0), planes.value.shape)
    return Expected(value, np.broadcast_to(count * planes.bound.sum(axis=0), value.shape))


def _exactly(image: Array) -> Expected:
    return Expected(image.astype(np.float64), np.zeros(image.shape))
