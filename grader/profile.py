"""Counters of a traced run, per launch and per source line: convlabs-profile/v1."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Literal

import msgspec

from grader.finding import Finding

WARPS_OF_MULTIPROCESSOR = 64
BLOCKS_OF_MULTIPROCESSOR = 32
SHARED_OF_MULTIPROCESSOR = 228 * 1024
SHARED_RESERVED = 1024  # of each block's, by the system


class Site(msgspec.Struct, frozen=True):
    """One access in the program, as the simulator counted it."""

    pc: int
    space: Literal["global", "shared", "constant"]
    store: bool
    width: int
    requests: int
    lanes: int
    sectors: int
    wavefronts: int
    ideal: int
    words: int


class Launch(msgspec.Struct, frozen=True):
    """One line of the file that CONVLABS_SIM_PROFILE names."""

    launch: int
    name: str
    file: str
    line: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    complete: bool
    sites: list[Site]


class Counters(msgspec.Struct):
    """What Nsight Compute counts, by our names; the last ones are models."""

    global_load_requests: int = 0
    global_load_sectors: int = 0
    global_store_requests: int = 0
    global_store_sectors: int = 0
    shared_load_requests: int = 0
    shared_load_wavefronts: int = 0
    shared_load_conflicts: int = 0
    shared_store_requests: int = 0
    shared_store_wavefronts: int = 0
    shared_store_conflicts: int = 0
    constant_requests: int = 0
    constant_words: int = 0

    def add(self, site: Site) -> None:
        """Adds what one access site counted."""
        way = "store" if site.store else "load"
        if site.space == "constant":
            self.constant_requests += site.requests
            self.constant_words += site.words
        elif site.space == "global":
            self._raise(f"global_{way}_requests", site.requests)
            self._raise(f"global_{way}_sectors", site.sectors)
        else:
            self._raise(f"shared_{way}_requests", site.requests)
            self._raise(f"shared_{way}_wavefronts", site.wavefronts)
            self._raise(f"shared_{way}_conflicts", site.wavefronts - site.ideal)

    def _raise(self, name: str, by: int) -> None:
        setattr(self, name, getattr(self, name) + by)


class Line(msgspec.Struct, frozen=True):
    """The counters of one line of the program."""

    file: str
    line: int
    counters: Counters


class Kernel(msgspec.Struct, frozen=True):
    """One launch. `occupancy_bound`: of the warps that a multiprocessor could hold, at most this
    part; registers are not known here, so it is an upper bound."""

    launch: int
    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    complete: bool
    counters: Counters
    occupancy_bound: float
    lines: list[Line]


class Profile(msgspec.Struct, frozen=True):
    """A whole run."""

    kernels: list[Kernel]
    findings: list[Finding] = []
    schema: Literal["convlabs-profile/v1"] = "convlabs-profile/v1"


def read(raw: bytes) -> list[Launch]:
    """The launches in a simulator's profile, in their order."""
    return [msgspec.json.decode(line, type=Launch) for line in raw.splitlines() if line.strip()]


def profile(binary: Path, launches: list[Launch], findings: list[Finding]) -> Profile:
    """Counters per launch and line. Needs addr2line, which comes with the compiler."""
    places = _places(binary, sorted({site.pc for launch in launches for site in launch.sites}))
    return Profile([_kernel(launch, places) for launch in launches], findings)


def _kernel(launch: Launch, places: dict[int, tuple[str, int]]) -> Kernel:
    total = Counters()
    lines: dict[tuple[str, int], Counters] = {}
    for site in launch.sites:
        total.add(site)
        lines.setdefault(places[site.pc], Counters()).add(site)
    return Kernel(
        launch=launch.launch,
        name=launch.name.split("<")[0].split("::")[-1].strip(),
        grid=launch.grid,
        block=launch.block,
        complete=launch.complete,
        counters=total,
        occupancy_bound=_occupancy(launch),
        lines=[Line(file, line, lines[file, line]) for file, line in sorted(lines)],
    )


def _occupancy(launch: Launch) -> float:
    x, y, z = launch.block
    warps = -(-x * y * z // 32)
    blocks = min(
        BLOCKS_OF_MULTIPROCESSOR,
        WARPS_OF_MULTIPROCESSOR // warps,
        SHARED_OF_MULTIPROCESSOR // (launch.shared + SHARED_RESERVED),
    )
    return blocks * warps / WARPS_OF_MULTIPROCESSOR


def _nearer(file: str) -> str:
    """The path as seen from here, where that is shorter."""
    path = Path(file)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file


def _places(binary: Path, counters: list[int]) -> dict[int, tuple[str, int]]:
    """The file and line of each program counter. A counter is where a call returns to."""
    if not counters:
        return {}
    done = subprocess.run(
        ["addr2line", "-e", str(binary), *(hex(pc - 1) for pc in counters)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = {}
    for pc, text in zip(counters, done.stdout.splitlines(), strict=True):
        file, _, line = text.split(" (")[0].rpartition(":")
        found[pc] = (_nearer(file), int(line) if line.isdecimal() else 0)
    return found
