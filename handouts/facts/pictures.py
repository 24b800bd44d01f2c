"""A right output, a wrong one, and their difference, side by side in one small PNG."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from datasets import generate

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

GREYS = 32
SCALE = 2  # screen pixels for one of the image
GAP = 8  # screen pixels between two panels
NO_VALUE, PAPER, FRAME = range(GREYS, GREYS + 3)  # colours after the greys
STEPS = 14  # shades of a difference in one direction
EQUAL = FRAME + 1 + STEPS  # the shades below it are too low, those above it too high
FIXED = ((150, 60, 200), (255, 255, 255), (120, 127, 135))
SAME, LOW, HIGH = (246, 246, 244), (0, 70, 190), (200, 30, 0)
BOX = 5  # pixels of the photograph, a side, for one of the small image
LEFT, TOP, WIDTH, HEIGHT = 120, 60, 86, 58  # of the small image, in the photograph


def photograph() -> Array:
    """A part of the photograph of datasets/, smaller: 58 x 86 x 3 values of 0 to 255. Neither side
    is a multiple of 4, 16 or 32. Raises DatasetMissing."""
    rows, columns = slice(TOP, TOP + HEIGHT * BOX), slice(LEFT, LEFT + WIDTH * BOX)
    part = generate.rgb()[rows, columns].astype(np.float64)
    return np.asarray(part.reshape(HEIGHT, BOX, WIDTH, BOX, 3).mean(axis=(1, 3)))


def panels(right: Array, got: Array, wrong: Array) -> Bytes:
    """Colour numbers of the three panels: the right plane, the wrong one, and by how much the wrong
    pixels are too high or too low."""
    low, high = (float(v) for v in np.percentile(right, (1, 99)))
    parts = [_greys(right, low, high), _greys(got, low, high), _shades(got - right, wrong)]
    gap = np.full((right.shape[0] * SCALE, GAP), PAPER, dtype=np.uint8)
    gap[:, [0, -1]] = FRAME  # where a panel is white, its sides would not be seen
    large = [part.repeat(SCALE, axis=0).repeat(SCALE, axis=1) for part in parts]
    return np.hstack([large[0], gap, large[1], gap, large[2]])


def _greys(plane: Array, low: float, high: float) -> Bytes:
    with np.errstate(all="ignore"):
        share = (plane.astype(np.float64) - low) / max(high - low, 1e-30)
        grey = np.clip(np.floor(share * GREYS), 0, GREYS - 1)
    return np.where(np.isnan(plane), NO_VALUE, np.nan_to_num(grey)).astype(np.uint8)


def _shades(difference: Array, wrong: Array) -> Bytes:
    """A wrong pixel is never shown as equal. Large differences share the darkest shade."""
    size = np.abs(difference)
    known = wrong & ~np.isnan(size)
    largest = float(np.percentile(size[known], 95)) if known.any() else 1.0
    with np.errstate(all="ignore"):
        steps = np.clip(np.ceil(size / max(largest, 1e-30) * STEPS), 1, STEPS)
        shades = EQUAL + np.sign(difference) * np.where(known, steps, 0)
    return np.where(np.isnan(size), NO_VALUE, np.nan_to_num(shades)).astype(np.uint8)


def shown(picture: Bytes) -> float:
    """How well a picture shows a mistake: the difference of the greys in its first two panels, less
    where the second one is mostly black or white."""
    width = (picture.shape[1] - 2 * GAP) // 3
    first = picture[:, :width].astype(np.float64)
    second = picture[:, width + GAP : 2 * width + GAP].astype(np.float64)
    clipped = float(((second == 0) | (second == GREYS - 1)).mean())
    return min(float(np.abs(first - second).mean() / GREYS), 0.1) * (1 - clipped)


def palette() -> list[tuple[int, ...]]:
    """The colours by their numbers."""
    greys = [(round(255 * i / (GREYS - 1)),) * 3 for i in range(GREYS)]
    low, high = ([_mixed(end, i / STEPS) for i in range(1, STEPS + 1)] for end in (LOW, HIGH))
    return [*greys, *FIXED, *reversed(low), SAME, *high]


def _mixed(end: tuple[int, ...], share: float) -> tuple[int, ...]:
    """A colour between that of equal pixels and the darkest; the first step is easy to see."""
    part = 0.25 + 0.75 * share
    return tuple(round(a + (b - a) * part) for a, b in zip(SAME, end, strict=True))


def png(picture: Bytes) -> bytes:
    image = Image.fromarray(picture)
    image.putpalette([part for colour in palette() for part in colour])
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True, bits=6)
    return buffer.getvalue()


def read(data: bytes) -> Bytes:
    """The colour numbers of a PNG that png() wrote."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image, dtype=np.uint8)
