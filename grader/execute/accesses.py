"""Every memory access of a traced run, in its order: of warps on the simulator, of threads in C."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from grader.execute import addr2line
from grader.execute.records import readable

LANES = 32

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
Width = Annotated[int, msgspec.Meta(ge=1, le=16)]


class _OfWarp(msgspec.Struct, frozen=True):
    """A line that the simulator wrote: labs/sim/src/profile/access_trace.c."""

    launch: Count
    pc: Count
    space: Literal["global", "shared", "constant", "texture"]
    store: bool
    width: Width
    block: tuple[Count, Count, Count]
    warp: Count
    active: Annotated[int, msgspec.Meta(ge=1, lt=1 << LANES)]
    bytes: Count
    start: Count
    offsets: list[Count]
    step: Annotated[int, msgspec.Meta(ge=-(1 << 61), lt=1 << 61)] = 0
    array: str = ""

    def addresses(self) -> list[int]:
        """Of each active lane; where only the first is written, the others follow by steps."""
        count = self.active.bit_count()
        if len(self.offsets) == 1:
            return [self.offsets[0] + self.step * place for place in range(count)]
        return self.offsets if len(self.offsets) == count else []


class _OfThread(msgspec.Struct, frozen=True):
    """A line that labs/runtime/openmp_race/race_detector.c wrote."""

    pc: Count
    thread: Count
    store: bool
    width: Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]
    at: Count


class WarpAccess(msgspec.Struct, frozen=True):
    """One memory instruction of a warp. lanes: of each active lane the first byte, counted from
    the beginning of the array; of shared memory, from that of the block's, where the array begins
    at `start`. bytes: the array's size, 0 where it is unknown."""

    launch: int
    pc: int
    file: str
    line: int
    space: str
    store: bool
    width: int
    block: tuple[int, int, int]
    warp: int
    bytes: int
    start: int
    array: str
    lanes: dict[int, int]

    def units(self, size: int) -> set[int]:
        """The units of `size` bytes that the lanes access, by their numbers."""
        return {
            unit
            for first in self.lanes.values()
            for unit in range(first // size, (first + self.width - 1) // size + 1)
        }


class ThreadAccess(msgspec.Struct, frozen=True):
    """One access of a thread of a function in C. at: the address."""

    pc: int
    file: str
    line: int
    thread: int
    store: bool
    width: int
    at: int


def of_warps(binary: Path, raw: bytes) -> list[WarpAccess]:
    """The accesses that the simulator wrote for the program `binary`; a line that is none is
    skipped."""
    lines = (readable(line, _OfWarp) for line in raw.splitlines())
    found = [r for r in lines if r and r.addresses()]
    # The simulator records where its call returns to: the byte before belongs to the access.
    locations = addr2line.locations(binary, {r.pc - 1 for r in found})
    return [
        WarpAccess(
            r.launch,
            r.pc,
            *locations[r.pc - 1],
            r.space,
            r.store,
            r.width,
            r.block,
            r.warp,
            r.bytes,
            r.start,
            r.array,
            dict(zip(_active(r.active), r.addresses(), strict=True)),
        )
        for r in found
    ]


def of_threads(binary: Path, raw: bytes) -> list[ThreadAccess]:
    """Likewise of a function in C under the check for OpenMP races."""
    found = [r for line in raw.splitlines() if (r := readable(line, _OfThread))]
    locations = addr2line.locations(binary, {r.pc for r in found})
    return [ThreadAccess(r.pc, *locations[r.pc], r.thread, r.store, r.width, r.at) for r in found]


def _active(mask: int) -> list[int]:
    return [lane for lane in range(LANES) if mask >> lane & 1]
