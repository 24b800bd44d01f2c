"""What a traced run counts: names, sums, quotients, and what each is called in words."""

from __future__ import annotations

import msgspec


class Counters(msgspec.Struct):
    """What Nsight Compute counts, by our names; the last ones are models.

    A request is one instruction of one warp, a lane one thread's part in it, a sector 32 bytes of
    global memory, a wavefront one turn of shared memory. `constant_serialisation` is constant_words
    / constant_requests: 1 where every warp reads one word, 0 where nothing is read. `dram_bytes` is
    32 times the sectors of global memory that the launch touches, loads and stores together, each
    charged to the line that touches it first: what DRAM moves while the data fit the L2. It is null
    where only some blocks were counted.
    """

    global_load_requests: int = 0
    global_load_lanes: int = 0
    global_load_sectors: int = 0
    global_store_requests: int = 0
    global_store_lanes: int = 0
    global_store_sectors: int = 0
    shared_load_requests: int = 0
    shared_load_wavefronts: int = 0
    shared_load_conflicts: int = 0
    shared_store_requests: int = 0
    shared_store_wavefronts: int = 0
    shared_store_conflicts: int = 0
    constant_requests: int = 0
    constant_words: int = 0
    constant_serialisation: float = 0.0
    dram_bytes: int | None = 0


QUOTIENTS = {"constant_serialisation": "constant_words / constant_requests"}
NAMES = frozenset(field.name for field in msgspec.structs.fields(Counters)) - set(QUOTIENTS)

SPACES = ("global", "shared", "constant")
WORDS = {
    "global_load_requests": "loads of a warp from global memory",
    "global_load_lanes": "loads of single threads from global memory",
    "global_load_sectors": "sectors of 32 bytes loaded from global memory",
    "global_store_requests": "stores of a warp to global memory",
    "global_store_lanes": "stores of single threads to global memory",
    "global_store_sectors": "sectors of 32 bytes stored to global memory",
    "shared_load_requests": "loads of a warp from shared memory",
    "shared_load_wavefronts": "turns of loads from shared memory",
    "shared_load_conflicts": "turns of loads from shared memory lost to bank conflicts",
    "shared_store_requests": "stores of a warp to shared memory",
    "shared_store_wavefronts": "turns of stores to shared memory",
    "shared_store_conflicts": "turns of stores to shared memory lost to bank conflicts",
    "constant_requests": "reads of a warp from constant memory",
    "constant_words": "words read from constant memory",
    "dram_bytes": "bytes of global memory touched",
}


def spelled_out(counter: str) -> str:
    """A counter, or the quotient "a / b" that a name stands for."""
    return QUOTIENTS.get(counter, counter)


def _names(counter: str) -> tuple[str, str]:
    """Numerator and denominator; the second is empty when it is no quotient."""
    above, _, below = spelled_out(counter).partition("/")
    return above.strip(), below.strip()


def is_quotient(counter: str) -> bool:
    return "/" in spelled_out(counter)


def unknown(counter: str) -> list[str]:
    """The names in `counter`, which may be a quotient, that are no counter."""
    names = [name.strip() for name in spelled_out(counter).split("/")]
    return names[2:] + [name for name in names[:2] if name not in NAMES]


def terms(counter: str, counted: Counters) -> tuple[int, int | None]:
    """Numerator and denominator of `counter`; the denominator is None when it is no quotient."""
    above, below = _names(counter)
    return getattr(counted, above), getattr(counted, below) if below else None


def accumulate(total: Counters, more: Counters) -> None:
    for name in NAMES - {"dram_bytes"}:
        setattr(total, name, getattr(total, name) + getattr(more, name))
    if total.dram_bytes is not None:
        total.dram_bytes = None if more.dram_bytes is None else total.dram_bytes + more.dram_bytes
    total.constant_serialisation = total.constant_words / max(total.constant_requests, 1)


def in_words(counter: str) -> str:
    """What a counter counts, or the numerator of a quotient, without what both terms say."""
    above, below = _names(counter)
    words = _words(above)
    for place in (f" {way} {space} memory" for way in ("from", "to") for space in SPACES):
        if below and _words(below).endswith(place):
            words = words.removesuffix(place)
    return words


def denominator_in_words(counter: str) -> str:
    return _words(_names(counter)[1])


def unit(counter: str, per: str | None) -> str:
    """What the number is for: " a pixel", " for each of the reads ...", or nothing."""
    if is_quotient(counter):
        return f" for each of the {denominator_in_words(counter)}"
    return f" a {per}" if per else ""


def _words(name: str) -> str:
    return WORDS.get(name, name)
