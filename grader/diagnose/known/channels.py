"""Mistakes with several channels and masks: their order, their strides, some of them left out."""

from collections.abc import Iterator

import numpy as np

from grader.diagnose.known.filter import Array, Filter
from grader.diagnose.known.indexing import read_at
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected
from grader.oracle.multichannel import convolution

MANY = 40  # channels or masks; a kernel takes them in smaller parts


def weights(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Offsets into the weights (n x c x k x k) that are missing, and weights not loaded again."""
    if f.operation != "layers":
        return
    bank = f.mask
    count, channels, size, _ = bank.shape
    first_mask = np.broadcast_to(bank.reshape(-1)[: bank[0].size], (count, bank[0].size))
    yield Mistake(
        "first-mask-everywhere",
        "every output plane is that of mask 0: add the offset n * channels * k * k to the index "
        "into the weights",
        f.output(mask=first_mask.reshape(bank.shape)),
    )
    yield Mistake(
        "first-channel-weights",
        "every channel is multiplied by the weights of channel 0: add the offset c * k * k to the "
        "index into a mask",
        f.output(mask=np.repeat(bank[:, :1], channels, axis=1)),
    )
    yield Mistake(
        "first-weights-everywhere",
        "every mask and channel uses the weights of mask 0 and channel 0: add the offset "
        "(n * channels + c) * k * k to the index into the weights",
        f.output(mask=np.broadcast_to(bank[:1, :1], bank.shape)),
    )
    for part in range(2, min(channels, MANY)):
        yield Mistake(
            "weights-not-reloaded",
            f"the weights of channels 0..{part - 1} are used again for the channels after them: "
            "load the weights of each part of the channels, from where they begin in the mask",
            f.output(mask=bank[:, np.arange(channels) % part]),
        )
    for shape, axes, words in (
        ((channels, count, size, size), (1, 0, 2, 3), "channels x n x k x k"),
        ((count, size, size, channels), (0, 3, 1, 2), "n x k x k x channels"),
        ((size, size, channels, count), (3, 2, 0, 1), "k x k x channels x n"),
    ):
        yield Mistake(
            "weights-order",
            f"the weights were read as {words}; they are stored as n x channels x k x k",
            f.output(mask=bank.reshape(shape).transpose(axes)),
        )


def single_precision(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """A double that was a float for a while: off by float's unit roundoff, 2^29 times double's."""
    right = comparison.expected
    if f.image.dtype == np.float64:
        yield Mistake(
            "single-precision",
            "right to about seven digits only: your code stores a double in a float somewhere",
            lambda: Expected(right.value, right.bound * 2.0**29),
        )


def image_layout(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The image's channels read in the wrong order, or with a wrong stride."""
    image = f.image
    if image.ndim == 2 or len(image) == 1:
        return
    channels, height, width = image.shape
    yield Mistake(
        "channel-order",
        "the image was read as height x width x channels; it is stored as channels x height x "
        "width",
        f.output(np.moveaxis(image.reshape(height, width, channels), 2, 0)),
    )
    yield Mistake(
        "channels-reversed", "the channels were read in reverse order", f.output(image[::-1])
    )
    yield Mistake(
        "first-channel-everywhere",
        "channel 0 of the image was used for every channel: add the offset c * height * width to "
        "the index into the image",
        f.output(np.broadcast_to(image[:1], image.shape)),
    )
    pixels = np.arange(height * width).reshape(height, width)
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
        if stride != width * height:
            index = np.arange(channels)[:, None, None] * stride + pixels
            yield Mistake(
                "channel-stride",
                f"the channels were read {stride} elements apart ({words}); channel c begins at "
                f"c * height * width = c * {width * height}",
                f.output(read_at(image, index)),
            )


def output_layout(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """The planes of the output written in another order, or summed."""
    right = comparison.expected
    if f.operation == "layers":
        yield Mistake(
            "output-order",
            "the output was written as height x width x masks; write it as masks x height x width",
            lambda: Expected(_interleaved(right.value), _interleaved(right.bound)),
        )
    if f.operation == "depthwise":
        yield Mistake(
            "channels-summed",
            "every channel holds the sum over all channels: write one sum for each channel",
            lambda: Expected(_summed(right.value), len(right.bound) * _summed(right.bound)),
        )


def _interleaved(planes: Array) -> Array:
    """As they lie in memory when the plane's number changes fastest."""
    return np.moveaxis(planes, 0, 2).reshape(planes.shape)


def _summed(planes: Array) -> Array:
    """The sum over the planes, in each of them."""
    return np.broadcast_to(planes.sum(axis=0), planes.shape)


def pixels_not_reloaded(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The first channels of the image used again for the next ones, with the right weights."""
    if f.operation != "layers":
        return
    channels = len(f.image)
    for part in range(2, min(channels, MANY)):
        yield Mistake(
            "pixels-not-reloaded",
            f"the pixels of channels 0..{part - 1} are used again for the channels after them: add "
            "the number of the part's first channel to the index into the image",
            f.output(f.image[np.arange(channels) % part]),
        )


def left_out(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Channels at the end, or all but some, left out of the sum."""
    if f.operation != "layers":
        return
    image, bank, channels = f.image, f.mask, len(f.image)
    yield Mistake(
        "last-channel-only",
        "only the last channel is in the sums: do not set them to 0 for each channel",
        lambda: convolution(image[-1:], bank[:, -1:], f.border),
    )
    chunks = range(2, min(channels, MANY))
    for first in sorted({(channels - 1) // chunk * chunk for chunk in chunks}):
        yield Mistake(
            "last-chunk-only",
            f"only channels {first}..{channels - 1} are in the sums: do not set them to 0 for each "
            "chunk of channels",
            lambda first=first: convolution(image[first:], bank[:, first:], f.border),  # type: ignore[misc]
        )
    whole_chunks = {channels - channels % chunk for chunk in range(2, MANY)}
    for count in sorted({channels - 1, *whole_chunks, *range(1, MANY)}, reverse=True):
        if 0 < count < channels:
            summed = f"channels 0..{count - 1}" if count > 1 else "channel 0"
            yield Mistake(
                "channels-left-out",
                f"only {summed} of {channels} {'are' if count > 1 else 'is'} in the sums: check "
                "the end of the loop over the channels",
                lambda count=count: convolution(image[:count], bank[:, :count], f.border),  # type: ignore[misc]
            )
