"""The calls that lab 4's contracts draw: tiles in shared memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader.contract.generator import Generator
from grader.contract.step import Step

# Bytes for a block, on several devices; 0: an H200's.
SHARED = (48 << 10, 64 << 10, 100 << 10, 164 << 10, 0)
OF_AN_H200 = 227 << 10
TILE = 32  # DYNAMIC_TILE


class OneMask(Generator):
    """Parts A, B and D: a mask in constant memory."""

    count = 120
    kept = True
    fails = 12
    refused: Sequence[int] = (-1, 9, 2**31 - 1, -(2**31))


class Dynamic(OneMask):
    """Part C: radii up to what the device's shared memory holds, and devices with less of it."""

    radius = (0, 20)
    kept, own_mask = False, True
    refused = (-1, 77, 1000, 10000, 2**31 - 1, -(2**31))
    tile = TILE

    def vary(self, numbers: Mapping[str, int]) -> None:
        self.tile = numbers.get("DYNAMIC_TILE", TILE)
        most = largest_radius(0, self.tile)
        self.refused = (-1, most + 1, *Dynamic.refused[2:])

    def any_radius(self) -> tuple[int, int]:
        radius, shared = super().any_radius()
        if self.chance(0.3):
            shared = self.one_of(SHARED)
            if self.chance(0.5):
                radius = largest_radius(shared, self.tile)
        return radius, shared

    def largest(self) -> int:
        return largest_radius(0, self.tile)

    def refused_steps(self) -> Iterator[Step]:
        yield from super().refused_steps()
        for shared in SHARED:
            radius = largest_radius(shared, self.tile)
            fits = replace(self.small(), radius=radius, width=5, height=3, shared=shared)
            yield fits
            yield replace(fits, refuse=radius + 1, radius=1)


def largest_radius(shared: int, tile: int = TILE) -> int:
    """The largest radius whose tile and mask fit."""
    radius = 0
    while 4 * ((tile + 2 * (radius + 1)) ** 2 + (2 * radius + 3) ** 2) <= (shared or OF_AN_H200):
        radius += 1
    return radius
