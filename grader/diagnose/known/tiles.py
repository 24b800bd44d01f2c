"""Mistakes of a kernel that works tile by tile: a part of the apron missing, or some lines wrong.

A block computes a tile of the output and needs `radius` pixels beyond it on each side, its apron.
Where the apron was not loaded, the taps that fall on it read 0, or uninitialized memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from grader.diagnose import tile_pattern
from grader.diagnose.known import mask
from grader.diagnose.known.filter import Filter, continued
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected

Mask = npt.NDArray[np.bool_]

SIDES = (128, 64, 32, 16, 8, 4)  # of a tile, in pixels
FEW = 16  # wrong pixels; what fewer show may be chance
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
    """A part of the apron that is missing, and the tile's size in pixels; a width or height of 0
    where the tile's own makes no difference."""

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
        """The pixels (height x width) whose tap at offset (a, b) falls on the missing part."""
        column = _beyond(shape[1], self.width, a, self._lacks("left"), self._lacks("right"))
        row = _beyond(shape[0], self.height, b, self._lacks("top"), self._lacks("bottom"))
        if self.kind == ("corners",):
            return row[:, None] & column[None, :]
        return row[:, None] | column[None, :]

    def touched(self, shape: tuple[int, int], rows: int, columns: int) -> Mask:
        """The pixels that miss any tap of a mask that reaches `rows` and `columns` from its centre:
        those that miss one of its four corners."""
        touched = np.zeros(shape, dtype=np.bool_)
        for b, a in ((b, a) for b in (-rows, rows) for a in (-columns, columns)):
            touched |= self.missing(shape, b, a)
        return touched

    def _lacks(self, side: str) -> bool:
        return side in self.kind or self.kind == ("corners",)


def _beyond(count: int, tile: int, offset: int, before: bool, after: bool) -> Mask:
    """Which of `count` pixels in a line of tiles have their neighbour at `offset` in the tile
    `before` theirs, or in the one `after` it."""
    neighbour = np.arange(count) % tile + offset if tile else np.zeros(count)
    return np.asarray(
        (before & (neighbour < 0)) | (after & (neighbour >= max(tile, 1))), dtype=np.bool_
    )


def suspects(wrong: Mask, rows: int, columns: int) -> Iterator[Apron]:
    """The aprons that could explain which pixels are wrong: their lack touches every wrong pixel,
    and at least half of what it touches is wrong.

    Only tiles of which the image has more than one: the others have no seam. `wrong`: height x
    width; the mask reaches `rows` and `columns` from its centre.
    """
    shape = (wrong.shape[0], wrong.shape[1])
    # A block of 32 threads a side that loads tile and apron has a smaller tile in its middle.
    sides = [side for side in (32 - 2 * max(rows, columns), *SIDES) if side > 0]
    for kind in KINDS if rows or columns else ():
        widths = sides if {"left", "right", "corners"} & {*kind} else [0]
        heights = sides if {"top", "bottom", "corners"} & {*kind} else [0]
        for width in dict.fromkeys(widths):
            for height in dict.fromkeys(heights):
                if width >= shape[1] or height >= shape[0]:
                    continue
                apron = Apron(kind, width, height)
                touched = apron.touched(shape, rows, columns)
                likely = not (wrong & ~touched).any() and 2 * wrong.sum() >= touched.sum() > 0
                if likely and not touched.all():
                    yield apron


def missing_aprons(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """A part of the apron that is read as 0."""
    for apron in suspects(tile_pattern.plane(comparison.wrong), *f.reach):
        yield Mistake(
            "apron-missing",
            f"your output is what reading 0 in {apron.words()} gives: check which thread loads "
            "that part of the tile",
            partial(without, apron, f),
        )


def without(apron: Apron, f: Filter) -> Expected:
    """The result with 0 for all pixels in the missing part of the apron."""
    value, magnitude = np.zeros(f.output_shape), np.zeros(f.output_shape)
    for b, a, tap in f.taps():
        there = ~apron.missing(f.shape, b, a)
        value = value + there * tap.value
        magnitude = magnitude + there * tap.bound
    taps = f.mask.shape[-2] * f.mask.shape[-1]
    return Expected(value, taps * magnitude)  # gamma_n is n gamma_1, up to n^2 u^2


def single_load(wrong: Mask, radius: int) -> tuple[int, int] | None:
    """The tile (width, height) if every thread of its block loaded just one pixel: then only the
    first width x height pixels of the tile with its apron are there. `wrong`: the pixels that lack
    a value, which must be exactly those that this explains."""
    height, width = wrong.shape
    for across in (side for side in SIDES if 2 * radius < side < width):
        column = np.arange(width) % across + 2 * radius >= across
        for down in (side for side in SIDES if 2 * radius < side < height):
            row = np.arange(height) % down + 2 * radius >= down
            if (wrong == (row[:, None] | column[None, :])).all():
                return across, down
    return None


def transposed(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """Each tile with its rows and columns exchanged: alone, or with the mask, as where the tile is
    loaded so. The last tiles reach beyond the image, and so does what they give."""
    sides = [side for side in (32 - 2 * f.radius, *SIDES[1:]) if 1 < side < max(f.shape)]
    if f.phases > 1 or not sides or comparison.wrong.sum() < FEW:
        return
    turned = np.swapaxes(f.mask, -1, -2)
    either = "where it is loaded or " if np.array_equal(turned, f.mask) else ""
    for where, chosen in (
        (f"{either}where it is read, or x and y of threadIdx are", f.mask),
        ("where it is loaded", turned),
    ):
        beyond = cache(partial(continued, f, chosen, max(sides)))
        for side in dict.fromkeys(sides):
            yield Mistake(
                "tile-transposed",
                f"rows and columns are exchanged in each tile of {side}x{side}: the two indices of "
                f"the tile are swapped {where}; the row comes first, and threadIdx.y counts rows",
                partial(_exchanged, f.shape, side, beyond),
            )


def _exchanged(shape: tuple[int, int], side: int, beyond: Callable[[], Expected]) -> Expected:
    y, x = np.indices(shape)
    there = (..., y - y % side + x % side, x - x % side + y % side)
    result = beyond()
    return Expected(result.value[there], result.bound[there])


def parts_on_some_lines(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """Taps left out on some lines of each tile: in one of several pixels that a thread computes."""
    wrong = tile_pattern.plane(comparison.wrong)
    lines = tile_pattern.lines(wrong)
    if lines is None:
        return
    for everywhere in mask.parts(f, comparison):
        yield Mistake(
            everywhere.name,
            f"{tile_pattern.words(wrong)}, {everywhere.text}",
            partial(_on, lines, everywhere, comparison.expected),
        )


def _on(lines: Mask, mistake: Mistake, right: Expected) -> Expected:
    """The mistake's output on these lines, and the right one elsewhere."""
    output = mistake.output()
    return Expected(
        np.where(lines, output.value, right.value), np.where(lines, output.bound, right.bound)
    )
