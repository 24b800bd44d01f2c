"""The calls that lab 1's contracts draw: lab.h limits neither sizes nor the radius."""

from collections.abc import Iterator
from dataclasses import replace

from grader.contract.generator import Generator
from grader.contract.step import Step


class OneThread(Generator):
    """Parts A and B. far: sizes of images with very many columns or rows."""

    radius = (0, 10)
    vast = ()
    far: tuple[tuple[int, int], ...] = ((1, 66_000), (2_200_000, 1))

    def rare_steps(self) -> Iterator[Step]:
        yield from super().rare_steps()
        yield from self.large_radii(40)

    def far_steps(self) -> Iterator[Step]:
        for width, height in self.far:
            yield replace(self.small(), radius=0, width=width, height=height)
        yield from self.farthest_taps()
        yield from self.shifted_steps()
        yield from super().far_steps()


class Threads(OneThread):
    """Part C."""

    far = ((1, 66_000),)
    threads = (1, 2, 3, 7, 16, 64)

    def rare_steps(self) -> Iterator[Step]:
        yield from super().rare_steps()
        if self.is_public:  # one is enough: it takes a second
            yield self.longest_row()
