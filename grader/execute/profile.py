"""The counters of a profiled run, per launch and per source line: convlabs-profile/v1."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from grader.execute import addr2line, records
from grader.execute.addr2line import Location
from grader.model.counters import OF_LAUNCH, Counters, add
from grader.model.finding import Finding

WARPS_PER_MULTIPROCESSOR = 64
BLOCKS_PER_MULTIPROCESSOR = 32
SHARED_PER_MULTIPROCESSOR = 228 * 1024  # bytes
SHARED_RESERVED = 1024  # bytes, by the system for each block
SECTOR, WORD = 32, 4  # bytes

# What a run of hours counts is below 2^40, and sums of many such numbers have 64 bits.
MOST = 1 << 40
MOST_DIGITS = 1 << 16  # of a kernel's arguments, which have up to 32,764 bytes
Count = Annotated[int, msgspec.Meta(ge=0, lt=MOST)]
Address = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
Positive = Annotated[int, msgspec.Meta(ge=1, lt=MOST)]


class Site(msgspec.Struct, frozen=True):
    """The counters of one memory access in the program, as the simulator writes them."""

    pc: Address
    space: Literal["global", "shared", "constant", "texture", "unknown"]
    store: bool
    width: Count
    requests: Count
    lanes: Count
    sectors: Count
    fresh: Count  # sectors that no access had touched before in this launch
    wavefronts: Count
    ideal: Count
    words: Count
    again: Count = 0  # bytes that this launch had stored before
    atomic: bool = False
    # The rest is written for a prediction only (CONVLABS_SIM_PREDICT).
    l1_wavefronts: Count = 0
    block_sectors: Count = 0  # that the block had not accessed before
    first: Address = msgspec.field(default=0, name="from")
    end: Address = msgspec.field(default=0, name="to")


class Launch(msgspec.Struct, frozen=True):
    """One line of the file that CONVLABS_SIM_PROFILE names. Its numbers are bounded, because a
    student's program could write there, too."""

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
    # Blocks that stored nothing to global memory, threads that did, and the grid without idle
    # blocks at its ends. Threads of a block that accessed no memory in any block, and the first.
    idle_blocks: Count = 0
    storing_threads: Count = 0
    covers: tuple[Count, Count, Count] = (0, 0, 0)
    idle_threads: Count = 0
    first_idle: Count = 0
    receiving_threads: Count = 0
    exchanges: Count = 0
    # Bytes of the results (the output, and what one pass leaves there for the next): all that it
    # stored; those that it was the last to store, and from which launch it took how many of them.
    result_bytes: Count = 0
    result_owned: Count = 0
    result_taken: list[tuple[Count, Count]] = []
    # Only for a prediction: how far blocks differ in what they do (their standard deviation, and
    # the longest one, over the mean), and how often warps pass each call of the simulator, by its
    # return address. shares_memory: with the host, managed or page-locked.
    unevenness: Annotated[float, msgspec.Meta(ge=0, lt=MOST)] = 0.0
    longest: Annotated[float, msgspec.Meta(ge=1, lt=MOST)] = 1.0
    shares_memory: bool = False
    # The kernel's address in the program, 0 if it is not known, and its arguments in hexadecimal.
    function: Address = 0
    arguments: Annotated[str, msgspec.Meta(max_length=MOST_DIGITS, pattern="^([0-9a-f]{2})*$")] = ""
    passes: list[tuple[Address, Count]] = []


class LineCounters(msgspec.Struct, frozen=True):
    """The counters of one line of the program."""

    file: str
    line: int
    counters: Counters


class Kernel(msgspec.Struct, frozen=True):
    """One launch. `occupancy_bound`: the largest share of a multiprocessor's warps that it can
    keep busy; the real share may be smaller, because registers are not known here.
    `counted_blocks` of its `blocks` were counted; counters of a part are scaled to all blocks.
    covers: the grid without the idle blocks at its ends. file, line: of the launch. idle_threads:
    of a block, those that access no memory in any block; first_idle: the first of them.
    result_bytes: those of the results that it stored, and result_remains: that no later launch has
    stored again. A graded function alone has results."""

    launch: int
    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    blocks: int
    counted_blocks: int
    complete: bool
    counters: Counters
    occupancy_bound: float
    lines: list[LineCounters]
    covers: tuple[int, int, int] = (0, 0, 0)
    file: str = ""
    line: int = 0
    idle_threads: int = 0
    first_idle: int = 0
    result_bytes: int = 0
    result_remains: int = 0


class ToldFinding(Finding, frozen=True, omit_defaults=False):
    """A finding as the profile has it: with its sentence."""

    message: str = ""


def told(finding: Finding) -> ToldFinding:
    return ToldFinding(**msgspec.structs.asdict(finding), message=finding.message)


class Profile(msgspec.Struct, frozen=True):
    """The profile of a whole run."""

    kernels: list[Kernel]
    findings: list[ToldFinding] = []
    schema: Literal["convlabs-profile/v1"] = "convlabs-profile/v1"


def read_launches(raw: bytes, strict: bool = True) -> list[Launch]:
    """The launches in a profile that the simulator wrote, in their order.

    An incomplete line at the end, which a killed program leaves, is skipped. Any other line that is
    no launch raises msgspec.DecodeError or, when not `strict`, is skipped, too.
    """
    launches = []
    for line in raw.splitlines(keepends=True):
        try:
            launches.append(records.decode(line, Launch))
        except msgspec.DecodeError:
            if strict and line.endswith(b"\n"):
                raise
    return launches


def profile(binary: Path, launches: list[Launch], findings: list[Finding]) -> Profile:
    """The counters per launch and source line of the program `binary`."""
    # The simulator records where its call returns to: the byte before belongs to the access.
    before = {site.pc - 1 for launch in launches for site in launch.sites}
    locations = {pc + 1: where for pc, where in addr2line.locations(binary, before).items()}
    taken: Counter[int] = Counter()
    for launch in launches:
        taken.update(dict(launch.result_taken))
    return Profile(
        [_kernel(one, locations, one.result_owned - taken[one.launch]) for one in launches],
        [told(finding) for finding in findings],
    )


def _kernel(launch: Launch, locations: dict[int, Location], remains: int) -> Kernel:
    def zero() -> Counters:
        return Counters(dram_bytes=0 if launch.counted == launch.blocks else None)

    total = zero()
    by_line: dict[Location, Counters] = {}
    for site in launch.sites:
        counted = of_site(site)
        for counters in (total, by_line.setdefault(locations[site.pc], zero())):
            add(counters, counted)
    for name in OF_LAUNCH:
        setattr(total, name, getattr(launch, name))
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
        lines=[LineCounters(file, line, by_line[file, line]) for file, line in sorted(by_line)],
        covers=launch.covers,
        file=addr2line.shortened(launch.file),
        line=launch.line,
        idle_threads=launch.idle_threads,
        first_idle=launch.first_idle,
        result_bytes=launch.result_bytes,
        result_remains=remains,
    )


def of_site(site: Site) -> dict[str, int]:
    """The counters of one access, by the names that a grade uses."""
    counted: dict[str, int]
    way = "store" if site.store else "load"
    if site.space == "unknown":
        counted = _all_that_it_can_cost(site)
    elif site.atomic and site.space != "global":
        counted = {"shared_atomic_lanes": site.lanes} if site.space == "shared" else {}
    elif site.atomic:
        counted = {
            "atomic_requests": site.requests,
            "atomic_lanes": site.lanes,
            "atomic_sectors": site.sectors,
            "atomic_bytes": site.lanes * site.width,
        }
    elif site.space == "constant":
        counted = {
            "constant_requests": site.requests,
            "constant_words": site.words,
            "constant_bytes": site.lanes * site.width,
        }
    elif site.space == "global":
        counted = {
            f"global_{way}_requests": site.requests,
            f"global_{way}_lanes": site.lanes,
            f"global_{way}_sectors": site.sectors,
            f"global_{way}_bytes": site.lanes * site.width,
            "dram_bytes": SECTOR * site.fresh,
            "global_bytes_stored_again": site.again,
            "loaded_places": 0 if site.store else site.ideal,
        }
    elif site.space == "texture":
        kind = "surface_store" if site.store else "texture"
        counted = {
            f"{kind}_requests": site.requests,
            f"{kind}_lanes": site.lanes,
            f"{kind}_sectors": site.sectors,
            f"{kind}_bytes": site.lanes * site.width,
            "dram_bytes": SECTOR * site.fresh,
            "global_bytes_stored_again": site.again,
            "loaded_places": 0 if site.store else site.ideal,
        }
    else:
        counted = {
            **({} if site.store else {"shared_load_words": site.lanes * site.width // WORD}),
            f"shared_{way}_requests": site.requests,
            f"shared_{way}_wavefronts": site.wavefronts,
            f"shared_{way}_conflicts": site.wavefronts - site.ideal,
        }
    return counted


def _all_that_it_can_cost(site: Site) -> dict[str, int]:
    """The counters of accesses of memory that the device does not have: a limit on any memory must
    hold with them."""
    ways = ("load", "store") if site.atomic else ("store",) if site.store else ("load",)
    counted = {"unknown_lanes": site.lanes, "dram_bytes": SECTOR * site.lanes}
    for way in ways:
        counted |= {
            f"global_{way}_requests": site.lanes,
            f"global_{way}_lanes": site.lanes,
            f"global_{way}_sectors": site.lanes,
            f"global_{way}_bytes": site.lanes * site.width,
            f"shared_{way}_requests": site.lanes,
            f"shared_{way}_wavefronts": site.lanes,
            f"shared_{way}_conflicts": site.lanes,
            **({} if way == "store" else {"shared_load_words": site.lanes * site.width // WORD}),
        }
    return counted


def _occupancy(launch: Launch) -> float:
    x, y, z = launch.block
    warps = -(-x * y * z // 32)
    blocks = min(
        BLOCKS_PER_MULTIPROCESSOR,
        WARPS_PER_MULTIPROCESSOR // warps,
        SHARED_PER_MULTIPROCESSOR // (launch.shared + SHARED_RESERVED),
    )
    return blocks * warps / WARPS_PER_MULTIPROCESSOR
