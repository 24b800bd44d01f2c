"""A profile as text: for each launch, a table of the counters of its source lines."""

from __future__ import annotations

from pathlib import Path

from grader.execute.profile import Kernel, Profile
from grader.model.counters import Counters
from grader.model.finding import Finding

COLUMNS = (  # heading, counter
    ("gld req", "global_load_requests"),
    ("gld sect", "global_load_sectors"),
    ("gst req", "global_store_requests"),
    ("gst lanes", "global_store_lanes"),
    ("gst sect", "global_store_sectors"),
    ("sld req", "shared_load_requests"),
    ("sld wave", "shared_load_wavefronts"),
    ("sst req", "shared_store_requests"),
    ("sst wave", "shared_store_wavefronts"),
    ("const req", "constant_requests"),
    ("const ser", "constant_serialisation"),
    ("DRAM bytes", "dram_bytes"),
)
LEGEND = (
    "req: requests, one per warp instruction; lanes: their threads; sect: 32-byte sectors;\n"
    "wave: wavefronts of shared memory; const ser: words per constant request, which are read one\n"
    "after the other (a model; 1 is ideal); DRAM bytes: 32 for each sector, counted at the line\n"
    "that touches it first (a model). g global, s shared, ld load, st store."
)


def render(profile: Profile) -> str:
    """The tables of every launch, in order, and what their columns mean."""
    if not profile.kernels:
        return "no kernel was launched"
    return "\n\n".join([tables(profile), LEGEND])


def tables(profile: Profile) -> str:
    """The tables of every launch, in order."""
    return "\n\n".join(_kernel(kernel) for kernel in profile.kernels)


def _kernel(kernel: Kernel) -> str:
    used = [c for c in COLUMNS if getattr(kernel.counters, c[1])]
    grid, block = ("x".join(map(str, size)) for size in (kernel.grid, kernel.block))
    head = (
        f"launch {kernel.launch}: {kernel.name}  grid {grid}  block {block}  "
        f"occupancy at most {kernel.occupancy_bound:.0%}"
    )
    if kernel.counted_blocks < kernel.blocks:
        head += f"\n  scaled up from {kernel.counted_blocks} of {kernel.blocks} blocks"
    if not kernel.complete:
        head += "\n  the host ran out of memory: these counters are too small"
    paths = {line.file for line in kernel.lines}
    names = {Path(path).name for path in paths}
    short = len(names) == len(paths)  # no two files have the same name
    locations = [
        f"{Path(line.file).name if short else line.file}:{line.line}" for line in kernel.lines
    ]
    width = max([len(p) for p in locations] + [5])
    rows = [f"  {'':<{width}}" + "".join(f"{heading:>11}" for heading, _ in used)]
    rows += [
        f"  {location:<{width}}" + _numbers(line.counters, used)
        for location, line in zip(locations, kernel.lines, strict=True)
    ]
    rows.append(f"  {'total':<{width}}" + _numbers(kernel.counters, used))
    return "\n".join([head, *rows])


def _numbers(counters: Counters, used: list[tuple[str, str]]) -> str:
    return "".join(f"{_number(getattr(counters, name)):>11}" for _, name in used)


def _number(value: float | None) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def findings(profile: Profile, ended_early: bool = False) -> str:
    """What the simulator's checks found: errors, then notes, then how many.

    ended_early: the program did not exit by itself, so that the checks saw only a part of it.
    """
    until = " before your program ended early" if ended_early else ""
    errors = [f for f in profile.findings if f.severity == "error"]
    notes = [f for f in profile.findings if f.severity != "error"]
    if not profile.findings:
        return f"checks: nothing found{until}"
    lines = [f"{f.severity}: {f.kind}: {f.render()}" for f in [*errors, *notes]]
    return "\n".join([*lines, f"checks: {_count(errors, 'error')}, {_count(notes, 'note')}{until}"])


def _count(findings: list[Finding], noun: str) -> str:
    return f"{len(findings)} {noun}{'' if len(findings) == 1 else 's'}"
