"""The calls that lab 5's contracts draw: masks that are a column times a row, or nearly."""

from collections.abc import Iterator
from dataclasses import replace

from grader.contract import arrays
from grader.contract.generator import Generator
from grader.contract.step import Step


class Rows(Generator):
    """Part A."""

    mask = "row"
    kept = True
    fails = 12
    refused = (-1, 9, 2**31 - 1, -(2**31))


class Fused(Rows):
    """Part C."""

    mask = "lines"


class Separable(Rows):
    """Part B: masks that are not separable must be refused, too."""

    mask = "outer"
    coefficients = arrays.OUTER_MASKS
    kept = False

    def any_mask(self) -> str:
        return self.one_of(("outer", "column"))

    def refused_steps(self) -> Iterator[Step]:
        yield from super().refused_steps()
        for _ in range(12):
            step = self.small()
            yield replace(step, mask="outer", radius=max(step.radius, 1), inseparable=True)

    def rare_steps(self) -> Iterator[Step]:
        """Also masks on both sides of the tolerance."""
        yield from super().rare_steps()
        self.small()  # for nothing, so that a seed draws what it always drew
        for content in 6 * arrays.CLOSE_MASKS:
            step = self.small()
            step = replace(step, mask="outer", mask_content=content, radius=max(step.radius, 1))
            yield replace(step, inseparable=content != arrays.NEARLY)
