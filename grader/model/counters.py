"""The counters of a traced run: names, sums, quotients, and each counter in words."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec


class Counters(msgspec.Struct):
    """What Nsight Compute counts, under our names; those of constant memory and DRAM are models.

    A request is one memory instruction of one warp; a lane is one thread of it; a sector is 32
    bytes of global memory; a wavefront is one pass through shared memory, and bank conflicts cause
    extra ones. `constant_serialisation` is constant_words / constant_requests: 1 where every warp
    reads one word, 0 where nothing is read. `dram_bytes` is 32 times the sectors of global memory
    that the launch accesses, loads and stores together, each counted at the line that accesses it
    first: what DRAM transfers while the data fit in the L2 cache. It is null where only some blocks
    were counted.

    Accesses through textures and surfaces have counters of their own, as on a GPU; a limit on loads
    from global memory holds for both together, and for words of constant memory that a warp reads
    one after the other: an image could be there as well; one on stores, for those to surfaces.
    Atomic functions on global memory have counters of their own, too, and a limit on loads or
    stores holds for them as well: each does both. A block is idle if it
    stores nothing to global memory. `loaded_places` are the lanes of loads from global memory and
    through textures, but of a request no more than its sectors have room for. `unknown_lanes` are
    accesses of what a device does not have there, such as a host variable; each counts in global
    and shared memory, as a request, a sector and a wavefront of its own.

    A value that a thread gets from another lane, as by a shuffle, is one of the `exchanges`. A
    limit on the words that threads load from shared memory holds for these as well, and for atomic
    functions on it. A receiving thread gets 16 values or more from there: one that computes; one
    that gets fewer, as it copies results, counts in part.
    """

    global_load_requests: int = 0
    global_load_lanes: int = 0
    loaded_places: int = 0
    global_load_sectors: int = 0
    global_load_bytes: int = 0
    global_store_requests: int = 0
    global_store_lanes: int = 0
    global_store_sectors: int = 0
    global_store_bytes: int = 0
    global_bytes_stored_again: int = 0
    shared_load_requests: int = 0
    shared_load_words: int = 0
    shared_load_wavefronts: int = 0
    shared_load_conflicts: int = 0
    shared_store_requests: int = 0
    shared_store_wavefronts: int = 0
    shared_store_conflicts: int = 0
    texture_requests: int = 0
    texture_lanes: int = 0
    texture_sectors: int = 0
    texture_bytes: int = 0
    surface_store_requests: int = 0
    surface_store_lanes: int = 0
    surface_store_sectors: int = 0
    surface_store_bytes: int = 0
    atomic_requests: int = 0
    atomic_lanes: int = 0
    atomic_sectors: int = 0
    atomic_bytes: int = 0
    constant_requests: int = 0
    constant_words: int = 0
    constant_bytes: int = 0
    constant_serialisation: float = 0.0
    dram_bytes: int | None = 0
    blocks: int = 0
    idle_blocks: int = 0
    storing_threads: int = 0
    receiving_threads: int = 0
    exchanges: int = 0
    shared_atomic_lanes: int = 0
    unknown_lanes: int = 0


QUOTIENTS = {"constant_serialisation": "constant_words / constant_requests"}
NAMES = frozenset(field.name for field in msgspec.structs.fields(Counters)) - set(QUOTIENTS)

TEXTURE = ("texture_requests", "texture_lanes", "texture_sectors", "texture_bytes")
SURFACE = (
    "surface_store_requests",
    "surface_store_lanes",
    "surface_store_sectors",
    "surface_store_bytes",
)
ATOMIC = ("atomic_requests", "atomic_lanes", "atomic_sectors", "atomic_bytes")
OF_LAUNCH = ("blocks", "idle_blocks", "storing_threads", "receiving_threads", "exchanges")
IDLE = "idle_blocks / blocks"
# Of warps, as the traced program's machine code has them: sums and products, products alone, and
# all but loads and stores.
ARITHMETIC = "arithmetic"
PRODUCTS = "products"
OPERATIONS = "operations"
OF_CODE = frozenset({ARITHMETIC, PRODUCTS, OPERATIONS})
SPACES = ("global", "shared", "constant")
WORDS = {
    "global_load_requests": "warp loads from global memory",
    "global_load_lanes": "thread loads from global memory",
    "loaded_places": "places loaded from global memory, lanes that read the same word being one",
    "global_load_sectors": "32-byte sectors loaded from global memory",
    "global_load_bytes": "bytes that threads load from global memory",
    "global_store_requests": "warp stores to global memory",
    "global_store_lanes": "thread stores to global memory",
    "global_store_sectors": "32-byte sectors stored to global memory",
    "global_store_bytes": "bytes that threads store to global memory",
    "global_bytes_stored_again": "bytes of global memory that one launch stores again",
    "shared_load_requests": "warp loads from shared memory",
    "shared_load_words": "words that threads load from shared memory or get from other lanes",
    "shared_load_wavefronts": "wavefronts of loads from shared memory",
    "shared_load_conflicts": "bank conflicts (extra wavefronts) of loads from shared memory",
    "shared_store_requests": "warp stores to shared memory",
    "shared_store_wavefronts": "wavefronts of stores to shared memory",
    "shared_store_conflicts": "bank conflicts (extra wavefronts) of stores to shared memory",
    "texture_requests": "warp reads through textures and surfaces",
    "texture_lanes": "thread reads through textures and surfaces",
    "texture_sectors": "32-byte sectors read through textures and surfaces",
    "texture_bytes": "bytes that threads read through textures and surfaces",
    "surface_store_requests": "warp stores to surfaces",
    "surface_store_lanes": "thread stores to surfaces",
    "surface_store_sectors": "32-byte sectors stored to surfaces",
    "surface_store_bytes": "bytes that threads store to surfaces",
    "atomic_requests": "warp calls of atomic functions on global memory",
    "atomic_lanes": "thread calls of atomic functions on global memory",
    "atomic_sectors": "32-byte sectors that atomic functions access",
    "atomic_bytes": "bytes of global memory that atomic functions access",
    "constant_requests": "warp reads from constant memory",
    "constant_words": "words read from constant memory",
    "constant_bytes": "bytes that threads read from constant memory",
    "dram_bytes": "bytes of global memory accessed",
    "blocks": "blocks",
    "idle_blocks": "blocks that store nothing to global memory",
    "storing_threads": "threads that store to global memory",
    "receiving_threads": "threads that get 16 values from shared memory or other lanes",
    "exchanges": "values that threads get from other lanes, as by shuffles",
    "shared_atomic_lanes": "thread calls of atomic functions on shared memory",
    "unknown_lanes": "thread accesses of memory that a device does not have there",
    ARITHMETIC: "warp additions and multiplications of floats, and multiplications of integers",
    PRODUCTS: "warp multiplications",
    OPERATIONS: "warp operations with numbers and addresses",
}

# The first noun of a counter's words is what it counts: "per" takes it without its s.
_COUNTED = re.compile(r"\b(load|store|read|sector|byte|word|wavefront|conflict|block|thread)s\b")

# Of a function in C, by grader/execute/instructions.py.
INSTRUCTIONS = {
    "newer_instructions": "instructions newer than SSSE3",
    "avx_instructions": "AVX instructions",
    "wide_instructions": "AVX instructions with registers of 256 bits or more",
    "wide_multiplications": "AVX multiplications with registers of 256 bits or more",
}


def spelled_out(counter: str) -> str:
    """A counter, or the quotient "a / b" that the name stands for."""
    return QUOTIENTS.get(counter, counter)


def _names(counter: str) -> tuple[str, str]:
    """The names of numerator and denominator; the second is "" when `counter` is no quotient."""
    above, _, below = spelled_out(counter).partition("/")
    return above.strip(), below.strip()


def is_quotient(counter: str) -> bool:
    return "/" in spelled_out(counter)


def unknown(counter: str) -> list[str]:
    """The names in `counter`, which may be a quotient, that no counter has."""
    names = [name.strip() for name in spelled_out(counter).split("/")]
    return names[2:] + [name for name in names[:2] if name not in NAMES | OF_CODE]


def is_of_accesses(counter: str) -> bool:
    """Does each access add its share to it, and nothing else?"""
    names = {name for name in _names(counter) if name}
    return names <= NAMES - set(OF_LAUNCH)


def terms(counter: str, counted: Counters) -> tuple[int, int | None]:
    """The values of numerator and denominator; the second is None when `counter` is no quotient."""
    above, below = _names(counter)
    return _value(above, counted), _value(below, counted) if below else None


def _value(name: str, counted: Counters) -> int:
    """A counter; of loads from global memory, those through textures as well, and reads of constant
    memory that have to wait for another lane's; of stores, those to surfaces; of both, atomic
    functions."""
    value = int(getattr(counted, name))
    way, _, unit = name.rpartition("_")
    if way in ("global_load", "global_store"):
        value += int(getattr(counted, f"atomic_{unit}"))
    if way == "global_store":
        value += int(getattr(counted, f"surface_store_{unit}"))
    if name == "shared_load_words":
        value += counted.exchanges + counted.shared_atomic_lanes
    if "global_load" in name:
        value += int(getattr(counted, name.replace("global_load", "texture")))
    if name in ("global_load_requests", "global_load_sectors"):
        value += counted.constant_words - counted.constant_requests
    return value


def accumulate(total: Counters, more: Counters) -> None:
    for name in NAMES - {"dram_bytes"}:
        setattr(total, name, getattr(total, name) + getattr(more, name))
    if total.dram_bytes is not None:
        total.dram_bytes = None if more.dram_bytes is None else total.dram_bytes + more.dram_bytes
    total.constant_serialisation = total.constant_words / max(total.constant_requests, 1)


def add(total: Counters, counted: Mapping[str, int]) -> None:
    """Adds some counters, by their names."""
    for name, value in counted.items():
        if name != "dram_bytes" or total.dram_bytes is not None:
            setattr(total, name, getattr(total, name) + value)
    total.constant_serialisation = total.constant_words / max(total.constant_requests, 1)


class InWords(NamedTuple):
    """What a counter counts, such as "warp loads from global memory".

    counted: of a quotient, its numerator; where the denominator names the memory space as well, it
    is left out. unit: what the number is counted for, " per pixel" or " per warp load"; or "".
    denominator: of a quotient; or "".
    """

    counted: str
    unit: str
    denominator: str


def in_words(counter: str, per: str | None = None) -> InWords:
    """A counter in words. per: a technique check's."""
    above, below = ((WORDS | INSTRUCTIONS).get(name, name) for name in _names(counter))
    if not below:
        what = "pixel and tap" if per == "tap" else per
        return InWords(above, f" per {what}" if what else "", "")
    for space in (f" {way} {name} memory" for way in ("from", "to") for name in SPACES):
        if below.endswith(space):
            above = above.removesuffix(space)
    singular = _COUNTED.sub(r"\1", below, count=1)
    return InWords(above, f" per {singular}", below)
