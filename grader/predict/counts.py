"""What one launch asks of a GPU, from the simulator's counts and the kernel's code."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.execute import addr2line
from grader.execute.profile import SECTOR, Launch, Site
from grader.model.prediction import LineShare
from grader.predict import code

WARP = 32
REGISTERS = 32  # of a thread, where nvcc's code is not known
ATOMIC = 4  # bytes of an atomic function, mostly


def _sectors(site: Site) -> int:
    stored_or_missed = site.sectors if site.store else site.block_sectors
    return stored_or_missed if site.space == "global" else 0


# What a site adds to a term of the model.
_AMOUNTS: dict[str, Callable[[Site], int]] = {
    "shared": lambda site: site.wavefronts if site.space == "shared" else 0,
    "l1": lambda site: site.l1_wavefronts if site.space == "global" else 0,
    "l2": _sectors,
    "dram": _sectors,
    "constant": lambda site: site.words if site.space == "constant" else 0,
    "atomics": lambda site: site.lanes if site.atomic else 0,
}


@dataclass(frozen=True)
class Counts:
    """Sums over all warps of a launch. operations: by the kinds of grader/predict/code.py."""

    kernel: str
    blocks: int
    threads: int  # of a block
    shared: int  # bytes of a block
    operations: dict[str, float]
    code: int  # operations of the program that are executed at all
    unseen: float  # share of the kernel's code that no block that was run executes
    stale: bool  # it loads what blocks that were not run should have stored
    unevenness: float  # relative spread across blocks (grader/execute/profile.py); 0 where all ran
    longest: float
    constant_words: int  # of reads at an address that is computed
    constant_requests: int
    shared_wavefronts: int
    l1_wavefronts: int
    load_requests: int  # of global memory
    waits: float  # for them: grader/predict/code.py
    load_sectors: int
    l2_sectors: int  # that blocks load, each once for a block, and store
    store_wavefronts: int  # of l1_wavefronts, those of stores
    missed: float  # share of the loaded sectors that is not in the L1 cache
    read_bytes: int  # of different addresses
    written_bytes: int
    atomic_lanes: int  # of atomic functions on global memory
    atomic_addresses: int  # that they may access
    shares_memory: bool  # with the host
    sources: dict[str, LineShare]  # of some terms of the model: the line that asks for most of it
    registers: int = REGISTERS  # of a thread
    by_nvcc: bool = False  # operations are instructions of nvcc's code, by grader/predict/nvcc.py

    @property
    def block_warps(self) -> int:
        return -(-self.threads // WARP)

    @property
    def warps(self) -> int:
        return self.blocks * self.block_warps


def executed_by(binary: Path, launch: Launch) -> code.Executed:
    """The instructions of a launch."""
    in_global = [site for site in launch.sites if site.space == "global"]
    loading = {site.pc for site in in_global if not site.store}
    storing = {site.pc for site in in_global if site.store}
    return code.executed(binary, dict(launch.passes), loading, storing)


def of_launch(binary: Path, launch: Launch, stale: bool = False) -> Counts:
    loads = [s for s in launch.sites if s.space == "global" and not s.store]
    executed = executed_by(binary, launch)
    seen = sum(operation.passes > 0 for operation in executed.operations)
    constants = [site for site in launch.sites if site.space == "constant"]
    fixed = code.fixed_operands(binary, [site.pc for site in constants])
    computed = [site for site in constants if site.pc not in fixed]
    operations = code.mix(executed.operations) | {
        "memory": float(sum(s.requests for s in launch.sites if s.space != "constant")),
        "constant": float(sum(site.requests for site in computed)),
    }
    stores = [s for s in launch.sites if s.space == "global" and s.store and not s.atomic]
    atomics = [s for s in launch.sites if s.space == "global" and s.atomic]
    sectors = sum(site.sectors for site in loads)
    missing = sum(site.block_sectors for site in loads)
    return Counts(
        kernel=launch.name,
        blocks=launch.blocks,
        threads=launch.block[0] * launch.block[1] * launch.block[2],
        shared=launch.shared,
        operations=operations,
        code=seen,
        unseen=1 - seen / max(len(executed.operations), 1),
        stale=stale,
        unevenness=launch.unevenness if launch.counted < launch.blocks else 0.0,
        longest=launch.longest,
        constant_words=sum(site.words for site in computed),
        constant_requests=sum(site.requests for site in computed),
        shared_wavefronts=sum(s.wavefronts for s in launch.sites if s.space == "shared"),
        l1_wavefronts=sum(s.l1_wavefronts for s in (*loads, *stores, *atomics)),
        load_requests=sum(site.requests for site in loads),
        waits=executed.waits,
        load_sectors=sectors,
        l2_sectors=missing + sum(site.sectors for site in (*stores, *atomics)),
        store_wavefronts=sum(site.l1_wavefronts for site in stores),
        missed=missing / max(sectors, 1),
        read_bytes=_touched([(s.first, s.end, s.block_sectors * SECTOR) for s in loads]),
        written_bytes=_touched([(s.first, s.end, s.sectors * SECTOR) for s in (*stores, *atomics)]),
        atomic_lanes=sum(site.lanes for site in atomics),
        atomic_addresses=_touched([(s.first, s.end, s.lanes * ATOMIC) for s in atomics]) // ATOMIC,
        shares_memory=launch.shares_memory,
        sources=_sources(binary, launch, executed.operations),
    )


def of_launches(binary: Path, launches: list[Launch]) -> list[Counts]:
    """Each of a program's launches; those that are equal are counted once, and are one object."""
    known: dict[tuple[bytes, bool], Counts] = {}
    found = []
    in_part: list[tuple[int, int]] = []  # the addresses that blocks of earlier launches store to
    for launch in launches:
        globals_ = [site for site in launch.sites if site.space == "global"]
        stale = any(
            site.first < end and first < site.end
            for first, end in in_part
            for site in globals_
            if not site.store
        )
        key = msgspec.msgpack.encode(msgspec.structs.replace(launch, launch=0)), stale
        if key not in known:
            known[key] = of_launch(binary, launch, stale)
        found.append(known[key])
        if launch.counted < launch.blocks or stale:
            stored = {(site.first, site.end) for site in globals_ if site.store}
            in_part += sorted(stored.difference(in_part))
    return found


def _sources(binary: Path, launch: Launch, executed: list[code.Operation]) -> dict[str, LineShare]:
    places = {site.pc - 1 for site in launch.sites} | {o.address for o in executed}
    locations = code.locations(binary, places)
    added: dict[str, list[tuple[int, float]]] = {
        "issue": [(operation.address, operation.passes) for operation in executed]
    }
    for term, amount in _AMOUNTS.items():
        added[term] = [(site.pc - 1, amount(site)) for site in launch.sites]
    found = {}
    for term, amounts in added.items():
        by_line: defaultdict[addr2line.Location, float] = defaultdict(float)
        for place, number in amounts:
            by_line[locations[place]] += number
        if whole := sum(by_line.values()):
            file, line = most = max(by_line, key=lambda at: by_line[at])
            found[term] = LineShare(file, line, by_line[most] / whole)
    return found


def _touched(accesses: list[tuple[int, int, int]]) -> int:
    """Bytes of different addresses: of each range of addresses, no more than it has and no more
    than is accessed in it. Ranges that overlap are one: the same array."""
    ranges: list[list[int]] = []
    amounts: defaultdict[int, int] = defaultdict(int)
    for first, end, amount in sorted(accesses):
        if ranges and first < ranges[-1][1]:
            ranges[-1][1] = max(ranges[-1][1], end)
        else:
            ranges.append([first, end])
        amounts[len(ranges) - 1] += amount
    return sum(min(end - first, amounts[i]) for i, (first, end) in enumerate(ranges))
