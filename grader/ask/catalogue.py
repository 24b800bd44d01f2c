"""All kinds of questions, by their names."""

from random import Random
from types import ModuleType
from typing import Protocol, cast

from grader.ask.draft import Draft
from grader.ask.kinds import (
    banks,
    barrier,
    blocks,
    border,
    constant,
    constant_index,
    error_path,
    grey,
    idle,
    lanes,
    last_bit,
    occupancy,
    pitch,
    requests,
    sectors,
    shared_bytes,
    shift,
    smaller_block,
    stride,
    taps,
    team,
    tile_pixel,
    tile_writer,
    writer,
)  # fmt: skip
from grader.ask.program import Program


class Kind(Protocol):
    """A module of kinds/."""

    ABOUT: str
    REBUILDS: bool

    def ask(self, program: Program, draw: Random) -> Draft:
        """A draft. Raises CannotTell where this kind does not fit the program."""


_MODULES: tuple[ModuleType, ...] = (
    banks, barrier, blocks, border, constant, constant_index, error_path, grey, idle, lanes,
    last_bit, occupancy, pitch, requests, sectors, shared_bytes, shift, smaller_block, stride, taps,
    team, tile_pixel, tile_writer, writer,
)  # fmt: skip
KINDS: dict[str, Kind] = {m.__name__.rpartition(".")[2]: cast(Kind, m) for m in _MODULES}
