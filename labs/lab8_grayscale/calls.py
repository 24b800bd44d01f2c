"""The calls that lab 8's contracts draw: three bytes a pixel, and weights for them."""

from collections.abc import Iterator
from dataclasses import replace

from grader.contract import arrays
from grader.contract.generator import BEYOND_INT, Generator
from grader.contract.step import Step

# With bytes of 0 and 1, sums of 16383, 16384 and 16385: just below one half, on it, just above it.
HALVES = ("16383,16385,0", "0,16383,16385", "16385,0,16383", "16384,16384,0", "16384,0,16384")
WEIGHTS = ("709", "601", *HALVES, "0,1,32767", "32767,0,1", "1,32767,0")


class Grey(Generator):
    """What all parts have in common."""

    mask = "none"
    radius = (0, 0)
    borders = ()
    types = ("u1",)
    images = arrays.BYTES
    vast: tuple[int, ...] = ()

    def any_weights(self) -> str:
        """Three numbers of 0 to 32767 whose sum is 32768, or a name of such."""
        if self.chance(0.6):
            return self.one_of(WEIGHTS)
        r = self.number(0, 32767)
        g = self.number(0 if r else 1, 32768 - r - (0 if r else 1))
        return f"{r},{min(g, 32767)},{32768 - r - min(g, 32767)}"


class Threads(Grey):
    """Part A."""

    threads = (1, 2, 3, 7, 16, 64)

    def rare_steps(self) -> Iterator[Step]:
        yield from super().rare_steps()
        if self.is_public:  # one is enough: it takes a second
            yield self.longest_row()


class Endless(Threads):
    """Parts B to D."""

    def endless_steps(self) -> Iterator[Step]:
        """A call whose function gets more pixels than an int counts, though its array has
        only the first row: it cannot return. One thread, so that it begins there."""
        step = replace(self.small(), width=1 << 16, height=1, at_end=True, out_at_end=True)
        yield replace(step, huge=(1 << 16, 1 << 16), threads=1)


class OnDevice(Grey):
    """Part E: the functions by how they transfer the image."""

    count = 120
    fails = 3
    vast = BEYOND_INT


class Plain(Grey):
    count = 60
    fails = 12

    def far_steps(self) -> Iterator[Step]:
        yield from self.huge_steps(1 << 30, 1 << 30)
        yield from super().far_steps()


class Pinned(Grey):
    count = 60
    fails = 14


class Streamed(Grey):
    count = 100
    fails = 40
