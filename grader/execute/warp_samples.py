"""For each memory access of a profiled program, the most expensive warp instruction."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from grader.execute import addr2line
from grader.execute.records import readable

LANES = 32
SECTOR = 32  # bytes
BANKS = 32
WORD = 4  # bytes

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
Space = Literal["global", "shared", "constant", "texture"]


class Record(msgspec.Struct, frozen=True):
    """One line of the file that CONVLABS_SIM_WARPS names. Its numbers are bounded, because a
    student's program could write there, too."""

    launch: Count
    pc: Count
    space: Space
    store: bool
    width: Annotated[int, msgspec.Meta(ge=1, le=16)]
    cost: Count
    block: tuple[Count, Count, Count]
    active: Annotated[int, msgspec.Meta(ge=1, lt=1 << LANES)]
    offsets: list[Count]


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
    lines = (readable(line, Record) for line in raw.splitlines())
    records = [r for r in lines if r and r.active.bit_count() == len(r.offsets)]
    # The simulator records where its call returns to: the byte before belongs to the access.
    locations = addr2line.locations(binary, {r.pc - 1 for r in records})
    return [_warp(r, locations[r.pc - 1]) for r in records]


def _warp(record: Record, location: addr2line.Location) -> Warp:
    active = [lane for lane in range(LANES) if record.active >> lane & 1]
    return Warp(
        launch=record.launch,
        file=location[0],
        line=location[1],
        space=record.space,
        store=record.store,
        width=record.width,
        cost=record.cost,
        block=record.block,
        lanes=dict(zip(active, record.offsets, strict=False)),
    )
