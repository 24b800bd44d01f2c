"""The arrays of a step, from its seed: the same on every machine.

Contents tell mistakes apart that uniform noise hides. Images:

    noise    in (0, 1]                      signed   in [-1, 1)
    sparse   0, and a few large values      flat     one value everywhere
    wide     signed, times 2^-20 to 2^20    huge     signed, times 2^100
    tiny     signed, times 2^-60            ramp     each pixel another value, rising
    lowest   signed, times 2^-127: its products are too small for normal floats. Only where the bits
             of a result are compared: else they count as rounding

The exponents of huge, tiny and lowest are four times as large for doubles: no float has them.

and, of bytes: noise, extreme (0 and 255 only), close (all within 3 of one value), dark (0 and 1
only).
Masks: signed, in [-1, 1); average, positive and of sum 1; one, a single coefficient that is not 0;
missing, signed with a single 0; zero; faint and strong, signed times 2^-30 and 2^10; symmetric,
the same from all four sides; uneven, symmetric but for the sign of one coefficient; faintest,
of magnitudes from 2^-59 to 2^-55, which is above lab 5's least, 1e-18; of a
column times a row also scaled, with coefficients of 2^-59 to 2^59; nearly, with one coefficient
off by almost 12 u, which is separable within lab 5's tolerance of 16 u; barely, with the smallest
one off by just more than 20 u, which is not; apart, of which only the first and the last row (or
column) are not 0, and one is no multiple of the other. No other random one has a symmetry.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from datasets import layers, stream, values
from grader.contract.step import Step
from grader.oracle.inputs import Inputs

Array = npt.NDArray[Any]

MOST_BYTES = 2_000_003  # the bytes of a larger image are repeated
IMAGES = ("noise", "signed", "sparse", "flat", "wide", "huge", "tiny", "ramp")
BITS = (*IMAGES, "lowest")
FAR_FROM_1 = ("huge", "tiny", "lowest")
BYTES = ("noise", "extreme", "close", "dark")
MASKS = ("signed", "average", "one", "missing", "zero")
FAINTEST = "faintest"
FAR_MASKS = ("faint", "strong", FAINTEST)
EVEN_MASKS = ("symmetric", "uneven")
OUTER_MASKS = (*MASKS, "scaled")
NEARLY = "nearly"
CLOSE_MASKS = (NEARLY, "barely", "apart")
CHANGED = ("pixel", "row", "byte")  # what of an image can differ from that of the call before
TOLERANCE = 2.0**-20  # lab 5's SEPARABLE_TOLERANCE: 16 u
ROUNDED = 0.75 * TOLERANCE  # 12 u: what lab.h allows for when the mask was computed
BEYOND = 1.25 * TOLERANCE  # 20 u: also beyond it for who compares with the lines, which are rounded


def inputs(step: Step) -> Inputs:
    """The image and, where the step has one, the mask."""
    if step.given:
        return _given(step)
    image = np.ascontiguousarray(_image(step))
    if step.nudged in CHANGED:
        _change(step, image)
    if step.mask == "none":
        return Inputs(image)
    mask = np.ascontiguousarray(_mask(step))
    if step.nudged == "coefficient":
        _nudge(mask, step.seed)
    elif step.nudged == "order":
        mask = np.ascontiguousarray(mask.reshape(-1)[::-1].reshape(mask.shape))
    return Inputs(image, mask)


def _given(step: Step) -> Inputs:
    """The inputs of an operation that is no image."""
    sizes = dict(step.sizes)
    made = {
        each.name: np.ascontiguousarray(
            values.values(each.content, each.type, each.shape(sizes), step.seed + 7919 * number)
        )
        for number, each in enumerate(step.given)
    }
    if step.nudged:
        _nudge(next(iter(made.values())), step.seed)
    return Inputs(**made)


def _nudge(array: Array, seed: int) -> None:
    """Gives one element another value of the same size."""
    flat = array.reshape(-1)
    chosen = (seed >> 8) % len(flat)
    if array.dtype.kind == "u":
        flat[chosen] ^= np.uint8(255)
    elif array.dtype.kind == "i":
        flat[chosen] += 1
    else:
        flat[chosen] = -flat[chosen] if flat[chosen] else 1.0


def _change(step: Step, image: Array) -> None:
    """Gives one byte, one pixel or one row other values, at a place that follows from the seed."""
    colours = 3 if step.type == "u1" else 1
    pixels = image.reshape(-1, colours)
    chosen = (step.seed >> 8) * (2 * CHANGED.index(step.nudged) + 1) % len(pixels)
    if step.nudged == "row":
        row = chosen // step.width * step.width
        part = pixels[row : row + step.width]
        part[:] = ~part if step.type == "u1" else -part
        return
    if step.nudged == "pixel":
        for colour in pixels[chosen, :, np.newaxis]:
            _nudge(colour, 0)
    elif step.type == "u1":
        pixels[chosen, chosen % colours] ^= np.uint8(255)
    else:  # the highest bit of the mantissa
        half = np.uint8(0x40 if step.type == "f4" else 0x08)
        pixels[chosen].view(np.uint8)[-2] ^= half


def _uniform(seed: int, count: int, kind: str) -> Array:
    """In [-1, 1), with all bits of the type."""
    return np.asarray(2.0 * layers.uniform(kind, seed, count).astype(np.float64) - 1.0)


def _image(step: Step) -> Array:
    if step.type == "u1":
        return _bytes(step).reshape(step.height, step.width, 3)
    shape: tuple[int, ...] = (step.height, step.width)
    if step.mask in ("depthwise", "weights"):
        shape = (step.channels, *shape)
    count = int(np.prod(shape))
    value = _uniform(~step.seed, count, step.type)
    return _content(step, value).astype(step.type).reshape(shape)


def _content(step: Step, value: Array) -> Array:
    count = len(value)
    if step.image_content == "noise":
        return (value + 1.0) / 2.0
    if step.image_content == "flat":
        return np.full(count, 0.75)
    if step.image_content == "ramp":
        return (np.arange(count) + 1.0) / 64.0
    if step.image_content == "sparse":
        chosen = stream.splitmix64(step.seed ^ 1, 0, count) % np.uint64(7) == 0
        return np.where(chosen, 100.0 * value, 0.0)
    if step.image_content == "wide":
        exponents = stream.splitmix64(step.seed ^ 1, 0, count) % np.uint64(41)
        return value * 2.0 ** (exponents.astype(np.float64) - 20.0)
    power = {"signed": 0, "huge": 100, "tiny": -60, "lowest": -127}[step.image_content]
    return value * 2.0 ** (4.0 * power if step.type == "f8" else power)


def _bytes(step: Step) -> Array:
    count = 3 * step.width * step.height
    numbers = stream.splitmix64(~step.seed, 0, min(count, MOST_BYTES)) >> np.uint64(56)
    if step.image_content == "extreme":
        numbers = (numbers & np.uint64(1)) * np.uint64(255)
    elif step.image_content == "dark":
        numbers = numbers & np.uint64(1)
    elif step.image_content == "close":
        first = numbers[0] if len(numbers) else np.uint64(0)
        numbers = (first + (numbers & np.uint64(3))) % np.uint64(256)
    return np.resize(numbers.astype(np.uint8), count)


def mask_shape(step: Step) -> tuple[int, ...]:
    """The shape of the step's mask."""
    size = 2 * step.radius + 1
    return {
        "plane": (size, size),
        "depthwise": (size, size),
        "weights": (step.masks, step.channels, size, size),
        "outer": (size, size),
        "bank": (step.phases, size, size),
        "row": (1, size),
        "column": (size, 1),
        "lines": (2, size),
    }[step.mask]


def _mask(step: Step) -> Array:
    shape = mask_shape(step)
    if step.mask == "outer":
        return _outer(step, shape[0])
    count = int(np.prod(shape))
    value = _uniform(step.seed, count, step.type)
    kind = step.mask_content
    chosen = step.seed % count
    if kind == "zero":
        value[:] = 0.0
    elif kind == "one":
        value = np.where(np.arange(count) == chosen, value, 0.0)
    elif kind == "missing":
        value[chosen] = 0.0
    elif kind in EVEN_MASKS:
        value = _even(value.reshape(shape))
        if kind == "uneven":
            value[chosen] = -value[chosen]
    elif kind == FAINTEST:
        value = np.copysign(np.maximum(np.abs(value), 2.0**-4), value) * 2.0**-55
    elif kind in FAR_MASKS:
        value *= {"faint": 2.0**-30, "strong": 2.0**10}[kind]
    elif kind == "average":
        value = (value + 1.0) / np.maximum((value + 1.0).sum(), 1e-30)
    return value.astype(step.type).reshape(shape)


def _even(mask: Array) -> Array:
    """The mask, or each of a bank, made the same from all four sides."""
    mask = mask + mask[..., ::-1]
    mask = mask + mask[..., ::-1, :]
    return np.asarray(mask / 4.0).reshape(-1)


def _outer(step: Step, size: int) -> Array:
    """A column times a row; where it must not be separable, with a coefficient changed."""
    if step.mask_content in CLOSE_MASKS:
        return _close(step, size)
    column = _uniform(step.seed, size, "f4")
    row = _uniform(step.seed ^ 1, size, "f4")
    if step.mask_content == "missing":
        column[step.seed % size] = 0.0
    elif step.mask_content == "zero":
        column[:] = 0.0
    elif step.mask_content == "one":
        column = np.where(np.arange(size) == step.seed % size, 1.0, 0.0)
        row = np.where(np.arange(size) == (step.seed >> 8) % size, 1.0, 0.0)
    elif step.mask_content == "scaled":
        spread = step.seed % 3 * 6  # the exponents of a line
        lowest, highest = -51 + 2 * spread, 59 - 2 * spread
        shift = (lowest, highest, step.seed % 40 - 20)[step.seed // 3 % 3]
        column = _scaled(column, step.seed, spread) * 2.0**shift
        row = _scaled(row, step.seed ^ 1, spread)
    mask = np.outer(column, row).astype(np.float32)
    if step.inseparable:
        return _changed(mask if step.mask_content == "scaled" else _without_small(mask), step.seed)
    return mask


def _close(step: Step, size: int) -> Array:
    """Of CLOSE_MASKS. The coefficients are products of small integers, which no rounding changes:
    only the one that is changed is not the product of its column and its row."""
    if step.mask_content == "apart":
        mask = np.zeros((size, size), dtype=np.float32)
        mask[0], mask[-1] = _uniform(step.seed, 2 * size, "f4").reshape(2, size)
        return np.ascontiguousarray(mask.T if step.seed % 2 else mask)
    column, row = (np.rint(2047.0 * _uniform(s, size, "f4")) for s in (step.seed, step.seed ^ 1))
    column, row = (np.copysign(np.maximum(np.abs(line), 512.0), line) for line in (column, row))
    y, x = step.seed % size, (step.seed >> 16) % size
    if step.mask_content == "barely":  # small: a fit of all coefficients cannot hide its error
        column[y], row[x] = 1.0, 1.0
    mask = np.outer(column, row).astype(np.float32)
    mask[y, x] = _off(mask, BEYOND if step.mask_content == "barely" else 0.8 * ROUNDED)[y, x]
    return mask


def _off(mask: Array, error: float) -> Array:
    """Each coefficient as the next larger one (in magnitude) that is off by more than `error`."""
    off, right = mask.copy(), mask.astype(np.float64)
    while (close := np.abs(off - right) <= error * np.abs(off)).any():
        off = np.where(close, np.nextafter(off, np.copysign(np.float32(np.inf), off)), off)
    return off


def _scaled(line: Array, seed: int, spread: int) -> Array:
    """The line with magnitudes of 2^-4 to 1, times 2^-spread/2 to 2^spread/2."""
    exponents = stream.splitmix64(seed ^ 2, 0, len(line)) % np.uint64(spread + 1)
    away_from_zero = np.copysign(np.maximum(np.abs(line), 2.0**-4), line)
    return np.asarray(away_from_zero * 2.0 ** (exponents.astype(np.float64) - spread // 2))


def _without_small(mask: Array) -> Array:
    """Another column times a row, of coefficients large enough to show in float32."""
    mask = np.where(np.abs(mask) < 0.01, np.float32(0.25), mask)
    return np.outer(mask[:, 0], mask[0, :]).astype(np.float32)


def _changed(mask: Array, seed: int) -> Array:
    """The mask with one coefficient another one: it is no longer a column times a row."""
    y, x = seed % mask.shape[0], (seed >> 16) % mask.shape[1]
    mask[y, x] *= np.float32(1.5)
    return mask
