"""What a case computes: its input, its least traffic and its multiply-adds."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle.grayscale import Triple, weights_of

Array = npt.NDArray[Any]
SEED = 17
WEIGHTS = weights_of("601")  # those of OpenCV
ZERO, REPLICATE = 0, 1  # of border.h
JPEG = (77 << 7, 150 << 7, 29 << 7)  # those of libyuv, which has 8 bits


@dataclass(frozen=True)
class Work:
    """operation: correlate, polyphase, lines (a column and a row), depthwise, convolution or grey.
    image and mask as the lab's functions take them."""

    operation: str
    title: str
    image: Array
    mask: Array
    out_shape: tuple[int, ...]
    factors: Array | None = None  # a column and a row whose product the mask is
    border: int = ZERO

    @property
    def out_bytes(self) -> int:
        return math.prod(self.out_shape) * self.image.dtype.itemsize

    @property
    def bytes(self) -> int:
        """What must be read and written at least: image, masks and output, each once."""
        return self.image.nbytes + self.mask.nbytes + self.out_bytes

    @property
    def multiply_adds(self) -> int:
        """What must be done at least: of a mask with factors, both passes."""
        taps = self._taps if self.factors is None else math.prod(self.factors.shape)
        return math.prod(self.out_shape) * taps

    @property
    def _taps(self) -> int:
        several = self.operation in ("polyphase", "convolution")
        return math.prod(self.mask.shape[1:] if several else self.mask.shape)

    @property
    def roundings(self) -> int:
        """How many operations in a row may round an output."""
        return self._taps

    @property
    def radius(self) -> int:
        return int(self.mask.shape[-1]) // 2

    @property
    def type(self) -> str:
        return str(self.image.dtype)


def _generator() -> np.random.Generator:
    return np.random.default_rng(SEED)


def _image(shape: tuple[int, ...], kind: str) -> Array:
    if kind == "uint8":
        return _generator().integers(0, 256, shape, dtype=np.uint8)
    return _generator().random(shape, dtype=np.dtype(kind).type)


def _mask(shape: tuple[int, ...], kind: str = "float32") -> Array:
    """Coefficients in (0, 1]; those of one mask sum to 1, as the labs' masks do."""
    mask = 1.0 - np.random.default_rng(SEED + 1).random(shape)
    return np.asarray(mask / mask.sum(axis=tuple(range(1, mask.ndim)), keepdims=True), dtype=kind)


def correlate(size: int, height: int, width: int) -> Work:
    """A mask of size x size, not separable."""
    title = f"{size}x{size} on {width}x{height}"
    mask = _mask((1, size, size))[0]
    return Work("correlate", title, _image((height, width), "float32"), mask, (height, width))


def row(taps: int, height: int, width: int) -> Work:
    """One pass along the rows."""
    title = f"row of {taps} on {width}x{height}"
    image = _image((height, width), "float32")
    return Work("correlate", title, image, _mask((1, 1, taps))[0], (height, width))


def lines(taps: int, height: int, width: int) -> Work:
    """A column and a row: a separable mask of taps x taps."""
    title = f"separable {taps}x{taps} on {width}x{height}"
    image = _image((height, width), "float32")
    return Work("lines", title, image, _mask((2, taps)), (height, width))


def separable(taps: int, height: int, width: int) -> Work:
    """The product of a column and a row as a mask, for functions that take only masks."""
    two = lines(taps, height, width)
    mask = np.outer(two.mask[0], two.mask[1])
    return Work("correlate", two.title, two.image, mask, two.out_shape, two.mask)


def gaussian(taps: int, height: int, width: int) -> Work:
    """A separable mask that is symmetric, which OpenCV makes use of."""
    distances = np.arange(taps) - taps // 2
    line = np.exp(-0.5 * (6.0 * distances / taps) ** 2)
    pair = np.tile((line / line.sum()).astype(np.float32), (2, 1))
    title = f"Gaussian {taps}x{taps} on {width}x{height}"
    image = _image((height, width), "float32")
    return Work("correlate", title, image, np.outer(pair[0], pair[1]), (height, width), pair)


def polyphase(size: int, height: int, width: int) -> Work:
    title = f"4 masks {size}x{size} by column on {width}x{height}"
    image = _image((height, width), "float32")
    return Work("polyphase", title, image, _mask((4, size, size)), (height, width))


def depthwise(channels: int, side: int, kind: str) -> Work:
    title = f"one 3x3 for {channels} channels of {side}x{side}, {_short(kind)}"
    shape = (channels, side, side)
    return Work("depthwise", title, _image(shape, kind), _mask((1, 3, 3), kind)[0], shape)


def convolution(size: int, channels: int, masks: int, side: int, kind: str) -> Work:
    title = f"{size}x{size}, {channels} to {masks} channels of {side}x{side}, {_short(kind)}"
    bank = _mask((masks, channels, size, size), kind)
    image = _image((channels, side, side), kind)
    return Work("convolution", title, image, bank, (masks, side, side))


def grey(height: int, width: int, weights: Triple = WEIGHTS) -> Work:
    title = f"colour to grey, {width}x{height}"
    title += "" if weights == WEIGHTS else ", weights of 8 bits"
    image = _image((height, width, 3), "uint8")
    return Work("grey", title, image, np.array(weights, dtype=np.int32), (height, width))


def _short(kind: str) -> str:
    return {"float32": "float", "float64": "double"}[kind]
