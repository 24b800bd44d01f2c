"""A right output, a wrong one, and which pixels differ, side by side in one small PNG."""

from __future__ import annotations

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
NO_VALUE, WRONG, PAPER, FRAME = range(GREYS, GREYS + 4)  # colours after the greys
COLOURS = ((176, 110, 214), (214, 60, 40), (255, 255, 255), (120, 127, 135))
BOX = 5  # pixels of the photograph, a side, for one of the small image
LEFT, TOP, WIDTH, HEIGHT = 120, 60, 86, 58  # of the small image, in the photograph


def photograph() -> Array:
    """A part of the photograph of datasets/, smaller: 58 x 86 x 3 values of 0 to 255. Neither side
    is a multiple of 4, 16 or 32. Raises DatasetMissing."""
    rows, columns = slice(TOP, TOP + HEIGHT * BOX), slice(LEFT, LEFT + WIDTH * BOX)
    part = generate.rgb()[rows, columns].astype(np.float64)
    return np.asarray(part.reshape(HEIGHT, BOX, WIDTH, BOX, 3).mean(axis=(1, 3)))


def panels(right: Array, got: Array, wrong: Array) -> Bytes:
    """Colour numbers of the three panels: the right plane, the wrong one, and where they differ."""
    low, high = (float(v) for v in np.percentile(right, (1, 99)))
    middle = np.where(wrong, WRONG, GREYS - 4).astype(np.uint8)
    parts = [_greys(right, low, high), _greys(got, low, high), middle]
    gap = np.full((right.shape[0] * SCALE, GAP), PAPER, dtype=np.uint8)
    gap[:, [0, -1]] = FRAME  # where a panel is white, its sides would not be seen
    large = [part.repeat(SCALE, axis=0).repeat(SCALE, axis=1) for part in parts]
    return np.hstack([large[0], gap, large[1], gap, large[2]])


def _greys(plane: Array, low: float, high: float) -> Bytes:
    with np.errstate(all="ignore"):
        share = (plane.astype(np.float64) - low) / max(high - low, 1e-30)
        grey = np.clip(np.floor(share * GREYS), 0, GREYS - 1)
    return np.where(np.isnan(plane), NO_VALUE, np.nan_to_num(grey)).astype(np.uint8)


def shown(picture: Bytes) -> float:
    """How well a picture shows a mistake: the difference of the greys in its first two panels, less
    where the second one is mostly black or white."""
    width = (picture.shape[1] - 2 * GAP) // 3
    first = picture[:, :width].astype(np.float64)
    second = picture[:, width + GAP : 2 * width + GAP].astype(np.float64)
    clipped = float(((second == 0) | (second == GREYS - 1)).mean())
    return min(float(np.abs(first - second).mean() / GREYS), 0.1) * (1 - clipped)


def png(picture: Bytes) -> bytes:
    image = Image.fromarray(picture)
    greys = [round(255 * i / (GREYS - 1)) for i in range(GREYS) for _ in range(3)]
    image.putpalette([*greys, *(part for colour in COLOURS for part in colour)])
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True, bits=6)
    return buffer.getvalue()


def read(data: bytes) -> Bytes:
    """The colour numbers of a PNG that png() wrote."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image, dtype=np.uint8)
