"""Mistakes of a kernel that works tile by tile: what is wrong repeats with the tile.

A block computes a tile of the output and needs `radius` pixels beyond it on each side, its apron.
Where the apron was not loaded, the taps that fall on it read 0, or memory that nobody had written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grader.oracle.correlation import F32, Expected, gamma

Mask = npt.NDArray[np.bool_]

SIDES = (128, 64, 32, 16, 8, 4)  # of a tile, in pixels; and what a block of 32 leaves in its middle
ALL_BUT = 0.9  # of a row or a column; a larger share of wrong pixels counts as all of them
PERIODS = (4, 8, 16, 32, 64, 128)
KINDS = (
    ("left",),
    ("right",),
    ("top",),
    ("bottom",),
    ("left", "right"),
    ("top", "bottom"),
    ("left", "top"),
    ("right", "bottom"),
    ("left", "right", "top", "bottom"),
    ("corners",),
)


@dataclass(frozen=True)
class Apron:
    """The part of the apron that is missing, and the tile's size where it matters (else 0)."""

    kind: tuple[str, ...]
    width: int
    height: int

    def words(self) -> str:
        """Such as "the left and right apron of tiles of 32 columns"."""
        part = " and ".join(self.kind) + " apron"
        if len(self.kind) == 4:
            part = "apron"
        elif self.kind == ("corners",):
            part = "corners of the apron"
        if self.width and self.height:
            return f"the {part} of tiles of {self.width}x{self.height}"
        lines = f"{self.width} columns" if self.width else f"{self.height} rows"
        return f"the {part} of tiles of {lines}"

    def missing(self, shape: tuple[int, int], b: int, a: int) -> Mask:
        """The pixels (height x width) whose tap (a, b) falls on what is missing."""
        column = _beyond(shape[1], self.width, a, self._lacks("left"), self._lacks("right"))
        row = _beyond(shape[0], self.height, b, self._lacks("top"), self._lacks("bottom"))
        if self.kind == ("corners",):
            return row[:, None] & column[None, :]
        return row[:, None] | column[None, :]

    def touched(self, shape: tuple[int, int], high: int, wide: int) -> Mask:
        """The pixels that miss any tap: those at the four ends of the mask, `high` rows and `wide`
        columns from its middle, miss the most."""
        found = np.zeros(shape, dtype=np.bool_)
        for b, a in ((b, a) for b in (-high, high) for a in (-wide, wide)):
            found |= self.missing(shape, b, a)
        return found

    def _lacks(self, side: str) -> bool:
        return side in self.kind or self.kind == ("corners",)


def _beyond(count: int, tile: int, offset: int, before: bool, after: bool) -> Mask:
    """Of `count` places in tiles of `tile`: is the one that is `offset` further in another tile?"""
    place = np.arange(count) % tile + offset if tile else np.zeros(count)
    return np.asarray((before & (place < 0)) | (after & (place >= max(tile, 1))), dtype=np.bool_)


def suspects(wrong: Mask, high: int, wide: int) -> Iterator[Apron]:
    """The aprons whose lack could make just these pixels wrong: all of them, and many of those
    that it touches. Only tiles of which the image has more than one: the others have no seam. The
    mask reaches `high` rows and `wide` columns from its middle."""
    shape = (wrong.shape[0], wrong.shape[1])
    sides = [side for side in (32 - 2 * max(high, wide), *SIDES) if side > 0]
    for kind in KINDS if high or wide else ():
        widths = sides if {"left", "right", "corners"} & {*kind} else [0]
        heights = sides if {"top", "bottom", "corners"} & {*kind} else [0]
        for width in dict.fromkeys(widths):
            for height in dict.fromkeys(heights):
                if width >= shape[1] or height >= shape[0]:
                    continue
                apron = Apron(kind, width, height)
                touched = apron.touched(shape, high, wide)
                likely = not (wrong & ~touched).any() and 2 * wrong.sum() >= touched.sum() > 0
                if likely and not touched.all():
                    yield apron


def single_load(wrong: Mask, radius: int) -> tuple[int, int] | None:
    """The tile (width, height) of which only so many places, counted from the corner of its apron,
    could have been loaded, if those are just the pixels that are wrong."""
    height, width = wrong.shape
    for across in (side for side in SIDES if 2 * radius < side < width):
        column = np.arange(width) % across + 2 * radius >= across
        for down in (side for side in SIDES if 2 * radius < side < height):
            row = np.arange(height) % down + 2 * radius >= down
            if (wrong == (row[:, None] | column[None, :])).all():
                return across, down
    return None


def without(apron: Apron, image: F32, mask: F32, border: str) -> Expected:
    """Eq. 1 with 0 for what is missing, and its bound (float64)."""
    high, wide = mask.shape[0] // 2, mask.shape[1] // 2
    height, width = image.shape
    mode = "edge" if border == "replicate" else "constant"
    frame = ((high, high), (wide, wide))
    padded = np.pad(image.astype(np.float64), frame, mode=mode)  # type: ignore[call-overload]
    value, magnitude = np.zeros(image.shape), np.zeros(image.shape)
    for row, column in np.ndindex(mask.shape):
        term = padded[row : row + height, column : column + width] * float(mask[row, column])
        term = np.where(apron.missing((height, width), row - high, column - wide), 0.0, term)
        value += term
        magnitude += np.abs(term)
    return Expected(value, gamma(mask.size) * magnitude)


def pattern(wrong: Mask) -> str:
    """Such as "in columns 0..5 of every 32", or "" when nothing repeats."""
    found = []
    for name, axis, period in _repeating(wrong):
        hit = np.unique(np.flatnonzero(wrong.any(axis=1 - axis)) % period)
        found.append(f"{name}{'s' * (len(hit) > 1)} {_ranges(hit)} of every {period}")
    return f"in {' and '.join(found)}" if found else ""


def lines(wrong: Mask) -> Mask | None:
    """The rows and columns on which what is wrong repeats, whole; None when nothing repeats."""
    concerned = np.ones(wrong.shape, dtype=np.bool_)
    for _, axis, period in _repeating(wrong):
        hit = np.unique(np.flatnonzero(wrong.any(axis=1 - axis)) % period)
        among = np.isin(np.arange(wrong.shape[axis]) % period, hit)
        concerned &= among[:, None] if axis == 0 else among[None, :]
    return None if concerned.all() else concerned


def place(wrong: Mask, y: int, x: int) -> str:
    """Where a pixel lies in its tile, such as "column 5 of its 32"; "" when nothing repeats."""
    found = [
        f"{name} {(y, x)[axis] % period} of its {period}"
        for name, axis, period in _repeating(wrong)
    ]
    return " and ".join(found)


def _repeating(wrong: Mask) -> Iterator[tuple[str, int, int]]:
    """Along which axes of the plane what is wrong repeats: the name, the axis, the period."""
    for axis, name in ((1, "column"), (0, "row")):
        hit = np.flatnonzero(wrong.any(axis=1 - axis))
        periods = [p for p in PERIODS if len(np.unique(hit // p)) > 2]
        share = {p: len(np.unique(hit % p)) / p for p in periods}  # of a period that is hit
        best = min(periods, key=lambda p: share[p], default=0)
        if best and (share[best] <= 0.5 or _whole(wrong, axis, best)):
            yield name, axis, best


def _whole(wrong: Mask, axis: int, period: int) -> bool:
    """Is every row (axis 0) or column at some places of each period wrong, and no other? A pixel
    or two of them may be right by chance."""
    places = np.unique(np.flatnonzero(wrong.any(axis=1 - axis)) % period)
    expected = np.isin(np.arange(wrong.shape[axis]) % period, places)
    return len(places) < period and bool(wrong.mean(axis=1 - axis)[expected].min() > ALL_BUT)


def _ranges(places: npt.NDArray[np.int64]) -> str:
    """0, 1, 2, 7 as "0..2, 7"."""
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return ", ".join(f"{r[0]}..{r[-1]}" if len(r) > 1 else f"{r[0]}" for r in runs)
