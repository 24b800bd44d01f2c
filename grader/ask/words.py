"""Words that several kinds of questions share."""

import re
from collections.abc import Callable, Container
from random import Random

from grader.ask.draft import CannotTell, Mistake
from grader.ask.program import AskedPart
from grader.execute.accesses import SECTOR, WORD, WarpAccess

Index = tuple[int, int, int]
Group = list[WarpAccess]  # of one place in the source
Cost = Callable[[WarpAccess], int]
VECTORS = re.compile(r"(?:float|double|int|uint|uchar)[234]")


def index(at: Index, of: Index) -> str:
    """An index of a block or a thread, with the axes that there are."""
    axes = 3 if of[2] > 1 else 2 if of[1] > 1 else 1
    return str(at[0]) if axes == 1 else f"({', '.join(map(str, at[:axes]))})"


def block(program: AskedPart, access: WarpAccess) -> str:
    """Such as "block (1, 0)"."""
    return f"block {index(access.block, program.trace.launch(access).grid)}"


def warp(program: AskedPart, access: WarpAccess) -> str:
    """Such as "warp 3 of block (1, 0)"."""
    return f"warp {access.warp} of {block(program, access)}"


def image(size: tuple[int, int]) -> str:
    return f"an image of {size[0]} x {size[1]} pixels"


def ranges(numbers: set[int]) -> str:
    """Such as "4 to 7 and 12"."""
    first, last = (sorted(n for n in numbers if n + step not in numbers) for step in (-1, 1))
    runs = zip(first, last, strict=True)
    texts = [
        text
        for a, b in runs
        for text in ([f"{a} to {b}"] if b > a + 1 else [f"{n}" for n in range(a, b + 1)])
    ]
    if len(texts) > 6:
        texts = [*texts[:5], "...", texts[-1]]
    return ", ".join(texts[:-1]) + (" and " if len(texts) > 1 else "") + texts[-1]


def count(number: int, thing: str) -> str:
    """Such as "1 pass" and "2 passes"."""
    return f"{number} {thing}" + ("" if number == 1 else "es" if thing.endswith("s") else "s")


def sectors(access: WarpAccess) -> int:
    return len(access.units(SECTOR))


def plus(number: int, more: int) -> str:
    """A sum, such as "7 - 1"."""
    return f"{number} {'-' if more < 0 else '+'} {abs(more)}"


def memory(access: WarpAccess) -> str:
    """What an access reads or writes, such as "d_image"."""
    return access.array or f"{access.space} memory"


def the(access: WarpAccess) -> str:
    """Such as "the load from d_image"."""
    return f"the {'store to' if access.store else 'load from'} {memory(access)}"


def same(access: WarpAccess) -> tuple[int, int, str, bool, str]:
    """What is one access in the source: its launch, line, space, way and array."""
    return access.launch, access.line, access.space, access.store, access.array


def groups(program: AskedPart, *spaces: str) -> list[Group]:
    """The accesses of the given spaces. Raises CannotTell where there is none."""
    found: dict[tuple[int, int, str, bool, str], Group] = {}
    for access in program.trace.warps:
        if access.space in spaces:
            found.setdefault(same(access), []).append(access)
    known = [group for group in found.values() if _is_one(program, group)]
    if not known:
        raise CannotTell(f"no accesses of {' or '.join(spaces)} memory")
    return known


def _is_one(program: AskedPart, group: Group) -> bool:
    """Does the text show what the group is: one array, and as many bytes as an element has? nvcc
    joins neighbouring accesses, which no line of the file says."""
    widest = max(access.width for access in group)
    joined = widest > max(program.trace.dtype.itemsize, WORD)
    if joined and not any(map(VECTORS.fullmatch, program.text.words(group[0].line))):
        return False
    return bool(group[0].array) or len({access.bytes for access in group}) == 1


def draw_access(
    program: AskedPart, draw: Random, space: str, cost: Cost, widths: Container[int] = range(1, 17)
) -> tuple[Group, WarpAccess]:
    """The accesses of one place in the source, each lane's of one of the widths, and the first that
    one of the warps makes there. Where its line has several such accesses, they cost the same: no
    order of theirs is certain. Raises CannotTell."""
    known = groups(program, space)
    fitting = [group for group in known if all(access.width in widths for access in group)]
    draw.shuffle(fitting)
    for group in fitting:
        firsts: dict[tuple[Index, int], dict[int, WarpAccess]] = {}
        for access in group:
            firsts.setdefault((access.block, access.warp), {}).setdefault(access.pc, access)
        by_warp = [[*by_pc.values()] for by_pc in firsts.values()]
        if certain := [first[0] for first in by_warp if len({*map(cost, first)}) == 1]:
            return group, draw.choice(certain)
    raise CannotTell(f"no accesses of {space} memory of that width, or in no certain order")


def beyond(group: Group, access: WarpAccess, cost: Cost) -> list[Mistake]:
    """What more than one access of the warp costs, as answers to what one of them does."""
    own = [a for a in group if (a.block, a.warp) == (access.block, access.warp)]
    firsts: dict[tuple[Index, int], WarpAccess] = {}
    for each in group:
        firsts.setdefault((each.block, each.warp), each)
    in_block = [a for a in firsts.values() if a.block == access.block]
    return [
        (len(own), "that is how often the warp executes this line"),
        (sum(map(cost, own)), "that is for all times that the warp executes this line"),
        (sum(map(cost, in_block)), "that is for all warps of the block together"),
        (sum(map(cost, firsts.values())), "that is for the whole grid"),
        (len(in_block), "those are the warps of the block"),
    ]


def agrees(answer: int, program: AskedPart, group: Group, cost: Cost, counter: str) -> int | str:
    """The answer where the costs of all accesses of a group are together what the profile counted
    for them; else what differs."""
    first, pcs = group[0], {access.pc for access in group}
    sites = [site for site in program.trace.launch(first).sites if site.pc in pcs]
    way = first.space, first.store
    counted = sum(int(getattr(s, counter)) for s in sites if (s.space, s.store) == way)
    ours = sum(map(cost, group))
    return answer if ours == counted else f"the counter says {counted}, the trace {ours}"
