"""What one launch asks of a GPU, from the simulator's counts and the kernel's code."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.execute import addr2line
from grader.execute.profile import SECTOR, Launch, Site
from grader.predict import code, flow, ptx, shared_loads
from grader.predict.nvcc import Compiled
from grader.predict.ptx import Anchor

WARP = 32
ATOMIC = 4  # bytes of an atomic function, mostly
# What a site adds to a term of the model, but for wavefronts of shared memory.
_AMOUNTS: dict[str, Callable[[Site], int]] = {
    "l1": lambda site: site.l1_wavefronts if site.space == "global" else 0,
    "l2": lambda site: (
        (site.sectors if site.store else site.block_sectors) if site.space == "global" else 0
    ),
    "dram": lambda site: (
        (site.sectors if site.store else site.block_sectors) if site.space == "global" else 0
    ),
    "constant": lambda site: site.words if site.space == "constant" else 0,
    "atomics": lambda site: site.lanes if site.atomic else 0,
}
LOCAL_LINE = 128  # bytes that a warp's access of local memory touches


@dataclass(frozen=True)
class Source:
    """A line of the program and its share of a term."""

    file: str
    line: int
    share: float


@dataclass(frozen=True)
class Counts:
    """Sums over all warps of a launch. operations: by kind, of grader/predict/ptx.py where nvcc
    compiled the kernel (`compiled`), of grader/predict/code.py otherwise. registers: of a thread;
    None where they are not known."""

    kernel: str
    blocks: int
    threads: int  # of a block
    shared: int  # bytes of a block
    registers: int | None
    compiled: bool
    operations: dict[str, float]
    constant_words: int  # of reads at an address that is computed
    constant_requests: int
    shared_wavefronts: int
    l1_wavefronts: int
    load_requests: int  # of global memory
    load_sectors: int
    l2_sectors: int  # that blocks load, each once for a block, and store
    store_wavefronts: int  # of l1_wavefronts, those of stores
    missed: float  # share of the loaded sectors that is not in the L1 cache
    read_bytes: int  # of different addresses
    written_bytes: int
    local_requests: float
    local_stores: float
    local_bytes: int  # of a thread
    atomic_lanes: int  # of atomic functions on global memory
    atomic_addresses: int  # that they may access
    together: dict[str, float]  # accesses of a warp in a row: Executed.together
    sources: dict[str, Source]  # of some terms of the model: the line that asks for most of it

    @property
    def block_warps(self) -> int:
        return -(-self.threads // WARP)

    @property
    def warps(self) -> int:
        return self.blocks * self.block_warps


def of_launch(binary: Path, launch: Launch, compiled: Compiled | None) -> Counts:
    """compiled: what nvcc made of the program's files, or None."""
    passes = dict(launch.passes)
    executed = code.operations(binary, passes)
    constants = [site for site in launch.sites if site.space == "constant"]
    fixed = code.fixed_operands(binary, [site.pc for site in constants])
    computed = [site for site in constants if site.pc not in fixed]
    operations: dict[str, float] = {}
    together: dict[str, float] = {}
    registers, local = None, 0
    shared = [site for site in launch.sites if site.space == "shared"]
    wavefronts = [float(site.wavefronts) for site in shared]
    blocks = _entry(binary, launch, compiled)
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    warps = launch.blocks * -(-threads // WARP)
    if compiled is not None and blocks is not None:
        name, entry = blocks
        anchors = _anchors(binary, launch, executed)
        solved = flow.executed(entry, float(warps), anchors, code.loops(binary, passes))
        operations, together = solved.operations, solved.together
        operations["shared"] = operations.get("shared", 0.0) * shared_loads.merged_by_ptxas(
            shared, passes
        )
        wavefronts = shared_loads.wavefronts(binary, shared, passes, solved.loads)
        for function, calls in solved.calls.items():
            saved = compiled.spills.get(function, (0, 0))
            for kind, number in zip(ptx.LOCAL, reversed(saved), strict=True):
                operations[kind] = operations.get(kind, 0.0) + number * calls
        registers = compiled.registers.get(name)
        local = compiled.local_bytes.get(name, 0)
    if not operations:
        operations = code.mix(executed) | {
            "memory": float(sum(s.requests for s in launch.sites if s.space != "constant")),
            "constant": float(sum(site.requests for site in computed)),
        }
    loads = [s for s in launch.sites if s.space == "global" and not s.store]
    stores = [s for s in launch.sites if s.space == "global" and s.store and not s.atomic]
    atomics = [s for s in launch.sites if s.space == "global" and s.atomic]
    sectors = sum(site.sectors for site in loads)
    missing = sum(site.block_sectors for site in loads)
    return Counts(
        kernel=launch.name,
        blocks=launch.blocks,
        threads=threads,
        shared=launch.shared,
        registers=registers,
        compiled=compiled is not None and blocks is not None,
        operations=operations,
        constant_words=sum(site.words for site in computed),
        constant_requests=sum(site.requests for site in computed),
        shared_wavefronts=round(sum(wavefronts)),
        l1_wavefronts=sum(s.l1_wavefronts for s in (*loads, *stores, *atomics)),
        load_requests=sum(site.requests for site in loads),
        load_sectors=sectors,
        l2_sectors=missing + sum(site.sectors for site in (*stores, *atomics)),
        store_wavefronts=sum(site.l1_wavefronts for site in stores),
        missed=missing / max(sectors, 1),
        read_bytes=_touched([(s.first, s.end, s.block_sectors * SECTOR) for s in loads]),
        written_bytes=_touched([(s.first, s.end, s.sectors * SECTOR) for s in (*stores, *atomics)]),
        local_requests=sum(operations.get(kind, 0.0) for kind in ptx.LOCAL),
        local_stores=operations.get("local store", 0.0),
        local_bytes=local,
        atomic_lanes=sum(site.lanes for site in atomics),
        atomic_addresses=_touched([(s.first, s.end, s.lanes * ATOMIC) for s in atomics]) // ATOMIC,
        together=together,
        sources=_sources(binary, launch, executed, list(zip(shared, wavefronts, strict=True))),
    )


def of_launches(binary: Path, launches: list[Launch], compiled: Compiled | None) -> list[Counts]:
    """Each of a program's launches; those that are equal are counted once, and are one object."""
    known: dict[bytes, Counts] = {}
    found = []
    for launch in launches:
        key = msgspec.msgpack.encode(msgspec.structs.replace(launch, launch=0))
        if key not in known:
            known[key] = of_launch(binary, launch, compiled)
        found.append(known[key])
    return found


def _sources(
    binary: Path,
    launch: Launch,
    executed: list[code.Operation],
    shared: list[tuple[Site, float]],
) -> dict[str, Source]:
    """shared: the sites of shared memory, with their wavefronts."""
    places = {site.pc - 1 for site in launch.sites} | {o.address for o in executed}
    locations = code.locations(binary, places)
    added: dict[str, list[tuple[int, float]]] = {
        "issue": [(operation.address, operation.passes) for operation in executed],
        "shared": [(site.pc - 1, wavefronts) for site, wavefronts in shared],
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
            found[term] = Source(file, line, by_line[most] / whole)
    return found


def _entry(
    binary: Path, launch: Launch, compiled: Compiled | None
) -> tuple[str, list[ptx.Block]] | None:
    """The kernel's mangled name and its blocks: that of the function which the launch was in, else
    one with the launch's name in its own."""
    if compiled is None:
        return None
    inside = code.functions(binary, dict(launch.passes))
    for name in sorted(inside, key=lambda n: -inside[n]):
        if name in compiled.entries:
            return name, compiled.entries[name]
    short = launch.name.split("<")[0].split("::")[-1].strip()
    pattern = re.compile(rf"\d{re.escape(short)}(?!\w*\d{re.escape(short)})")
    alike = [name for name in compiled.entries if pattern.search(name)]
    return (alike[0], compiled.entries[alike[0]]) if alike else None


def _anchors(binary: Path, launch: Launch, executed: list[code.Operation]) -> dict[Anchor, float]:
    """How often the warps run each class of operations of each line of the source."""
    alike = [o for o in executed if o.kind in (*ptx.ANCHORED, ptx.SPARE, ptx.REACHED)]
    passes = dict(launch.passes)
    # The simulator records where its call returns to: the byte before belongs to the access.
    places = {site.pc - 1 for site in launch.sites} | {o.address for o in alike}
    locations = code.locations(binary, places)
    counted: Counter[Anchor] = Counter()
    plain = [site for site in launch.sites if not site.atomic]
    for (pc, space, store), number in shared_loads.accesses(plain, passes).items():
        way = "" if space == "constant" else " store" if store else " load"
        file, line = locations[pc - 1]
        counted[(space + way, Path(file).name, line)] += number
    reached: dict[Anchor, float] = {}
    for operation in alike:
        file, line = locations[operation.address]
        anchor = operation.kind, Path(file).name, line
        if operation.kind == ptx.REACHED:
            reached[anchor] = min(reached.get(anchor, math.inf), operation.passes)
        else:
            counted[anchor] += operation.passes  # type: ignore[assignment]
    return dict(counted) | reached


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
