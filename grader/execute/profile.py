"""Counters of a traced run, per launch and per source line: convlabs-profile/v1."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from grader.execute import addr2line as lines
from grader.model.counters import Counters, accumulate
from grader.model.finding import Finding

WARPS_OF_MULTIPROCESSOR = 64
BLOCKS_OF_MULTIPROCESSOR = 32
SHARED_OF_MULTIPROCESSOR = 228 * 1024
SECTOR = 32  # bytes
SHARED_RESERVED = 1024  # of each block's, by the system


Count = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class Site(msgspec.Struct, frozen=True):
    """One access in the program, as the simulator counted it."""

    pc: Count
    space: Literal["global", "shared", "constant"]
    store: bool
    width: Count
    requests: Count
    lanes: Count
    sectors: Count
    fresh: Count  # sectors that nothing had touched before in this launch
    wavefronts: Count
    ideal: Count
    words: Count


class Launch(msgspec.Struct, frozen=True):
    """One line of the file that CONVLABS_SIM_PROFILE names. A student's program could write there,
    too: hence the bounds."""

    launch: Count
    name: str
    file: str
    line: Count
    grid: tuple[Positive, Positive, Positive]
    block: tuple[Positive, Positive, Positive]
    shared: Count
    blocks: Count
    counted: Count
    complete: bool
    sites: list[Site]


class Line(msgspec.Struct, frozen=True):
    """The counters of one line of the program."""

    file: str
    line: int
    counters: Counters


class Kernel(msgspec.Struct, frozen=True):
    """One launch. `occupancy_bound`: of the warps that a multiprocessor could hold, at most this
    part; registers are not known here, so it is an upper bound. `counted_blocks` of its `blocks`
    were counted; where that is not all, the counters are scaled to all."""

    launch: int
    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    blocks: int
    counted_blocks: int
    complete: bool
    counters: Counters
    occupancy_bound: float
    lines: list[Line]


class Profile(msgspec.Struct, frozen=True):
    """A whole run."""

    kernels: list[Kernel]
    findings: list[Finding] = []
    schema: Literal["convlabs-profile/v1"] = "convlabs-profile/v1"


def read(raw: bytes, strict: bool = True) -> list[Launch]:
    """The launches in a simulator's profile, in their order. Half a line at the end, which a
    program that was killed leaves, is passed over. Any other that is no launch raises
    msgspec.DecodeError or, if not `strict`, is passed over, too."""
    launches = []
    for line in raw.splitlines(keepends=True):
        try:
            launches.append(msgspec.json.decode(line, type=Launch))
        except msgspec.DecodeError:
            if strict and line.endswith(b"\n"):
                raise
    return launches


def profile(binary: Path, launches: list[Launch], findings: list[Finding]) -> Profile:
    """Counters per launch and line. Needs addr2line, which comes with the compiler."""
    # A counter is where a call returns to: the byte before belongs to the access.
    found = lines.places(binary, {s.pc - 1 for launch in launches for s in launch.sites})
    places = {pc + 1: place for pc, place in found.items()}
    return Profile([_kernel(launch, places) for launch in launches], findings)


def _kernel(launch: Launch, places: dict[int, tuple[str, int]]) -> Kernel:
    def zero() -> Counters:
        return Counters(dram_bytes=0 if launch.counted == launch.blocks else None)

    total = zero()
    by_line: dict[tuple[str, int], Counters] = {}
    for site in launch.sites:
        for counters in (total, by_line.setdefault(places[site.pc], zero())):
            accumulate(counters, _counters(site))
    return Kernel(
        launch=launch.launch,
        name=launch.name.split("<")[0].split("::")[-1].strip(),
        grid=launch.grid,
        block=launch.block,
        blocks=launch.blocks,
        counted_blocks=launch.counted,
        complete=launch.complete,
        counters=total,
        occupancy_bound=_occupancy(launch),
        lines=[Line(file, line, by_line[file, line]) for file, line in sorted(by_line)],
    )


def _counters(site: Site) -> Counters:
    """What one access site counted."""
    way = "store" if site.store else "load"
    if site.space == "constant":
        counted = {"constant_requests": site.requests, "constant_words": site.words}
    elif site.space == "global":
        counted = {
            f"global_{way}_requests": site.requests,
            f"global_{way}_lanes": site.lanes,
            f"global_{way}_sectors": site.sectors,
            "dram_bytes": SECTOR * site.fresh,
        }
    else:
        counted = {
            f"shared_{way}_requests": site.requests,
            f"shared_{way}_wavefronts": site.wavefronts,
            f"shared_{way}_conflicts": site.wavefronts - site.ideal,
        }
    return Counters(**counted)


def _occupancy(launch: Launch) -> float:
    x, y, z = launch.block
    warps = -(-x * y * z // 32)
    blocks = min(
        BLOCKS_OF_MULTIPROCESSOR,
        WARPS_OF_MULTIPROCESSOR // warps,
        SHARED_OF_MULTIPROCESSOR // (launch.shared + SHARED_RESERVED),
    )
    return blocks * warps / WARPS_OF_MULTIPROCESSOR
