"""One traced run of a student's program: its launches, and every access that it made."""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from grader.ask.draft import CannotTell
from grader.execute import accesses, evidence
from grader.execute.accesses import BANKS, WORD, ThreadAccess, WarpAccess
from grader.execute.case import Outcome
from grader.execute.profile import Launch, Profile, profile, read_launches


@dataclass(frozen=True)
class Trace:
    """A run on an image of `size`. shape, dtype: of its output. Only accesses of lines of the
    student's own file are kept. complete: none is missing."""

    size: tuple[int, int]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    launches: list[Launch] = field(default_factory=list)
    counted: Profile = field(default_factory=lambda: Profile([]))
    warps: list[WarpAccess] = field(default_factory=list)
    threads: list[ThreadAccess] = field(default_factory=list)
    team: bytes = b""
    complete: bool = True

    @cached_property
    def stores(self) -> list[WarpAccess]:
        """The stores that write the output: those of the last launch that stores to an array of
        its size."""
        size = int(np.prod(self.shape)) * self.dtype.itemsize
        to_it = [a for a in self.warps if a.space == "global" and a.store and a.bytes == size]
        last = max((a.launch for a in to_it), default=-1)
        return [a for a in to_it if a.launch == last]

    @cached_property
    def writers(self) -> dict[int, list[tuple[WarpAccess, int]]]:
        """Who stores each element of the output: accesses and lanes, by the element's number."""
        found: dict[int, list[tuple[WarpAccess, int]]] = {}
        for access in self.stores:
            for lane, first in access.lanes.items():
                for byte in range(first, first + access.width, self.dtype.itemsize):
                    found.setdefault(byte // self.dtype.itemsize, []).append((access, lane))
        return found

    def launch(self, access: WarpAccess) -> Launch:
        return self.launches[access.launch]

    def thread(self, access: WarpAccess, lane: int) -> tuple[int, int, int]:
        """threadIdx of a lane."""
        return place(access.warp * accesses.LANES + lane, self.launch(access).block)


def place(number: int, of: tuple[int, int, int]) -> tuple[int, int, int]:
    """The index of a thread, or of a block, from its number: x counts fastest."""
    x, y, _ = of
    return number % x, number // x % y, number // (x * y)


def with_warps(blank: Trace, outcome: Outcome, binary: Path, shown: str) -> Trace:
    """What a run of a program of the simulator shows of the file `shown`. Raises CannotTell."""
    try:
        launches = read_launches(outcome.profile)
    except msgspec.DecodeError as problem:
        raise CannotTell("its counters cannot be read") from problem
    found = accesses.of_warps(binary, outcome.steps)
    requests: Counter[tuple[int, int, str]] = Counter((a.launch, a.pc, a.space) for a in found)
    counted: Counter[tuple[int, int, str]] = Counter()
    for launch in launches:
        for site in launch.sites:  # one instruction may have several, by their widths
            if not site.atomic:
                counted[launch.launch, site.pc, site.space] += site.requests
    return replace(
        blank,
        launches=launches,
        counted=profile(binary, launches, outcome.findings),
        warps=[a for a in found if a.file == shown],
        complete=all(requests[place] == count for place, count in counted.items()),
    )


def with_threads(blank: Trace, outcome: Outcome, binary: Path, shown: str) -> Trace:
    """Likewise of a function in C."""
    raw = outcome.evidence.lines(evidence.ACCESS)
    return replace(
        blank,
        threads=[a for a in accesses.of_threads(binary, raw) if a.file == shown],
        team=outcome.evidence.last(evidence.TEAM),
        complete=len(raw) < 3 << 20,
    )


def words_of_banks(access: WarpAccess) -> dict[int, set[int]]:
    """The different words that an access of shared memory touches, by their banks."""
    banks: dict[int, set[int]] = {}
    for word in access.units(WORD):
        banks.setdefault(word % BANKS, set()).add(word)
    return banks


def wavefronts(access: WarpAccess) -> int:
    """The passes over the banks that an access of up to four bytes a lane takes."""
    return max(map(len, words_of_banks(access).values()))
