"""Every memory access of a traced run, in its order: of warps on the simulator, of threads in C."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from grader.execute import addr2line, step_lines
from grader.execute.records import readable
from grader.execute.step_lines import LANES, Count, Space

__all__ = ["BANKS", "LANES", "SECTOR", "WORD", "ThreadAccess", "WarpAccess"]

SECTOR, BANKS, WORD = 32, 32, 4  # bytes; how many; bytes


class WarpAccess(msgspec.Struct, frozen=True):
    """One memory instruction of a warp. lanes: of each active lane the first byte, counted from
    the beginning of the array; of shared memory, from that of the block's, where the array begins
    at `start`. bytes: the array's size, 0 where it is unknown; then the lanes' bytes are counted
    from the beginning of a cache line. cost: sectors of global memory, wavefronts in shared
    memory, words of constant memory."""

    launch: int
    pc: int
    file: str
    line: int
    space: Space
    store: bool
    width: int
    block: tuple[int, int, int]
    warp: int
    bytes: int
    start: int
    array: str
    lanes: dict[int, int]
    cost: int = 0

    def ideal(self) -> int:
        """The smallest cost that an instruction for so many different bytes can have."""
        size = len(set(self.lanes.values())) * self.width
        if self.space in ("global", "texture"):
            return max(1, -(-size // SECTOR))
        return max(1, -(-size // (BANKS * WORD))) if self.space == "shared" else 1

    def units(self, size: int) -> set[int]:
        """The units of `size` bytes that the lanes access, by their numbers."""
        return {
            unit
            for first in self.lanes.values()
            for unit in range(first // size, (first + self.width - 1) // size + 1)
        }


class ThreadAccess(msgspec.Struct, frozen=True):
    """One access of a thread of a function in C, as labs/runtime/openmp_race/race_detector.c writes
    it. at: the address. file, line: what its pc belongs to."""

    pc: Count
    thread: Count
    store: bool
    width: Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]
    at: Count
    file: str = ""
    line: int = 0


def of_warps(binary: Path, raw: bytes) -> list[WarpAccess]:
    """The loads and stores that the simulator wrote for the program `binary`; a line that is none
    is skipped."""
    found = [*_loads_and_stores(raw)]
    # The simulator records where its call returns to: the byte before belongs to the access.
    locations = addr2line.locations(binary, {one.access.pc - 1 for one in found})
    return [_of_warp(one, *locations[one.access.pc - 1]) for one in found]


class _Found(NamedTuple):
    """known: the object, which for constants and textures does not matter. at: of each lane."""

    block: step_lines.Block
    known: step_lines.Object | None
    access: step_lines.Access
    at: dict[int, int]


def _loads_and_stores(raw: bytes) -> Iterator[_Found]:
    block: step_lines.Block | None = None
    objects: dict[int, step_lines.Object] = {}
    for line in step_lines.lines(raw):
        match line:
            case step_lines.Block():
                if block is None or line.launch != block.launch:
                    objects.clear()
                block = line
            case step_lines.Object():
                objects[line.number] = line
            case step_lines.Access(way="load" | "store") if block is not None:
                known = objects.get(line.object) if line.space in ("global", "shared") else None
                at = line.addresses()
                if len(at) == line.lanes.bit_count() > 0 and min(at.values()) >= 0:
                    yield _Found(block, known, line, at)


def _of_warp(found: _Found, file: str, line: int) -> WarpAccess:
    block, known, access, at = found
    start = known.base if known and access.space == "shared" else 0
    return WarpAccess(
        block.launch,
        access.pc,
        file,
        line,
        access.space,
        access.way == "store",
        access.width,
        block.index,
        access.warp,
        known.bytes if known else 0,
        start,
        known.name if known else "",
        {lane: start + offset for lane, offset in at.items()} if start else at,
        access.cost(),
    )


def of_threads(binary: Path, raw: bytes) -> list[ThreadAccess]:
    """Likewise of a function in C under the check for OpenMP races."""
    found = [r for line in raw.splitlines() if (r := readable(line, ThreadAccess))]
    at = addr2line.locations(binary, {r.pc for r in found})
    return [ThreadAccess(r.pc, r.thread, r.store, r.width, r.at, *at[r.pc]) for r in found]
