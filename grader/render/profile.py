"""A profile as text: for each launch, a table of the counters of its source lines."""

import textwrap
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from grader.execute.profile import Kernel, Profile
from grader.model.finding import Finding

COLUMNS = (  # heading, counter; those of one kind of memory are adjacent
    ("gld req", "global_load_requests"),
    ("gld sect", "global_load_sectors"),
    ("gst req", "global_store_requests"),
    ("gst lanes", "global_store_lanes"),
    ("gst sect", "global_store_sectors"),
    ("DRAM bytes", "dram_bytes"),
    ("sld req", "shared_load_requests"),
    ("sld wave", "shared_load_wavefronts"),
    ("sst req", "shared_store_requests"),
    ("sst wave", "shared_store_wavefronts"),
    ("const req", "constant_requests"),
    ("const ser", "constant_serialisation"),
)
KINDS = {heading: counter.split("_")[0].replace("dram", "global") for heading, counter in COLUMNS}
LEGEND_WIDTH = 96
NOTHING = "-"  # in place of 0: most lines have few of the counters
LEGEND = (
    "req: requests, one per warp instruction; lanes: their threads; sect: 32-byte sectors; "
    "wave: wavefronts of shared memory; const ser: words per constant request, which are read one "
    "after the other (a model; 1 is ideal); DRAM bytes: 32 for each sector, counted at the line "
    "that touches it first (a model). g global, s shared, ld load, st store; -: none."
)


def render(profile: Profile, width: int | None = None) -> str:
    """The tables of every launch, in order, and what their columns mean. width: of the terminal;
    None: a table may have any width."""
    if not profile.kernels:
        return "no kernel was launched"
    return "\n\n".join([tables(profile, width), legend(width)])


def legend(width: int | None = None) -> str:
    """What the columns of the tables mean."""
    return textwrap.fill(LEGEND, min(width or LEGEND_WIDTH, LEGEND_WIDTH))


def tables(profile: Profile, width: int | None = None) -> str:
    """The tables of every launch, in order."""
    return "\n\n".join(_kernel(kernel, width) for kernel in profile.kernels)


def _kernel(kernel: Kernel, width: int | None) -> str:
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
    counters = [*(line.counters for line in kernel.lines), kernel.counters]
    columns = [
        [heading, *(_number(getattr(c, name)) for c in counters)]
        for heading, name in COLUMNS
        if getattr(kernel.counters, name)
    ]
    if width is not None:
        head = "\n".join(textwrap.fill(h, width, subsequent_indent="  ") for h in head.split("\n"))
    return "\n".join([head, *_table(["", *locations, "total"], columns, width)])


def _table(first: list[str], columns: list[list[str]], width: int | None) -> list[str]:
    """The lines of a table. Columns that do not fit into the width follow in a table of their own,
    without the rows that have no number there."""
    indent = 2 + max(map(len, first))
    lines: list[str] = []
    for part in _parts(columns, None if width is None else width - indent):
        for number, location in enumerate(first):
            cells = [column[number] for column in part]
            if not cells or any(cell != NOTHING for cell in cells):
                numbers = (f"{cells[i]:>{_width(column)}}" for i, column in enumerate(part))
                lines.append(f"  {location:<{indent - 2}}" + "".join(numbers))
    return lines


def _parts(columns: list[list[str]], width: int | None) -> list[list[list[str]]]:
    """The columns in parts that fit into the width. All of one kind of memory are in one part where
    they fit."""
    parts: list[list[list[str]]] = [[]]
    for _, group in groupby(columns, key=lambda column: KINDS[column[0]]):
        kind = list(group)
        for some in (kind,) if _fits(kind, width) else ([column] for column in kind):
            if parts[-1] and not _fits([*parts[-1], *some], width):
                parts.append([])
            parts[-1] += some
    return parts


def _fits(columns: list[list[str]], width: int | None) -> bool:
    return width is None or sum(map(_width, columns)) <= width


def _width(column: list[str]) -> int:
    return 2 + max(map(len, column))


def _number(value: float | None) -> str:
    if not value:
        return NOTHING
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def findings(profile: Profile, ended_early: bool = False, width: int | None = None) -> str:
    """What the simulator's checks found: errors, then notes, then how many.

    ended_early: the program did not exit by itself, so that the checks saw only a part of it.
    width: of the terminal, in which longer lines continue indented; None: they are not broken.
    """
    until = " before your program ended early" if ended_early else ""
    errors = [f for f in profile.findings if f.severity == "error"]
    notes = [f for f in profile.findings if f.severity != "error"]
    if not profile.findings:
        return f"checks: nothing found{until}"
    lines = [f"{f.severity}: {f.kind}: {f.render()}" for f in [*errors, *notes]]
    if width is not None:
        lines = [
            textwrap.fill(
                line,
                width,
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            for line in lines
        ]
    return "\n".join([*lines, f"checks: {_count(errors, 'error')}, {_count(notes, 'note')}{until}"])


def _count(findings: Sequence[Finding], noun: str) -> str:
    return f"{len(findings)} {noun}{'' if len(findings) == 1 else 's'}"
