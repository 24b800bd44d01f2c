"""The lines of JSON that a traced program writes where CONVLABS_SIM_STEPS asks for them:
labs/sim/src/trace/steps.h says for what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from grader.execute.records import readable

LANES, SECTOR = 32, 32

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
Width = Annotated[int, msgspec.Meta(ge=1, le=16)]
Cost = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
Mask = Annotated[int, msgspec.Meta(ge=0, lt=1 << LANES)]
Index = tuple[Count, Count, Count]
Way = Literal["load", "store", "atomic", "fault"]
Space = Literal["global", "shared", "constant", "texture", "unknown", ""]


class Block(msgspec.Struct, tag="block", array_like=True, frozen=True):
    """What follows is of this block. threads: of a block."""

    launch: Count
    kernel: str
    grid: Index
    threads: Index
    index: Index


class Object(msgspec.Struct, tag="object", array_like=True):
    """What addresses of the launch belong to: an array, a variable. base: its address modulo 4096;
    of shared memory, its place in that of the block: its sectors and banks depend on it. file,
    line: where it is allocated. holds: what a recording says that its bytes look like."""

    number: Count
    space: Space
    bytes: Count
    base: Count
    name: str
    file: str
    line: int
    holds: Literal["f4", "f8", "u1", "i4"] = "i4"


class Construct(msgspec.Struct, tag="construct", array_like=True, frozen=True):
    """A mark of a construct of the source, such as a loop: the call that returns to pc."""

    number: Count
    pc: Count


class Access(msgspec.Struct, tag="access", array_like=True, frozen=True):
    """One instruction of a warp that accesses memory. A fault is an access that ended its threads.

    pc: where its call returns to. lanes: those that take part, one bit each. object: an index of
    `objects`, of the first lane's address. offsets: those of the lanes from its beginning, in
    stretches: the first one, the distance to the next lane's, how many lanes. values: the bytes of
    the lanes in hexadecimal; of one lane where all have the same; "" where they are not known.
    apart: why other lanes take no part, in pairs: the number of a construct (-1: they have left the
    kernel, or wait; 0: not known), and those lanes. costs: sectors, of these new in the launch,
    bytes stored again, wavefronts, wavefronts without conflicts, words of constant memory."""

    warp: Count
    pc: Count
    way: Way
    space: Space
    width: Width
    lanes: Mask
    object: Count
    offsets: list[int]
    values: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})*$")]
    apart: list[int]
    costs: Annotated[list[Cost], msgspec.Meta(min_length=6, max_length=6)]

    def addresses(self) -> dict[int, int]:
        """The offset of each lane that takes part."""
        o = self.offsets
        found = (o[i] + k * o[i + 1] for i in range(0, len(o) - 2, 3) for k in range(o[i + 2]))
        return dict(zip(lanes_of(self.lanes), found, strict=False))

    def loaded_or_stored(self) -> dict[int, bytes]:
        """The bytes of each lane; none where they are not known."""
        data, width = bytes.fromhex(self.values), self.width
        one = len(data) == width
        return {
            lane: data if one else data[i * width : (i + 1) * width]
            for i, lane in enumerate(lanes_of(self.lanes) if data else [])
        }

    def excess(self) -> int:
        """What a load or store costs beyond what so many different bytes need."""
        sectors, _, _, wavefronts, ideal, words = self.costs
        needed = -(-len(set(self.addresses().values())) * self.width // SECTOR)
        if self.way not in ("load", "store"):
            return 0
        return max(wavefronts - ideal, words - 1, sectors - needed - 1)  # it may begin in a sector

    def cost(self) -> int:
        """Sectors of global memory, wavefronts in shared memory, words of constant memory."""
        sectors, _, _, wavefronts, _, words = self.costs
        return {"shared": wavefronts, "constant": words}.get(self.space, sectors)


class Barrier(msgspec.Struct, tag="barrier", array_like=True):
    """The threads that wait at one call of a barrier when it opens: of each warp, one bit each."""

    file: str
    line: int
    lanes: list[Mask]


class Operation(msgspec.Struct, tag="warp", array_like=True):
    """A function of a warp, such as a shuffle. sources: the lane that each lane reads from; inputs
    and results: bits in hexadecimal. Each is empty where the function has none."""

    warp: Count
    file: str
    line: int
    name: str
    lanes: Mask
    sources: list[int]
    inputs: list[str]
    results: list[str]


class Stored(msgspec.Struct, tag="stored", array_like=True, frozen=True):
    """The last thread of a launch that stored to the place that was asked for."""

    launch: Count
    block: Index
    thread: Count


class LeftOut(msgspec.Struct, tag="left_out", array_like=True, frozen=True):
    """So many lines did not fit."""

    count: Count


StepRecord = Block | Object | Construct | Access | Barrier | Operation | Stored | LeftOut


def lines(raw: bytes) -> Iterator[StepRecord]:
    """A line that is none, which a user's own program may write to the file, is skipped."""
    for text in raw.splitlines():
        if (line := readable(text, StepRecord)) is not None:  # type: ignore[arg-type]
            yield line


def lanes_of(mask: int) -> list[int]:
    return [lane for lane in range(LANES) if mask >> lane & 1]
