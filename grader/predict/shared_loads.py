"""Loads of shared memory: those of the source, and those that a GPU executes.

The simulator counts the source's loads and merges those that are side by side, as ptxas does
(labs/sim/src/profile/merged_accesses.h). nvcc's PTX may have fewer: in an unrolled loop it reads a
word once that several results of a thread need, and it may read words side by side as a vector.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.execute.profile import Site
from grader.predict import code
from grader.predict.ptx import SHARED_LOAD, Anchor, Loads

# Bytes of a lane in one wavefront, where lanes read the same words: a load of 16 bytes takes two.
_LANE_BYTES = 8
_WIDER = 1.5  # times the bytes of the source's accesses: PTX has vectors instead of them
# Of what is one access in the source: it has a site for each width that ptxas makes of it.
_Key = tuple[int, str, bool]


@dataclass
class _Line:
    """What the simulator counts of a line's loads. accesses: the source's; requests: as ptxas
    merges them; loaded: the bytes of a lane."""

    keys: set[_Key] = field(default_factory=set)
    accesses: int = 0
    requests: int = 0
    loaded: int = 0
    wavefronts: int = 0


def key_of(site: Site) -> _Key:
    return site.pc, site.space, site.store


def accesses(sites: Iterable[Site], passes: dict[int, int]) -> dict[_Key, int]:
    """The accesses of the source, by their sites. PTX has as many, or fewer: not nvcc but ptxas
    merges loads of shared memory that are side by side. passes: of the calls of the simulator."""
    found: Counter[_Key] = Counter()
    for site in sites:
        found[key_of(site)] += site.requests
    return {
        key: max(n, passes.get(key[0], 0)) if key[1:] == ("shared", False) else n
        for key, n in found.items()
    }


def merged_by_ptxas(shared: list[Site], passes: dict[int, int]) -> float:
    """The accesses of shared memory for each that PTX has."""
    return sum(s.requests for s in shared) / max(sum(accesses(shared, passes).values()), 1)


def wavefronts(
    binary: Path, shared: list[Site], passes: dict[int, int], executed: dict[Anchor, Loads]
) -> list[float]:
    """Of each site of shared memory, those that nvcc's code asks for. executed: its loads, by
    lines; none where they are not known."""
    kept = _kept(_lines(binary, shared, passes), executed) if executed else {}
    return [site.wavefronts * kept.get(key_of(site), 1.0) for site in shared]


def _lines(binary: Path, shared: list[Site], passes: dict[int, int]) -> dict[Anchor, _Line]:
    loads = [site for site in shared if not site.store and not site.atomic]
    locations = code.locations(binary, {site.pc - 1 for site in loads})
    each = accesses(loads, passes)
    found: defaultdict[Anchor, _Line] = defaultdict(_Line)
    for site in loads:
        file, number = locations[site.pc - 1]
        line = found[SHARED_LOAD, Path(file).name, number]
        line.accesses += 0 if key_of(site) in line.keys else each[key_of(site)]
        line.keys.add(key_of(site))
        line.requests += site.requests
        line.loaded += site.requests * site.width
        line.wavefronts += site.wavefronts
    return {
        anchor: line for anchor, line in found.items() if line.requests > 0 and line.wavefronts > 0
    }


def _kept(lines: dict[Anchor, _Line], executed: dict[Anchor, Loads]) -> dict[_Key, float]:
    """The share of the wavefronts that is left, by the sites of the lines."""
    own: dict[Anchor, float] = {}
    strays = sum(loads.number for anchor, loads in executed.items() if anchor not in lines)
    lacking = 0.0
    for anchor, line in lines.items():
        loads = executed.get(anchor, Loads())
        if loads.loaded * line.accesses > _WIDER * line.loaded * loads.number:
            width = loads.loaded / loads.number
            each = max(line.wavefronts / line.requests, width / _LANE_BYTES)
            own[anchor] = min(1.0, loads.number * each / line.wavefronts)
        else:
            own[anchor] = min(1.0, loads.number / line.accesses)
            strays += max(0.0, loads.number - line.accesses)
            lacking += max(0.0, line.accesses - loads.number)
    # nvcc may give a load to another line than the simulator does.
    found = min(1.0, strays / lacking) if lacking else 0.0
    return {
        key: own[anchor] + found * (1 - own[anchor])
        for anchor, line in lines.items()
        for key in line.keys
    }
