"""The arrays of shared memory: which element an address is, and who stores it."""

import math
from dataclasses import dataclass
from itertools import takewhile
from random import Random

import numpy as np

from grader.ask.draft import CannotTell
from grader.ask.program import AskedPart
from grader.ask.source import Shared
from grader.execute.accesses import WarpAccess


@dataclass(frozen=True)
class Element:
    """An element that one thread of a block stores once."""

    array: Shared
    at: tuple[int, ...]
    access: WarpAccess
    lane: int

    def name(self) -> str:
        return self.array.name + "".join(f"[{i}]" for i in self.at)


def array_of(program: AskedPart, access: WarpAccess) -> Shared:
    """The array that an access of shared memory is in, as the text declares it. Raises
    CannotTell."""
    arrays = program.text.shared_in(access.line, strict=False) or program.text.shared(strict=False)
    found = [a for a in arrays if (a.name, a.bytes()) == (access.array, access.bytes)]
    if len(found) != 1:
        raise CannotTell("which array it is")
    return found[0]


def draw_element(program: AskedPart, draw: Random, inside: bool) -> Element:
    """An element of a tile that one thread stores, once. inside: at least one pixel away from the
    border of the image, as the load shows from which it comes. Raises CannotTell."""
    trace = program.trace
    if not trace.stores or trace.stores[0].width != trace.dtype.itemsize:
        raise CannotTell("the output is not stored one by one")
    launch = trace.stores[0].launch
    stores = [a for a in trace.warps if a.launch == launch and a.space == "shared" and a.store]
    if not stores or any(a.width != trace.dtype.itemsize for a in stores):
        raise CannotTell("no stores of single elements to shared memory")
    name = draw.choice(sorted({a.array for a in stores}))
    stores = [a for a in stores if a.array == name]
    if len({a.line for a in stores}) != 1:
        raise CannotTell("several lines store to the array")
    array = array_of(program, stores[0])
    block = draw.choice(sorted({a.block for a in trace.stores} & {a.block for a in stores}))
    by_offset: dict[int, list[tuple[WarpAccess, int]]] = {}
    for access in (a for a in stores if a.block == block):
        for lane, offset in access.lanes.items():
            by_offset.setdefault(offset, []).append((access, lane))
    alone = [offset for offset, found in by_offset.items() if len(found) == 1]
    draw.shuffle(alone)
    for offset in alone:
        access, lane = by_offset[offset][0]
        number = (offset - access.start) // array.element
        if not 0 <= number < math.prod(array.sizes):
            raise CannotTell("the address is not in the array")
        at = tuple(int(i) for i in np.unravel_index(number, array.sizes))
        element = Element(array, at, access, lane)
        if not inside or _is_inside(program, element):
            return element
    raise CannotTell("no element that one thread stores once")


def source_pixel(program: AskedPart, element: Element) -> int | None:
    """The number of the image's element that the thread loaded last before it stored this one in
    the tile; None where it loaded none, or from another array."""
    own = element.access
    before = takewhile(lambda a: a is not own, program.trace.warps)
    mine = [a for a in before if (a.launch, a.block, a.warp) == (own.launch, own.block, own.warp)]
    for access in reversed(mine):
        if access.space == "shared" and access.store:
            return None
        if access.space == "global" and not access.store and element.lane in access.lanes:
            image = program.inputs(program.case()).image
            of_image = access.bytes == image.nbytes  # not of a padded copy
            return access.lanes[element.lane] // image.itemsize if of_image else None
    return None


def read_back(program: AskedPart, element: Element, values: dict[int, str]) -> int:
    """The number in the element, from a run of a program that stores it in the output instead of a
    result, and other values in other lines. Raises CannotTell."""
    writers = program.trace.writers.items()
    ours = element.access.block
    out, line = next((n, w[0][0].line) for n, w in writers if len(w) == 1 and w[0][0].block == ours)
    changed = program.changed(program.text.with_values(values | {line: element.name()}))
    return program.whole(changed, out)


def _is_inside(program: AskedPart, element: Element) -> bool:
    pixel = source_pixel(program, element)
    width, height = program.trace.size
    x, y = (-1, -1) if pixel is None else (pixel % width, pixel // width % height)
    return 0 < x < width - 1 and 0 < y < height - 1
