"""Draws one access of a warp: the sectors or the banks that its lanes touch."""

from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from grader.execute.accesses import BANKS, LANES, SECTOR, WORD, WarpAccess
from grader.execute.profile import Kernel, LineCounters
from grader.render.svg import Svg
from grader.session.report_data import Traced

WIDTH, LEFT, CELL = 700.0, 30.0, 20.0
MOST_WORDS = 8  # of a bank that are drawn, one below the other


@dataclass(frozen=True)
class Access:
    """An access: its source line, what it costs in words, its drawing, and the warp."""

    title: str
    where: str
    facts: list[str]
    picture: Markup
    warp: WarpAccess
    kernel: Kernel


def _badness(line: LineCounters, warp: WarpAccess, run: Traced) -> tuple[int, int, bool, int]:
    """Sorts accesses, the worst last: by what the line wastes in the whole run, then by what this
    warp wastes; where nothing is wasted, correct runs and many lanes make the best picture."""
    return _excess(line, warp), warp.cost - warp.ideal(), run.right, len(warp.lanes)


def worst(runs: list[Traced]) -> list[Access]:
    """Of all runs, the worst access to global memory and the worst to shared memory."""
    accesses = []
    for space in ("global", "shared"):
        candidates = [
            (_badness(line, warp, run), warp, kernel)
            for run in runs
            for kernel in run.profile.kernels
            for line in kernel.lines
            for warp in run.warps
            if warp.space == space
            and (warp.launch, warp.file, warp.line) == (kernel.launch, line.file, line.line)
        ]
        if candidates:
            _, warp, kernel = max(candidates, key=lambda c: c[0])
            accesses.append(_access(warp, kernel))
    return accesses


def _excess(line: LineCounters, warp: WarpAccess) -> int:
    """What a line wastes: sectors beyond those its lanes need, or extra wavefronts caused by bank
    conflicts."""
    c = line.counters
    if warp.space == "shared":
        return c.shared_load_conflicts + c.shared_store_conflicts
    needed = (c.global_load_lanes + c.global_store_lanes) * warp.width // SECTOR
    return c.global_load_sectors + c.global_store_sectors - needed


def _access(warp: WarpAccess, kernel: Kernel) -> Access:
    action = "store to" if warp.store else "load from"
    where = f"{warp.file}:{warp.line}" if warp.line else "an unknown line"
    draw = _sectors if warp.space == "global" else _banks
    facts = [_request(warp), _cost(warp)]
    title = f"{action} {warp.space} memory".capitalize()
    block = ", ".join(map(str, warp.block))
    facts.append(f"{kernel.name}, block ({block}); the most expensive warp of this access")
    return Access(
        title, where, facts, draw(warp, f"{title} at {where}: {facts[0]}; {facts[1]}"), warp, kernel
    )


def _request(warp: WarpAccess) -> str:
    lanes = len(warp.lanes)
    if lanes == 1:
        return f"1 of {LANES} lanes accesses {warp.width} bytes"
    active = f"all {LANES} lanes" if lanes == LANES else f"{lanes} of {LANES} lanes"
    return f"{active} access {warp.width} bytes each"


def _cost(warp: WarpAccess) -> str:
    if warp.space == "shared":
        wavefronts = f"{warp.cost} wavefront{'s' * (warp.cost != 1)}"
        if warp.cost <= warp.ideal():
            return f"{wavefronts}, the fewest possible"
        return f"{wavefronts} because of bank conflicts; {warp.ideal()} would be enough"
    used = len(_bytes(warp))
    sectors = f"{warp.cost} sector{'s' * (warp.cost != 1)}"
    share = f"{100 * used / (warp.cost * SECTOR):.3g} %" if warp.cost else "none"
    return f"{sectors} = {warp.cost * SECTOR} bytes are transferred; {share} of them are used"


def _bytes(warp: WarpAccess) -> set[int]:
    return {at + i for at in warp.lanes.values() for i in range(warp.width)}


def _lanes(drawing: Svg, warp: WarpAccess) -> None:
    drawing.text(LEFT, 14, "lanes of the warp", "axis")
    for lane in range(LANES):
        active = lane in warp.lanes
        tip = f"lane {lane}: byte {warp.lanes[lane]}" if active else f"lane {lane}: not active"
        drawing.rect(LEFT + lane * CELL + 1, 22, CELL - 2, 18, "lane" if active else "idle", tip)
        if lane % 4 == 0 or lane == LANES - 1:
            name = "onlane" if active else "axis"
            drawing.text(LEFT + (lane + 0.5) * CELL, 35, str(lane), name, "middle")


def _sectors(warp: WarpAccess, label: str) -> Markup:
    """The lanes in the upper row; below, the sectors that they touch, by address."""
    touched = sorted(warp.units(SECTOR))
    top, used = 150.0, _bytes(warp)
    gap = 7.0
    gaps = sum(b != a + 1 for a, b in pairwise(touched))
    cell = min(80.0, (LANES * CELL - gaps * gap) / max(len(touched), 1))
    left_of, x = {}, LEFT + (LANES * CELL - cell * len(touched) - gap * gaps) / 2
    for before, sector in zip([touched[0] - 1, *touched], touched, strict=False):
        x += gap if sector != before + 1 else 0
        left_of[sector] = x
        x += cell
    drawing = Svg(WIDTH, top + 62, label)
    for lane, at in warp.lanes.items():
        sector = at // SECTOR
        to = left_of[sector] + cell * (at % SECTOR + warp.width / 2) / SECTOR
        drawing.line(
            LEFT + (lane + 0.5) * CELL, 41, min(to, left_of[sector] + cell), top - 1, "wire"
        )
    _lanes(drawing, warp)
    for sector, left in left_of.items():
        share = [sector * SECTOR + i in used for i in range(SECTOR)]
        tip = f"sector {sector}: {sum(share)} of {SECTOR} bytes used"
        drawing.rect(left + 0.5, top, cell - 1, 20, "unused", tip)
        for start, end in _stretches(share):
            wide = (cell - 1) * (end - start) / SECTOR
            drawing.rect(left + 0.5 + (cell - 1) * start / SECTOR, top, wide, 20, "used")
        drawing.rect(left + 0.5, top, cell - 1, 20, "frame")
    drawing.text(LEFT, top + 40, "32-byte sectors; filled: the bytes that lanes access", "axis")
    if gaps:
        drawing.text(LEFT, top + 56, "gap: sectors in between that no lane touches", "axis")
    return drawing.done()


def _stretches(share: list[bool]) -> list[tuple[int, int]]:
    """[start, end) of each run of True."""
    edges = [
        i
        for i in range(len(share) + 1)
        if (i < len(share) and share[i]) != (i > 0 and share[i - 1])
    ]
    return list(zip(edges[::2], edges[1::2], strict=False))


def _banks(warp: WarpAccess, label: str) -> Markup:
    """The lanes in the upper row; below, the banks; below each bank, the words accessed in it."""
    words: dict[int, list[int]] = {bank: [] for bank in range(BANKS)}
    for word in warp.units(WORD):
        words[word % BANKS].append(word)
    deepest = max(len(w) for w in words.values())
    # Several words in a bank are no conflict where the access is so wide that it needs them.
    conflict = warp.cost > warp.ideal()
    top, deep = 150.0, 16.0
    drawing = Svg(WIDTH, top + 24 + deep * min(deepest, MOST_WORDS) + 44, label)
    for lane, at in warp.lanes.items():
        x = LEFT + (lane + 0.5) * CELL
        bank = at // WORD % BANKS
        crowded = "wire crowded" if conflict and len(words[bank]) > 1 else "wire"
        drawing.line(x, 41, LEFT + (bank + 0.5) * CELL, top - 1, crowded)
    _lanes(drawing, warp)
    for bank, accessed in words.items():
        x = LEFT + bank * CELL
        drawing.rect(x + 1, top, CELL - 2, 18, "bank")
        if bank % 4 == 0 or bank == BANKS - 1:
            drawing.text(x + CELL / 2, top + 13, str(bank), "axis", "middle")
        for row, word in enumerate(sorted(accessed)[:MOST_WORDS]):
            name = "clash" if conflict and len(accessed) > 1 else "used"
            y = top + 22 + row * deep
            drawing.rect(x + 2, y, CELL - 4, deep - 3, name, f"bank {bank}: word {word}")
        if len(accessed) > MOST_WORDS:
            y = top + 32 + MOST_WORDS * deep
            drawing.text(x + CELL / 2, y, f"+{len(accessed) - MOST_WORDS}", "axis", "middle")
    foot = top + 24 + deep * min(deepest, MOST_WORDS) + 30
    note = (
        "banks of shared memory; below each, the words that lanes access in it, one per wavefront"
    )
    drawing.text(LEFT, foot, note, "axis")
    return drawing.done()
