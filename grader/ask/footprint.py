"""Which pixels a block computes, as its stores show."""

import math
from dataclasses import dataclass
from random import Random

from grader.ask.draft import CannotTell
from grader.ask.trace import Trace


@dataclass(frozen=True)
class Footprint:
    """The tile of a block, in pixels, of the launch that stores the output. layers: blocks of one
    tile, one behind the other. size: of the image."""

    launch: int
    tile: tuple[int, int]
    layers: int
    size: tuple[int, int]

    def blocks(self, size: tuple[int, int]) -> int:
        """How many blocks an image of that size takes."""
        across, down = (math.ceil(s / t) for s, t in zip(size, self.tile, strict=True))
        return across * down * self.layers

    def other_size(self, size: tuple[int, int], draw: Random) -> tuple[int, int]:
        """Another size, for which the tile is known: where one tile covers the image, it may be
        larger than is seen."""
        found = []
        for axis in (0, 1):
            lowest = size[axis] // 2
            most = size[axis] if self.tile[axis] >= size[axis] else 2 * size[axis] + 40
            found.append(draw.randrange(lowest, most) | 1)
        return found[0], found[1]


def footprint(trace: Trace) -> Footprint:
    """Raises CannotTell where blocks do not tile the image."""
    if not trace.stores:
        raise CannotTell("no stores to the output")
    width, height = trace.shape[-1], trace.shape[-2]
    blocks: dict[tuple[int, int, int], set[tuple[int, int]]] = {}
    for element, found in trace.writers.items():
        for access, _ in found:
            place = (element % width, element // width % height)
            blocks.setdefault(access.block, set()).add(place)
    tile = (
        max(max(x for x, _ in b) - min(x for x, _ in b) + 1 for b in blocks.values()),
        max(max(y for _, y in b) - min(y for _, y in b) + 1 for b in blocks.values()),
    )
    launch = trace.stores[0].launch
    all_blocks = math.prod(trace.launches[launch].grid)
    one = Footprint(launch, tile, 1, (width, height)).blocks((width, height))
    found_one = Footprint(launch, tile, all_blocks // one, (width, height))
    whole = all(
        min(x for x, _ in b) % tile[0] == 0 and min(y for _, y in b) % tile[1] == 0
        for b in blocks.values()
    )
    if all_blocks % one or not whole or found_one.blocks((width, height)) != all_blocks:
        raise CannotTell("the blocks do not tile the image")
    return found_one
