"""Right results in the place of others: whole rows, columns or planes, and whole tiles."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product

import numpy as np
import numpy.typing as npt

from grader.diagnose.known.filter import Filter, continued
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected

I64 = npt.NDArray[np.int64]

FAR = 160  # lines; further off no line is looked for
NAMED = 2  # exchanges that are named
LEAST = 4  # of them: fewer fit many rules
TILES = (4, 8, 16, 32, 64, 128)  # sides of a tile, in pixels


def lines(_: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """Each wrong row, or column or plane, holds what another one needs."""
    axes = {"row": -2, "column": -1} | ({"plane": -3} if comparison.got.ndim > 2 else {})
    for thing, axis in axes.items():
        sources = _sources(comparison, axis)
        moved = np.flatnonzero((sources >= 0) & (sources != np.arange(len(sources))))
        if not len(moved) and (sources >= 0).all():
            continue
        shift = np.unique(sources[moved] - moved)
        if len(shift) == 1 and len(moved) > NAMED:
            continue  # all are moved by the same distance: indexing.py says which
        named = ", ".join(f"{thing} {i} holds what {thing} {sources[i]} needs" for i in moved[:2])
        is_exchange = len(np.unique(sources[moved])) == len(moved)
        advice = f"{_rule(thing, moved, sources)}: check the index of the {thing}"
        yield Mistake(
            "places-exchanged",
            named + (advice if is_exchange else ""),
            partial(_taken, comparison.expected, sources, axis),
        )


def _sources(comparison: Comparison, axis: int) -> I64:
    """Of each line along the axis, the line of the right result that it holds: itself, if that is
    right; -1 where there is none."""
    got, value, bound = (
        np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)
        for array in (
            comparison.got.astype(np.float64),
            comparison.expected.value,
            comparison.expected.bound,
        )
    )
    sources = np.full(len(got), -1)
    for i in range(len(got)):
        if (np.abs(got[i] - value[i]) <= bound[i]).all():
            sources[i] = i
            continue
        first = max(0, i - FAR)
        near = slice(first, i + FAR + 1)
        same = (np.abs(got[i] - value[near]) <= bound[near]).all(axis=1)
        found = np.flatnonzero(same)
        if len(found) == 1:
            sources[i] = first + found[0]
    return sources


def _rule(thing: str, moved: I64, sources: I64) -> str:
    """Such as ", as where t + 4 * k stands for 4 * t + k", where that gives all of them."""
    for few, many in product(range(2, 17), range(2, 17)) if len(moved) >= LEAST else ():
        inside = moved % (few * many)
        base = moved - inside
        if (sources[moved] == base + inside % many * few + inside // many).all():
            return f", as where rows t + {many} * k and {few} * t + k are exchanged".replace(
                "rows", f"{thing}s"
            )
    return ""


def _taken(right: Expected, sources: I64, axis: int) -> Expected:
    """The result with each line taken from its source; unknown where there is none."""
    value = np.moveaxis(right.value, axis, 0)[sources].copy()
    value[sources < 0] = np.nan
    bound = np.moveaxis(right.bound, axis, 0)[sources]
    return Expected(np.moveaxis(value, 0, axis), np.moveaxis(bound, 0, axis))


def tiles(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Each tile holds what the tile with other numbers, or corners, needs; that may lie beyond the
    image."""
    height, width = f.shape
    y, x = np.indices(f.shape)
    beyond = cache(partial(continued, f, f.mask, abs(height - width) + 2 * TILES[-1]))
    for wide, high in product(TILES, TILES):
        if wide >= width and high >= height:
            continue
        column, row = x // wide, y // high
        for how, top, left in (
            ("the tile's top and left are exchanged", column * wide, row * high),
            ("blockIdx.x and blockIdx.y are exchanged", column * high, row * wide),
            ("its top is made from blockIdx.x", column * high, column * wide),
            ("its left is made from blockIdx.y", row * high, row * wide),
        ):
            if wide == high and how[0] == "b":
                continue
            yield Mistake(
                "places-exchanged",
                f"each tile of {wide}x{high} holds what another one needs: {how}",
                partial(_gathered, beyond, top + y % high, left + x % wide),
            )


def _gathered(beyond: Callable[[], Expected], y: I64, x: I64) -> Expected:
    result = beyond()
    rows, columns = result.value.shape[-2:]
    inside = (y < rows) & (x < columns)
    there = (..., np.where(inside, y, 0), np.where(inside, x, 0))
    return Expected(np.where(inside, result.value[there], np.nan), result.bound[there])
