"""Where the wrong elements of an output lie, in words."""

import numpy as np
import numpy.typing as npt

from grader.diagnose import tile_pattern
from grader.diagnose.known import border
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation

Mask = npt.NDArray[np.bool_]

MOST = 0.9  # of the elements: more are "nearly everywhere"
LEAST = 64  # elements in which a chessboard is no chance
OFTEN = 0.75  # of the times that a place comes again: less often it is no pattern
FEW = 6  # rows, or others, that are listed one by one
PLURALS = {"n": "masks", "c": "channels", "y": "rows", "x": "columns"}


def wrong_elements(operation: Operation, inputs: Inputs, comparison: Comparison) -> str:
    """Such as "all of columns 32..36, the right end of the image"."""
    return elements(operation, comparison.wrong, inputs.radius)


def elements(out: Operation, hit: Mask, radius: int) -> str:
    """Where the elements of `hit` lie; `radius`: how far the mask reaches, 0 for none."""
    if hit.all():
        return f"every {out.things()[:-1]}"
    if hit.ndim > 2 and out.is_image() and _same_in_each_plane(hit):
        hit = tile_pattern.plane(hit)
    if not out.is_image():
        return _of_elements(out, hit)
    flat = hit.ndim == 2
    if flat and (end := _end(hit)):
        return end
    if flat and (whole := _whole_lines(hit)):
        return whole
    inside = ~border.frame(hit, radius)
    if radius and inside.any() and not (hit & inside).any():
        near = "1 pixel" if radius == 1 else f"{radius} pixels"
        return f"all within {near} of the image's border, where the mask extends beyond the image"
    if hit.mean() > MOST:
        return "nearly everywhere"
    if flat and (repeating := tile_pattern.words(hit)):
        return repeating
    if flat and (squares := _chessboard(hit)):
        return squares
    if flat and (hit == np.not_equal(*np.indices(hit.shape))).all():
        return "all but those with x = y"
    axes = out.axes[-hit.ndim :]
    parts = [part for axis, name in enumerate(axes) if (part := _along(axis, name, hit))]
    if flat and (counted := _counted_through(hit)):
        return counted
    if not parts:
        return "scattered over the whole output"
    return f"in {', '.join(parts[:-1])}{' and ' * (len(parts) > 1)}{parts[-1]}"


def _of_elements(out: Operation, hit: Mask) -> str:
    """Of what is no image: by the indices of each axis; of a line, also what repeats."""
    if hit.ndim == 1:
        numbers = np.flatnonzero(hit)
        if told := _numbered(out.things(), numbers):
            return told
        return _counted_through(hit, out.things(), "") or f"some of {_range(out, numbers)}"
    names = ("y", "x") if hit.ndim == 2 else ("",) * hit.ndim
    parts = [part for axis, name in enumerate(names) if (part := _along(axis, name, hit))]
    return f"in {' and '.join(parts)}" if parts else "scattered over the whole output"


def _range(out: Operation, numbers: npt.NDArray[np.int64]) -> str:
    return lines(out.things(), int(numbers[0]), int(numbers[-1]))


def first_in_tile(operation: Operation, comparison: Comparison) -> str:
    """Where the first wrong element lies in its tile, such as " (column 5 of every 32)"; "" when
    nothing repeats, or when nearly all is wrong."""
    if comparison.wrong.mean() > MOST or not operation.is_image():
        return ""
    *_, y, x = comparison.first()
    position = tile_pattern.position(tile_pattern.plane(comparison.wrong), y, x)
    return f" ({position})" if position else ""


def _same_in_each_plane(hit: Mask) -> bool:
    planes = hit.reshape(-1, *hit.shape[-2:])
    return bool((planes == planes[0]).all())


def _end(hit: Mask) -> str:
    """The end of the image that is hit, whole, if nothing else is; otherwise ""."""
    for name, axis, ends in (
        ("columns", 1, ("left end", "right end")),
        ("rows", 0, ("top", "bottom")),
    ):
        numbers = np.flatnonzero(hit.any(axis=1 - axis))
        first, last, size = int(numbers[0]), int(numbers[-1]), hit.shape[axis]
        whole = hit.all(axis=1 - axis).sum() == len(numbers) == last - first + 1 < size
        if whole and (first == 0 or last == size - 1):
            return f"all of {lines(name, first, last)}, the {ends[first > 0]} of the image"
    return ""


def _whole_lines(hit: Mask) -> str:
    """Such as "all of columns 31, 63 and 95 and all of row 31", if whole columns and whole rows, or
    one of them, are hit and nothing else is, nor a frame around the image; otherwise ""."""
    whole = [hit.mean(axis=1 - axis) > tile_pattern.ALL_BUT for axis in (0, 1)]
    rows, columns = (np.flatnonzero(lines) for lines in whole)
    outside = hit & ~(whole[0][:, None] | whole[1][None, :])
    framed = all(lines[0] and lines[-1] for lines in whole)
    single = len(rows) + len(columns) == 1 and not any(lines[0] or lines[-1] for lines in whole)
    if outside.any() or framed or hit.mean() > MOST or not (single or len(rows) * len(columns)):
        return ""
    named = [("columns", columns), ("rows", rows)]
    parts = [_numbered(name, numbers) for name, numbers in named if len(numbers)]
    return f"all of {' and all of '.join(parts)}" if all(parts) else ""


def _counted_through(hit: Mask, things: str = "pixels", how: str = ", counted row by row") -> str:
    """Such as "pixel 0 of every 4, counted row by row", where a thread or a vector has that many
    and the width is no multiple of it; otherwise ""."""
    numbers = np.flatnonzero(hit)
    for every in (4, 8, 16, 32):
        which = np.unique(numbers % every)
        most = len(which) * (1 + (numbers[-1] - numbers[0]) / every)  # were they hit each time
        if len(numbers) > max(2 * every, OFTEN * most) and 2 * len(which) <= every:
            return f"{_numbered(things, which) or 'some'} of every {every}{how}"
    return ""


def _chessboard(hit: Mask) -> str:
    """Every second pixel, but for a few, as where y is made of the index that makes x; or ""."""
    rows, columns = np.indices(hit.shape)
    even = (rows + columns) % 2 == 0
    for name, field in (("even", even), ("odd", ~even)):
        if hit.size > LEAST and hit[field].mean() > 0.95 and hit[~field].mean() < 0.05:
            return f"where x + y is {name}, like the squares of one colour of a chessboard"
    return ""


def _numbered(plural: str, numbers: npt.NDArray[np.int64]) -> str:
    """Such as "rows 3..7", "rows 31 and 63" or "row 31 of every 32"; "" for many without order."""
    first, last = int(numbers[0]), int(numbers[-1])
    if len(numbers) == last - first + 1:
        return lines(plural, first, last)
    if len(numbers) <= FEW:
        *most, final = map(str, numbers)
        return f"{plural} {', '.join(most)} and {final}"
    steps = np.unique(np.diff(numbers))
    return f"{plural[:-1]} {first} of every {steps[0]}" if len(steps) == 1 else ""


def _along(axis: int, name: str, hit: Mask) -> str:
    """Such as "rows 3..7", "masks 0, 2, 4" or "some of rows 3..90"; "" when every row, or whatever
    the axis counts, has an element that is hit."""
    others = tuple(i for i in range(hit.ndim) if i != axis)
    numbers = np.flatnonzero(hit.any(axis=others))
    first, last = int(numbers[0]), int(numbers[-1])
    if len(numbers) == hit.shape[axis]:
        return ""
    plural = PLURALS.get(name, f"places of axis {axis}, numbers")
    if len(numbers) == last - first + 1:
        return lines(plural, first, last)
    if len(numbers) > FEW:
        return f"some of {lines(plural, first, last)}"
    return f"{plural} {', '.join(str(number) for number in numbers)}"


def lines(plural: str, first: int, last: int) -> str:
    """Such as "rows 3..7", or "row 3"."""
    return f"{plural} {first}..{last}" if first < last else f"{plural[:-1]} {first}"
