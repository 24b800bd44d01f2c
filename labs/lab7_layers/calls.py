"""The calls that lab 7's contracts draw: layers of many channels, in float and double."""

from collections.abc import Iterator
from dataclasses import replace

from grader.contract.generator import Generator
from grader.contract.step import Step

LONGEST_SIDE = 65_535
MANY = 1_100  # channels or masks
MASKS_OF_MANY_CHANNELS = 17


class Depthwise(Generator):
    """Part A."""

    mask = "depthwise"
    radius = (1, 1)
    channels = (1, 9)
    borders = ()
    types = ("f8", "f4")
    fails = 4
    vast = (1056, 160)
    many = 13_000  # channels of vast_step(), and masks where they are as many

    def large(self, width: int, height: int) -> Step:
        return super().large(min(width, LONGEST_SIDE), min(height, LONGEST_SIDE))

    def vast_step(self) -> Step | None:
        step = super().vast_step()
        masks = self.many if self.mask == "weights" else 1
        return step and replace(step, type="f4", channels=self.many, masks=masks)

    def rare_steps(self) -> Iterator[Step]:
        yield from super().rare_steps()
        if self.is_public:  # they take seconds, and a seed changes nothing in them but the values
            yield from self.deep_steps()

    def deep_steps(self) -> Iterator[Step]:
        """Very many channels; with two tiles each, more than a grid has blocks in y or z. The image
        is one column of more pixels than the tiles of most programs are high."""
        yield replace(self.small(), type="f8", width=1, height=33, channels=33_000)


class Pointwise(Depthwise):
    """Part B."""

    mask = "weights"
    radius = (0, 0)
    vast = (21_120, 20_480)
    many = 5
    channels = masks = (1, 40)

    def deep_steps(self) -> Iterator[Step]:
        """Many channels and many masks."""
        for kind in self.types:
            step = replace(self.small(), type=kind, width=1, height=2)
            yield replace(step, channels=MANY, masks=MASKS_OF_MANY_CHANNELS)
            yield replace(step, channels=2, masks=MANY)


class Convolution(Pointwise):
    """Part C."""

    radius = (1, 1)
    channels = (1, 14)
    masks = (1, 36)  # two groups of 16 masks and a rest, or one of 32 and a rest
