"""The calls that lab 2's contracts draw: lab.h names no largest radius."""

from collections.abc import Iterator

from grader.contract import arrays
from grader.contract.generator import BEYOND_INT, Generator
from grader.contract.step import Step


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
            yield from self.huge_steps(1 << 30, 65_535)
        yield from super().far_steps()
        if self.on_host:  # 2^30 * 65532 is 0 in 32 bits
            yield from self.huge_steps(1 << 30, 65_532)


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
