"""How often each basic block of a kernel runs, from how often its accesses do.

The simulator counts how often the warps of a launch reach each access and each operation of a line
of the source, and how many rounds each loop makes. nvcc's code has other blocks than the
simulator's, because it unrolls loops and copies code. What is known of it:

- What enters a block leaves it, and all warps enter the first one.
- The accesses of all copies of a line together are those of the line.
- nvcc's code may have fewer loads of shared and constant memory than the source, because it reads
  a word once that several results need: these loads say little where they contradict arithmetic.
- A copy of a loop's body with four rounds runs in a loop of nine rounds at most twice, and only
  after the loop was entered; larger copies come first.

Of all solutions the one with the fewest instructions is taken, because nvcc makes its copies to
save some. It is a linear program, in which the counts may be missed at a price.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grader.predict.code import Loop
from grader.predict.ptx import MERGED, REACHED, SPARE, Anchor, Block, Loads

# Prices, in the instructions that all warps execute: of missing all of a line's count, of missing
# all of a class's, of a copy that runs more often than its loop allows, and of flow from nowhere
# (lanes that diverge take both ways).
_LINE, _CLASS, _COPY, _DIVERGE = 3.0, 10.0, 100.0, 1.5
_FEWER = 0.1  # of these prices, where nvcc's code has fewer loads than the source
_MANY = 1000.0  # rounds of a loop of which nothing is known


@dataclass(frozen=True)
class Executed:
    """What all warps execute, by kind. together: how many accesses of a memory a warp makes in a
    row without needing the result of one for the next, in the mean: they are under way at the same
    time. calls: of functions. loads: of shared memory, by their lines; empty where some may be
    loads of any memory, or where no passes were found."""

    operations: dict[str, float]
    together: dict[str, float]
    calls: dict[str, float]
    loads: dict[Anchor, Loads]


@dataclass(frozen=True)
class _Count:
    """Operations of which blocks, how often together, and the weight of a miss. least: there may be
    more, because a warp passes some of them without executing them. merged: there may be fewer."""

    members: dict[int, int]
    value: float
    weight: float
    least: bool
    merged: bool


def executed(
    blocks: list[Block], warps: float, counted: dict[Anchor, float], loops: list[Loop]
) -> Executed:
    solved = _solve(blocks, warps, _both_sides(blocks, counted, loops), loops)
    passes = np.full(len(blocks), warps) if solved is None else solved
    total: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    for block, count in zip(blocks, passes, strict=True):
        for kind, number in block.operations.items():
            total[kind] += number * float(count)  # type: ignore[assignment]
        for kind, number in block.waits.items():
            waits[kind] += number * float(count)  # type: ignore[assignment]
    together = {kind: total[kind] / waits[kind] for kind in waits if waits[kind] > 0}
    calls = {
        block.function: float(n) for block, n in zip(blocks, passes, strict=True) if block.function
    }
    loads = {} if solved is None else _loads(blocks, solved)
    return Executed(dict(total), together, calls, loads)


def _loads(blocks: list[Block], passes: np.ndarray) -> dict[Anchor, Loads]:
    found: defaultdict[Anchor, Loads] = defaultdict(Loads)
    for block, count in zip(blocks, passes, strict=True):
        if block.generic:
            return {}
        for anchor, loads in block.loads.items():
            found[anchor] += loads * float(count)
    return dict(found)


def _both_sides(
    blocks: list[Block], counted: dict[Anchor, float], loops: list[Loop]
) -> dict[Anchor, float]:
    """The counts, with those of arithmetic of which nvcc does more in each round than the source
    asks for: it computes both sides of a choice."""
    by_line = _by_line(blocks)
    single: set[Loop] = set()  # loops of which there is a copy with one round, by their loads
    for anchor, members in by_line.items():
        for loop in _around(anchor, loops)[:1]:
            if anchor[0].endswith("load") and counted.get(anchor):
                once = max(1, round(counted[anchor] / loop.rounds))
                single |= {loop} if min(members.values()) <= once else set()
    more = dict(counted)
    for anchor, members in by_line.items():
        for loop in _around(anchor, loops)[:1]:
            if anchor[0] in ("fma", "fp64") and counted.get(anchor) and loop in single:
                once = max(1, round(counted[anchor] / loop.rounds))
                more[anchor] = counted[anchor] * max(1.0, min(members.values()) / once)
    return more


class _Program:
    """The linear program: columns are edges, ways out, passes of the blocks, flow from nowhere, and
    what is missed; rows say what is equal."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int, float]] = []
        self.target: list[float] = []
        self.price: list[float] = []

    def column(self, price: float = 0.0) -> int:
        self.price.append(price)
        return len(self.price) - 1

    def row(self, entries: dict[int, float], target: float) -> None:
        self.entries += [(len(self.target), column, value) for column, value in entries.items()]
        self.target.append(target)

    def solve(self) -> np.ndarray | None:
        # Here and not above: to import them takes half a second, of every command of the grader.
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix

        rows, columns, values = zip(*self.entries, strict=True)
        shape = (len(self.target), len(self.price))
        matrix = coo_matrix((values, (rows, columns)), shape=shape).tocsr()
        solved = linprog(
            self.price, A_eq=matrix, b_eq=self.target, bounds=(0, None), method="highs"
        )
        return None if solved.x is None else np.asarray(solved.x)


def _solve(
    blocks: list[Block], warps: float, counted: dict[Anchor, float], loops: list[Loop]
) -> np.ndarray | None:
    """The passes of each block."""
    program = _Program()
    scale = 1.0 / max(warps, 1.0)
    rows = _wanted(blocks, counted)
    size = 20 * max(1.0, sum(row.value for row in rows) * scale / 1000)
    edges = {(i, j): program.column() for i, block in enumerate(blocks) for j in block.next}
    passes = [program.column(sum(b.operations.values()) + 0.01) for b in blocks]
    for i, block in enumerate(blocks):
        into = {column: 1.0 for (_, j), column in edges.items() if j == i}
        out = {column: 1.0 for (j, _), column in edges.items() if j == i}
        if block.leaves or not block.next:
            out[program.column()] = 1.0
        nowhere = {program.column(_DIVERGE * size): 1.0}
        program.row({passes[i]: -1.0, **into, **nowhere}, -1.0 if i == 0 else 0.0)
        program.row({passes[i]: -1.0, **out}, 0.0)
    for row in rows:
        fewer = program.column(row.weight * size * (_FEWER if row.merged else 1.0))
        more = program.column(0.0 if row.least else row.weight * size)
        members = {passes[i]: float(number) for i, number in row.members.items()}
        program.row({**members, fewer: 1.0, more: -1.0}, row.value * scale)
    for copies, most in _copies(blocks, warps, counted, loops):
        slack, over = program.column(), program.column(_COPY * size)
        members = {passes[i]: 1.0 for i in copies}
        program.row({**members, slack: 1.0, over: -1.0}, most * scale)
    for copies in _untested(blocks, counted, loops):
        over = program.column(_COPY * size)
        program.row({**{passes[i]: 1.0 for i in copies}, over: -1.0}, 0.0)
    _enter_loops(program, blocks, edges, counted, loops, _COPY * size)
    solved = program.solve()
    return None if solved is None else np.asarray(solved[passes] / scale)


def _heads(blocks: list[Block]) -> dict[int, list[int]]:
    """The loops of nvcc's code: by their first block, those that go back to it."""
    heads: dict[int, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        for j in block.next:
            if i >= j and not block.returns:
                heads[j].append(i)
    return heads


def _untested(
    blocks: list[Block], counted: dict[Anchor, float], loops: list[Loop]
) -> Iterator[list[int]]:
    """The blocks of copies of a loop that leave out a condition of the source, where another copy
    has it and all comparisons of its line run in most rounds: a parameter chose that one."""
    ends = {head: max(tails) for head, tails in _heads(blocks).items()}
    bodies = [range(head, end + 1) for head, end in ends.items()]
    inner = [b for b in bodies if not any(b.start < other.start <= b.stop for other in bodies)]
    anchored = {anchor[1:] for anchor in counted if anchor[0] not in (SPARE, REACHED)}
    begins = {(loop.file, loop.first) for loop in loops}
    of_block = [
        {
            loop
            for anchor in block.anchors
            if anchor[0] not in (SPARE, REACHED)
            for loop in _around(anchor, loops)[:1]
        }
        for block in blocks
    ]
    for anchor, value in counted.items():
        if anchor[0] != REACHED or anchor[1:] in anchored | begins:
            continue
        tested = [body for body in inner if any(blocks[i].anchors[anchor] for i in body)]
        around = {loop for body in tested for i in body for loop in of_block[i]}
        for loop in around & set(_around(anchor, loops)[:1]) or around:
            if value < loop.rounds / 2:
                continue
            own = {i for i, found in enumerate(of_block) if loop in found}
            for body in inner:
                if own & set(body) and body not in tested:
                    yield [
                        i
                        for i in own
                        if _on_way(blocks, i, body)
                        and not any(_on_way(blocks, i, other) for other in tested)
                    ]


def _on_way(blocks: list[Block], block: int, body: range) -> bool:
    """Is the block in a loop, before it or after it?"""
    return (
        block in body
        or (block < body.start and _leads_to(blocks, block, body.start))
        or (block > body.start and _leads_to(blocks, body[-1], block))
    )


def _enter_loops(
    program: _Program,
    blocks: list[Block],
    edges: dict[tuple[int, int], int],
    counted: dict[Anchor, float],
    loops: list[Loop],
    over: float,
) -> None:
    """A loop of nvcc's code goes back at most as often as its rounds allow for each time that it is
    entered. Otherwise it could run by itself. over: the price of doing so nevertheless."""
    heads = _heads(blocks)
    ends = {head: max(tails) for head, tails in heads.items()}
    for head, tails in heads.items():
        most = _rounds(blocks, head, ends, counted, loops)
        most = min(most, _remainder(blocks, head, ends))
        row = {edges[tail, head]: 1.0 for tail in tails}
        for (i, j), column in edges.items():
            if j == head and i < head:
                row[column] = -(most - 1)
        row[program.column()] = 1.0
        row[program.column(over)] = -1.0
        program.row(row, most - 1 if head == 0 else 0.0)


def _rounds(
    blocks: list[Block],
    head: int,
    ends: dict[int, int],
    counted: dict[Anchor, float],
    loops: list[Loop],
) -> float:
    """How many rounds a loop of nvcc's code may make each time. ends: by the first block of each of
    its loops, the last. It is one loop of the source: none of the innermost ones around a line, if
    nvcc's code has as many loops inside this one."""
    most = 0.0
    end = ends[head]
    inside = {
        i: sum(head < other <= i <= ends[other] <= end for other in ends)
        for i in range(head, end + 1)
    }
    for anchor in {anchor for block in blocks[head : end + 1] for anchor in block.anchors}:
        around = _around(anchor, loops)
        if not around or not counted.get(anchor) or anchor[0] in (SPARE, REACHED):
            continue
        if any(inside.values()):
            left = max(n for i, n in inside.items() if anchor in blocks[i].anchors)
            most = max([most, *(loop.each for loop in around[left:])])
        else:
            once = max(1, round(counted[anchor] / around[0].rounds))
            copies = max(_most_of(blocks, head, end, anchor) / once, 1.0)
            most = max(most, _left_over(copies, around))
    return max(most, 1.0) if most else _MANY


def _left_over(copies: float, around: list[Loop]) -> float:
    """The rounds of a loop whose body has so many copies of a line: inner loops are unrolled in it
    as a whole, the next one in part."""
    for loop in around[:-1]:
        if copies < loop.each - 0.5:
            return loop.each / copies
        copies = max(copies / loop.each, 1.0)
    return around[-1].each / copies


def _remainder(blocks: list[Block], head: int, ends: dict[int, int]) -> float:
    """How many rounds a loop may make each time that takes what another one leaves over, which has
    more copies of the same lines and comes before it in the same loop."""

    def parent(of: int) -> int:
        return max((h for h in ends if h < of and ends[of] <= ends[h]), default=-1)

    most = math.inf
    for other, end in ends.items():
        if end < head and parent(other) == parent(head) and _leads_to(blocks, end, head):
            for anchor in {a for b in blocks[head : ends[head] + 1] for a in b.anchors}:
                few = _most_of(blocks, head, ends[head], anchor)
                many = _most_of(blocks, other, end, anchor)
                if anchor[0] not in (SPARE, REACHED) and 0 < few < many:
                    most = min(most, math.ceil(many / few) - 1)
    return most


def _leads_to(blocks: list[Block], start: int, end: int) -> bool:
    """May one block come after another without going back?"""
    reached = {start}
    for i in range(start, end):
        if i in reached:
            reached |= {after for after in blocks[i].next if after > i}
    return end in reached


def _most_of(blocks: list[Block], head: int, end: int, anchor: Anchor) -> int:
    """The most operations of a line that one way from one block to another has."""
    most = [0] * (end - head + 1)
    for i in range(head, end + 1):
        most[i - head] += blocks[i].anchors.get(anchor, 0)
        for after in blocks[i].next:
            if i < after <= end:
                most[after - head] = max(most[after - head], most[i - head])
    return max(most)


def _around(anchor: Anchor, loops: list[Loop]) -> list[Loop]:
    """The loops in which a line is, the innermost first."""
    _, file, line = anchor
    found = [loop for loop in loops if loop.file == file and loop.first <= line <= loop.last]
    return sorted(found, key=lambda loop: loop.last - loop.first)


def _copies(
    blocks: list[Block], warps: float, counted: dict[Anchor, float], loops: list[Loop]
) -> list[tuple[list[int], float]]:
    """Blocks that are copies of a loop's body with equally many rounds, and how often they may run,
    all of them together."""
    found = []
    for anchor, members in _by_line(blocks).items():
        around = _around(anchor, loops)
        if not around or not counted.get(anchor) or anchor[0] in (SPARE, REACHED):
            continue
        inner = around[0]
        once = max(1, round(counted[anchor] / inner.rounds))
        sizes: dict[int, list[int]] = defaultdict(list)
        for i, number in members.items():
            sizes[max(1, round(number / once))].append(i)
        fit = [size for size in sizes if size <= inner.each + 0.5]
        runs = unrolled(inner.each, fit)
        for size, copies in sizes.items():
            if size in runs and size > 1:
                found.append((copies, inner.entries * runs[size]))
            elif size not in runs:
                most = _of_several(size, around, warps)
                if most is not None:
                    found.append((copies, most))
    return found


def _of_several(size: int, around: list[Loop], warps: float) -> float | None:
    """How often a block may run that holds more rounds than the inner loop has: then loops around
    it are unrolled, too. None where that is not known."""
    left = float(size)
    for loop in around:
        if left <= loop.each + 0.5:
            whole = round(left)
            return loop.entries * unrolled(loop.each, [whole])[whole]
        left /= loop.each
        if abs(left - round(left)) > 0.02:
            return 0.0 if left < 2 else None  # copies that are too large, or accesses were merged
    # A loop that each warp comes to once has none around it; else its function is called often.
    return around[-1].entries / left if around[-1].entries > 1.5 * warps else 0.0


def unrolled(rounds: float, sizes: list[int]) -> dict[int, float]:
    """How often the copies with so many rounds each run, the largest first, in a loop of `rounds`
    rounds: {4: 2, 1: 1} for nine. Where rounds are no whole number, between those of its
    neighbours."""
    below = math.floor(rounds + 1e-6)
    above = max(rounds - below, 0.0)
    found = dict.fromkeys(sizes, 0.0)
    for whole, weight in ((below, 1 - above), (below + 1, above)):
        left = whole
        for size in sorted(sizes, reverse=True):
            found[size] += weight * (left // size)
            left %= size
    return found


def _by_line(blocks: list[Block]) -> dict[Anchor, dict[int, int]]:
    found: dict[Anchor, dict[int, int]] = defaultdict(dict)
    for i, block in enumerate(blocks):
        for anchor, number in block.anchors.items():
            found[anchor][i] = number
    return found


def _wanted(blocks: list[Block], counted: dict[Anchor, float]) -> list[_Count]:
    by_line = _by_line(blocks)
    guarded = set().union(*(block.guarded for block in blocks))
    guarded_classes = {anchor[0] for anchor in guarded}
    by_class: dict[str, Counter[int]] = defaultdict(Counter)
    for anchor, members in by_line.items():
        by_class[anchor[0]].update(members)
    rows = []
    totals: Counter[str] = Counter()
    anchored = {anchor[1:] for anchor in counted if anchor[0] not in (SPARE, REACHED)}
    for anchor, value in counted.items():
        name = anchor[0]
        if name == REACHED or (name == SPARE and anchor[1:] in anchored):
            continue
        if anchor in by_line:
            rows.append(_Count(by_line[anchor], value, _LINE, anchor in guarded, name in MERGED))
        if name != SPARE:
            totals[name] += value  # type: ignore[assignment]
    rows += [
        _Count(dict(by_class[name]), value, _CLASS, name in guarded_classes, name in MERGED)
        for name, value in totals.items()
        if name in by_class
    ]
    return rows
