"""One warp instruction of each access in a traced program: the costliest that the simulator saw."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from grader.execute import addr2line

LANES = 32
SECTOR = 32  # bytes
BANKS = 32
WORD = 4  # bytes

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
Space = Literal["global", "shared", "constant"]


class Kept(msgspec.Struct, frozen=True):
    """One line of the file that CONVLABS_SIM_WARPS names. A student's program could write there,
    too: hence the bounds."""

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
    """An instruction with its line. `lanes`: the first byte that each active lane touches, counted
    from a multiple of 128 bytes; `cost`: sectors, wavefronts or, in constant memory, words."""

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
        """The least that an instruction of so many lanes and bytes can cost."""
        asked = len(set(self.lanes.values())) * self.width
        if self.space == "global":
            return max(1, -(-asked // SECTOR))
        return max(1, -(-asked // (BANKS * WORD))) if self.space == "shared" else 1

    def units(self, size: int) -> dict[int, list[int]]:
        """Which units of `size` bytes each lane touches."""
        return {
            lane: list(range(at // size, (at + self.width - 1) // size + 1))
            for lane, at in self.lanes.items()
        }


def read(binary: Path, raw: bytes) -> list[Warp]:
    """The instructions in what the simulator wrote. A line that is none is passed over."""
    kept: list[Kept] = []
    for line in raw.splitlines():
        with suppress(msgspec.DecodeError):
            kept.append(msgspec.json.decode(line, type=Kept))
    kept = [k for k in kept if k.active.bit_count() == len(k.offsets)]
    # A counter is where a call returns to: the byte before belongs to the access.
    places = addr2line.places(binary, {k.pc - 1 for k in kept})
    return [_warp(k, places[k.pc - 1]) for k in kept]


def _warp(kept: Kept, place: addr2line.Place) -> Warp:
    active = [lane for lane in range(LANES) if kept.active >> lane & 1]
    return Warp(
        launch=kept.launch,
        file=place[0],
        line=place[1],
        space=kept.space,
        store=kept.store,
        width=kept.width,
        cost=kept.cost,
        block=kept.block,
        lanes=dict(zip(active, kept.offsets, strict=False)),
    )
