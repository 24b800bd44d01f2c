"""For each memory access of a profiled program, the most expensive warp instruction."""

from pathlib import Path

import msgspec

from grader.execute import addr2line, step_lines
from grader.execute.step_lines import LANES, Space

__all__ = ["BANKS", "LANES", "SECTOR", "WORD", "Warp", "read_warps"]

SECTOR = 32  # bytes
BANKS = 32
WORD = 4  # bytes
LINE = 128  # bytes: of the cache


class Warp(msgspec.Struct, frozen=True):
    """A warp instruction with its source line. `lanes`: for each active lane the first byte that it
    accesses, counted from a multiple of 128 bytes; `cost`: sectors in global memory, wavefronts in
    shared memory, words in constant memory."""

    launch: int
    file: str
    line: int
    space: Space
    store: bool
    width: int
    cost: int
    block: tuple[int, int, int]
    lanes: dict[int, int]

    def ideal(self) -> int:
        """The smallest cost that an instruction for so many different bytes can have."""
        size = len(set(self.lanes.values())) * self.width
        if self.space in ("global", "texture"):
            return max(1, -(-size // SECTOR))
        return max(1, -(-size // (BANKS * WORD))) if self.space == "shared" else 1

    def units(self, size: int) -> dict[int, list[int]]:
        """The units of `size` bytes that each lane accesses, by their numbers."""
        return {
            lane: list(range(first // size, (first + self.width - 1) // size + 1))
            for lane, first in self.lanes.items()
        }


def read_warps(binary: Path, raw: bytes) -> list[Warp]:
    """The instructions that the simulator wrote for the program `binary`. A line that is none is
    skipped."""
    found: list[tuple[step_lines.Block, step_lines.Access]] = []
    block: step_lines.Block | None = None
    for line in step_lines.lines(raw):
        if isinstance(line, step_lines.Block):
            block = line
        elif isinstance(line, step_lines.Access) and block and line.addresses():
            found.append((block, line))
    # The simulator records where its call returns to: the byte before belongs to the access.
    locations = addr2line.locations(binary, {access.pc - 1 for _, access in found})
    return [_warp(block, access, locations[access.pc - 1]) for block, access in found]


def _warp(block: step_lines.Block, access: step_lines.Access, location: addr2line.Location) -> Warp:
    offsets = access.addresses()
    first = min(offsets.values()) // LINE * LINE
    return Warp(
        launch=block.launch,
        file=location[0],
        line=location[1],
        space=access.space,
        store=access.way != "load",
        width=access.width,
        cost=max(access.costs),
        block=block.index,
        lanes={lane: at - first for lane, at in offsets.items()},
    )
