"""The time of a launch, from what it asks of a GPU: a few terms, each the time that one resource
needs by itself, and what they take together.

handouts/prediction.md explains the terms. The weights of weights.toml are fitted; the rates and
latencies of a GPU (gpus/) are measured.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from grader.execute.profile import SECTOR, SHARED_RESERVED
from grader.predict.counts import REGISTERS, WARP, Counts
from grader.predict.gpu import Gpu
from grader.predict.terms import WORDS

LIBRARY = ("float", "double", "integer", "special")  # kinds of grader/predict/code.py
# Limits of a prediction: how far blocks differ, the share of the code that did not run.
UNEVEN, UNSEEN = 0.5, 0.2
FRAME = 4  # sectors that a warp stores to the L2 cache, or that its other warps pushed out to it
LOCAL = 16  # wavefronts, where the lanes of a warp access an array of their own at any index
SHORT = 4  # rounds of blocks, below which the last one counts as a whole

_UNITS_OF_MULTIPROCESSOR = ("issue", "alu", "fma", "fp64", "special", "constant")

# Which unit executes a kind of operation. Kinds: grader/predict/code.py.
_UNITS = {
    "fma": "fma", "imul": "imul", "vmul": "imul", "fp64": "fp64",
    "convert": "special", "divide": "special", "idivide": "special",
    "alu": "alu", "compare": "alu", "lea": "alu", "step": "alu",
    "float": "fma", "double": "fp64", "integer": "alu", "special": "special",
}  # fmt: skip


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fitted numbers.

    operations: instructions for each operation of the simulator's code.
    warp: instructions that each warp executes besides.
    alu_share: of integer operations, that of the integer unit. units: the share of others that
    their unit executes.
    issued: of the slots of a busy multiprocessor, those in which an instruction is issued.
    power: how groups of terms overlap where a GPU holds all warps that it can, from 0, not at all.
    power_units: how terms of a group do, from 1.
    start: microseconds in which a kernel's constants come to the caches, and fetch: nanoseconds for
    each operation of its code.
    parallel_*: how many of a warp's waits for loads, of its accesses of shared memory, and of its
    instructions are under way.
    apart: of a ratio of two times, as a logarithm: half of its interval where their terms are
    alike, and how much that is wider for each unit of grader/predict/compare.py's distance.
    down, up: the interval's ends, as logarithms of factors: sums of these numbers, each times how
    far the launch is from what was fitted (_strangeness()).
    held: the share of kernels of programs that were not fitted whose time was in the interval.
    """

    warp: float
    alu_share: float
    issued: float
    power: float
    power_units: float
    start: float
    fetch: float
    parallel_loads: float
    parallel_shared: float
    parallel_operations: float
    held: float
    apart: tuple[float, float]
    down: dict[str, float]
    up: dict[str, float]
    operations: dict[str, float] = {}
    units: dict[str, float] = {}


@dataclass(frozen=True)
class Estimate:
    """Seconds, the interval around them, the terms of which they consist, and how far the launches
    are from what was fitted."""

    seconds: float
    low: float
    high: float
    terms: dict[str, float]
    strange: dict[str, float]

    @property
    def bound(self) -> str:
        """The largest term."""
        return max(self.terms, key=lambda name: self.terms[name])


@cache
def weights(by_nvcc: bool = False) -> Weights:
    """Those for counts of the simulator's code, or of nvcc's."""
    file = Path(__file__).with_name("weights_nvcc.toml" if by_nvcc else "weights.toml")
    return msgspec.toml.decode(file.read_bytes(), type=Weights)


def instructions(counts: Counts, w: Weights) -> float:
    """Of all warps."""
    work = sum(w.operations.get(kind, 1.0) * n for kind, n in counts.operations.items())
    return w.warp * counts.warps + work


def integers(counts: Counts, w: Weights) -> float:
    """Instructions of integer arithmetic and comparisons."""
    return sum(
        w.operations.get(kind, 1.0) * n
        for kind, n in counts.operations.items()
        if _UNITS.get(kind) == "alu"
    )


def resident_blocks(gpu: Gpu, threads: int, shared: int, registers: int = REGISTERS) -> int:
    """The blocks that a multiprocessor holds at a time. A warp gets registers by the 256, and each
    quarter of the multiprocessor has its own."""
    warps = -(-threads // WARP)
    of_warp = -(-max(registers, 1) * WARP // 256) * 256
    return min(
        gpu.blocks,
        gpu.warps // warps,
        gpu.registers // of_warp // 4 * 4 // warps,
        gpu.shared // (shared + SHARED_RESERVED),
    )


def resident_warps(counts: Counts, gpu: Gpu) -> int:
    """The warps that a multiprocessor holds at a time."""
    blocks = resident_blocks(gpu, counts.threads, counts.shared, counts.registers)
    return max(blocks, 1) * counts.block_warps


def predict_time(launches: list[Counts], gpu: Gpu, w: Weights | None = None) -> Estimate:
    """A call that makes these launches, one after the other."""
    total: dict[str, float] = dict.fromkeys(WORDS, 0.0)
    seconds = gpu.launch
    total["launch"] = gpu.launch
    strange: dict[str, float] = defaultdict(float)
    known: dict[int, dict[str, float]] = {}  # launches that are one object are read once
    for number, counts in enumerate(launches):
        fitted = w or weights(counts.by_nvcc)
        if id(counts) not in known:
            known[id(counts)] = _shares(counts, gpu, fitted)
        for name, value in known[id(counts)].items():
            total[name] += value
        gap = fitted.start * 1e-6 + (gpu.launch / 3 if number else 0.0)
        gap += fitted.fetch * 1e-9 * counts.code
        total["launch"] += gap
        took = gap + sum(known[id(counts)].values())
        seconds += took
        for name, value in _strangeness(counts, known[id(counts)], took, gpu).items():
            strange[name] += value * took
    took = seconds - gpu.launch
    fitted = w or weights(all(counts.by_nvcc for counts in launches))
    strange = {name: value / max(took, 1e-12) for name, value in strange.items()}
    down, up = (sum(n * strange.get(name, 0.0) for name, n in ends.items())
                for ends in (fitted.down, fitted.up))  # fmt: skip
    low, high = gpu.launch + took * math.exp(-down), gpu.launch + took * math.exp(up)
    return Estimate(seconds, low, high, total, strange)


def _strangeness(
    counts: Counts, terms: Mapping[str, float], took: float, gpu: Gpu
) -> dict[str, float]:
    """How far a launch is from what was fitted, each from 0 to 1: whatever it is; the share of
    instructions in functions of nvcc's library; of the time that is latency or atomic functions; of
    the kernel's code that did not run; how far blocks differ; warps that could be resident and are
    not; and that it loads what blocks that did not run should have stored."""
    work = sum(counts.operations.values())
    library = sum(counts.operations.get(kind, 0.0) for kind in LIBRARY)
    return {
        "always": 1.0,
        "library": library / max(work, 1.0),
        "latency": terms.get("latency", 0.0) / took,
        "atomics": terms.get("atomics", 0.0) / took,
        "unseen": counts.unseen,
        "uneven": min(counts.unevenness, 1.0),
        "idle": 1 - _occupied(counts, gpu),
        "stale": float(counts.stale),
    }


def unknown(counts: Counts) -> str:
    """Why no time of a launch can be predicted; "" where one can."""
    if counts.operations.get("clock", 0.0) > 0:
        return "it reads the clock or waits for other threads"
    if counts.shares_memory:
        return "it uses memory that it shares with the host, managed or page-locked"
    if counts.unevenness > UNEVEN:
        return "its blocks differ much, and only some of them ran"
    if counts.stale and counts.unseen > UNSEEN:
        return "what it does depends on what blocks that did not run should have stored"
    return ""


def held(by_nvcc: bool = False) -> str:
    share = 100 * weights(by_nvcc).held
    return f"of other programs, {share:.0f} % of the kernels were in such intervals"


def _shares(counts: Counts, gpu: Gpu, w: Weights) -> dict[str, float]:
    """The terms of a launch, scaled so that their sum is what they take together."""
    terms = {name: value for name, value in _terms(counts, gpu, w).items() if value > 0}
    scale = _together(terms, w, 1 + w.power * _occupied(counts, gpu)) / max(
        sum(terms.values()), 1e-12
    )
    return {name: value * scale for name, value in terms.items()}


def _occupied(counts: Counts, gpu: Gpu) -> float:
    """The share of the warps that a GPU can hold, of those that a launch lets it hold."""
    launched = counts.warps / (gpu.multiprocessors * gpu.warps)
    return min(1.0, launched, resident_warps(counts, gpu) / gpu.warps)


def _together(terms: Mapping[str, float], w: Weights, power: float) -> float:
    """What the terms take together: the units of a multiprocessor overlap almost fully, as do the
    levels of memory, and as blocks start while others run; the groups overlap less, and the less
    the fewer warps there are. Shared memory and the L1 cache are one unit."""
    groups = [
        _norm([terms.get(name, 0.0) for name in _UNITS_OF_MULTIPROCESSOR], w.power_units),
        terms.get("shared", 0.0) + terms.get("l1", 0.0),
        _norm([terms.get("l2", 0.0), terms.get("dram", 0.0)], w.power_units),
    ]
    busy = _norm([_norm(groups, power), terms.get("blocks", 0.0)], w.power_units)
    waits = [terms.get(name, 0.0) for name in ("latency", "atomics")]
    return _norm([busy, *waits], power)


def _norm(values: list[float], power: float) -> float:
    most = max(values)
    if most <= 0:
        return 0.0
    return float(most * sum((value / most) ** power for value in values) ** (1 / power))


def _terms(counts: Counts, gpu: Gpu, w: Weights) -> Mapping[str, float]:
    """What each resource needs by itself, in seconds."""
    # The multiprocessor with the most blocks decides; a block that is alone finds all of it.
    most = math.ceil(counts.blocks / gpu.multiprocessors) * gpu.multiprocessors / counts.blocks
    most *= 1 + (counts.longest - 1) / max(counts.blocks / gpu.multiprocessors, 1.0)
    per_clock = gpu.multiprocessors * gpu.clock / most
    units: dict[str, float] = dict.fromkeys(("alu", "imul", "fma", "fp64", "special"), 0.0)
    for kind, n in counts.operations.items():
        unit = _UNITS.get(kind)
        if unit:
            units[unit] += n * w.operations.get(kind, 1.0) * w.units.get(kind, 1.0)
    replays = counts.constant_words / max(counts.constant_requests, 1)
    constants = counts.operations.get("constant", 0.0) * max(replays, 1.0)
    local = counts.operations.get("local", 0.0) * LOCAL + counts.operations.get("frame", 0.0)
    work = instructions(counts, w)
    return {
        "issue": work / (gpu.issue * w.issued * per_clock),
        "alu": units["alu"] * w.alu_share / (gpu.alu * per_clock),
        "fma": units["fma"] / (gpu.fma * per_clock) + units["imul"] / (gpu.imul * per_clock),
        "fp64": units["fp64"] / (gpu.fp64 * per_clock),
        "special": units["special"] / (gpu.special * per_clock),
        "constant": constants / (gpu.constant * per_clock),
        "shared": counts.shared_wavefronts / (gpu.wavefronts * per_clock),
        "l1": (counts.l1_wavefronts + local) / (gpu.wavefronts * per_clock),
        "l2": _l2(counts, gpu),
        "dram": _dram_bytes(counts, gpu) / gpu.dram,
        "latency": _latency(counts, gpu, w, work),
        "atomics": _atomics(counts, gpu),
        "blocks": counts.blocks / (gpu.block_rate * gpu.clock),
    }


def _l2(counts: Counts, gpu: Gpu) -> float:
    """Stores take as long as their bytes or as their wavefronts: in a column, one for each lane."""
    frames = counts.operations.get("frame", 0.0) * FRAME
    sectors = (counts.l2_sectors + frames) * SECTOR / gpu.l2
    return max(sectors, counts.store_wavefronts / (gpu.store_wavefronts * gpu.clock))


def _dram_bytes(counts: Counts, gpu: Gpu) -> float:
    """What is written last stays in the L2 cache."""
    return counts.read_bytes + max(0.0, counts.written_bytes - gpu.l2_bytes / 2)


def _atomics(counts: Counts, gpu: Gpu) -> float:
    """Lanes at one address go one after the other, those at different addresses partly at the same
    time: between the measured numbers of addresses, straight lines on logarithmic axes."""
    if counts.atomic_lanes == 0:
        return 0.0
    addresses, rates = zip(*gpu.atomic_rates, strict=True)
    at = math.log(max(counts.atomic_addresses, 1))
    rate = math.exp(np.interp(at, np.log(addresses), np.log(rates)))
    return counts.atomic_lanes / rate / gpu.clock


def _latency(counts: Counts, gpu: Gpu, w: Weights, work: float) -> float:
    """A warp waits for what it loads, for each group of loads in a row; meanwhile the other warps
    of its multiprocessor run, and then the next ones begin."""
    warps = max(counts.warps, 1)
    alike = resident_warps(counts, gpu)
    rounds = max(1.0, counts.warps / (gpu.multiprocessors * alike))
    if rounds < SHORT:
        rounds = math.ceil(rounds)
    rounds += counts.longest - 1
    beyond = gpu.l2_latency + (gpu.dram_latency - gpu.l2_latency) * min(
        1.0, counts.read_bytes / max(counts.l2_sectors * SECTOR, 1)
    )
    load = gpu.l1_latency + counts.missed * beyond
    # Each warp begins with one load of its own, at least, that nothing hides.
    clocks = (
        counts.waits / warps * load / w.parallel_loads
        + counts.operations.get("local", 0.0) / warps * gpu.l1_latency
        + counts.shared_wavefronts / warps * gpu.shared_latency / w.parallel_shared
        + work / warps * gpu.alu_latency / w.parallel_operations
        + (load if counts.load_requests else 0.0)
    )
    return rounds * clocks / gpu.clock
