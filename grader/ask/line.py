"""A launch over the elements of a line: how many of them a block takes."""

import math
from dataclasses import dataclass
from random import Random

from grader.ask.draft import CannotTell
from grader.ask.program import AskedPart
from grader.execute.accesses import WarpAccess
from grader.execute.profile import Launch
from grader.model import part_call

TIMES = (1, 2, 4, 8, 16)  # elements of a thread


@dataclass(frozen=True)
class Line:
    """per: the elements of a block."""

    launch: Launch
    axis: str
    elements: int
    per: int

    def blocks(self, n: int) -> int:
        return math.ceil(n / self.per)

    def elements_of(self, program: AskedPart, size: tuple[int, int]) -> int:
        return program.sized(size).sizes[self.axis]


def line_of(program: AskedPart, draw: Random) -> Line:
    """Raises CannotTell where the part computes an image or a table, or where no launch has blocks
    in proportion to the elements."""
    axes = part_call.axes(program.operation.spec)
    if program.operation.is_image() or len(axes) != 1 or program.in_c:
        raise CannotTell("the part does not go along a line of elements")
    n = program.case().sizes[axes[0]]
    found = []
    for launch in program.trace.launches:
        fits = (launch.block[0] * t for t in TIMES)
        per = next((p for p in fits if math.ceil(n / p) == launch.grid[0]), 0)
        if per and math.prod(launch.grid) == launch.grid[0] > 1 and launch.line:
            found.append(Line(launch, axes[0], n, per))
    if not found:
        raise CannotTell("no launch has blocks in proportion to the elements")
    return draw.choice(found)


def loads_of_input(program: AskedPart) -> list[WarpAccess]:
    """The loads of the first input, all at one line of one launch. Raises CannotTell where they are
    not, or where the part computes an image."""
    if program.operation.is_image() or program.in_c:
        raise CannotTell("the part does not go along a line of elements")
    first = f"d_{next(iter(program.operation.spec.inputs))}"
    loads = [a for a in program.trace.warps if a.array == first and not a.store]
    if len({(a.launch, a.line) for a in loads}) != 1:
        raise CannotTell("the input is not read at one line")
    return loads
