"""Which pixels a block computes, as its stores show."""

import math
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from grader.ask.draft import CannotTell
from grader.ask.trace import Trace


@dataclass(frozen=True)
class Footprint:
    """The tile of a block, in pixels, of the launch that stores the output. layers: blocks of one
    tile, one behind the other."""

    launch: int
    tile: tuple[int, int]
    layers: int

    def blocks(self, size: tuple[int, int]) -> int:
        """How many blocks an image of that size takes."""
        across, down = (math.ceil(s / t) for s, t in zip(size, self.tile, strict=True))
        return across * down * self.layers

    def other_size(self, size: tuple[int, int], draw: Random) -> tuple[int, int]:
        """Another size, for which the tile is known: where one tile covers the image, it may be
        larger than is seen."""

        def other(seen: int, tile: int) -> int:
            return draw.randrange(seen // 2, seen if tile >= seen else 2 * seen + 40) | 1

        return other(size[0], self.tile[0]), other(size[1], self.tile[1])


def footprint(trace: Trace) -> Footprint:
    """Raises CannotTell where blocks do not tile the image."""
    if not trace.stores:
        raise CannotTell("no stores to the output")
    width, height = trace.shape[-1], trace.shape[-2]
    places: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for element, found in trace.writers.items():
        for access, _ in found:
            places.setdefault(access.block, []).append((element % width, element // width % height))
    low = np.array([np.min(each, axis=0) for each in places.values()])
    high = np.array([np.max(each, axis=0) for each in places.values()])
    wide, tall = (int(size) for size in np.max(high - low, axis=0) + 1)
    launch = trace.stores[0].launch
    one = Footprint(launch, (wide, tall), 1)
    layers, rest = divmod(math.prod(trace.launches[launch].grid), one.blocks((width, height)))
    if rest or (low % one.tile).any():
        raise CannotTell("the blocks do not tile the image")
    return replace(one, layers=layers)
