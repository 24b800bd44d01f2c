"""The calls that lab 2's contracts draw: lab.h names no largest radius."""

from collections.abc import Iterator

from grader.contract import arrays
from grader.contract.generator import BEYOND_INT, Generator
from grader.contract.step import Step

WIDE = 1 << 26  # of an image that no memory holds; the host may well hold a row of it


class OnDevice(Generator):
    """Part A."""

    radius = (0, 10)
    fails = 3
    on_host = False
    vast: tuple[int, ...] = BEYOND_INT

    def rare_steps(self) -> Iterator[Step]:
        yield from super().rare_steps()
        yield from self.large_radii(40)

    def far_steps(self) -> Iterator[Step]:
        yield from self.farthest_taps()
        if self.on_host:
            yield from self.shifted_steps()
            yield from self.huge_steps(WIDE, 65_504)  # in 32 bits -2^31 pixels, and 0 bytes
        yield from super().far_steps()
        if self.on_host:  # in 32 bits 0 pixels
            yield from self.huge_steps(WIDE, 65_472)


class Identical(OnDevice):
    """Part D: the same bits as on the CPU."""

    images = arrays.BITS


class OnHost(OnDevice):
    """Part B."""

    fails = 14
    on_host = True
    vast = ()


class Staged(OnHost):
    """Part C: `refuse` is the kind of host memory."""

    fails = 16
    refused = (3, -1, 2**31 - 1)
