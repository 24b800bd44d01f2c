"""How many blocks does a launch have for another image?"""

import math

from grader.ask.draft import assuming
from grader.ask.footprint import Footprint, footprint
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import block, runs
from grader.ask.words import count
from grader.execute.modes import COUNTED_BLOCK
from grader.execute.profile import read_launches

OF_IMAGES = True


def ask(program: AskedPart, draw: Random) -> Draft:
    foot = footprint(program.trace)
    seen = program.trace.size
    width, height = size = foot.other_size(seen, draw)
    wide, high = foot.tile
    launch, layers = program.trace.launches[foot.launch], foot.layers
    answer = counted(program, size, foot.launch)
    # A grid of a fixed size, or one that a device's size limits, follows another rule.
    # Where one tile is as wide as the image, it may be wider than is seen.
    larger = (
        2 * width + 1 if wide < seen[0] else width,
        2 * height + 1 if high < seen[1] else height,
    )
    if counted(program, larger, foot.launch) != foot.blocks(larger):
        raise CannotTell("the grid does not follow from the tile")
    at_least = "at least " if wide >= seen[0] or high >= seen[1] else ""
    across, below = math.ceil(width / wide), math.ceil(height / high)
    partly = "the last of them partly filled" if width % wide or height % high else "all filled"
    more = f" x {layers}" if layers > 1 else ""
    behind = f", with {layers} blocks for each tile" if layers > 1 else ""
    return Draft(
        line=launch.line,
        text=f"{runs(program, program.case(size), launch)}. How many blocks does this launch "
        f"start{behind}?",
        answer=answer,
        second=lambda: foot.blocks(size),
        why=f"A block of {block(launch)} computes {at_least}{count(wide, 'column')} and "
        f"{count(high, 'row')}. The image needs {count(across, 'tile')} across and "
        f"{count(below, 'tile')} down, {partly}: "
        f"{across} x {below}{more} = {answer}.",
        mistakes=mistakes(program, foot, size, launch.block),
        counts="count the blocks that the image needs across, then down, and multiply",
    )


def mistakes(
    program: AskedPart, foot: Footprint, size: tuple[int, int], block: tuple[int, int, int]
) -> list[tuple[int | str, str]]:
    (width, height), (wide, high) = size, foot.tile
    apron = 2 * program.inputs(program.case()).radius
    inner = max(wide - apron, 1), max(high - apron, 1)
    threads, right = math.prod(block), foot.blocks(size)
    terms = {"size": size, "tile": foot.tile, "layers": foot.layers}
    return [
        *assuming(
            grid,
            terms,
            ({"full": True}, "rounded down: the last, partly filled blocks are missing"),
            (
                {"size": (width * height, 1), "tile": (wide * high, 1)},
                "all pixels divided by a block's: blocks do not continue in the next row",
            ),
            ({"tile": block[:2]}, "counted by threads, but a block computes a tile"),
            ({"size": (width + wide, height + high)}, "one more in each direction"),
            ({"size": (width, 1)}, "only one row of blocks"),
            ({"size": (1, height)}, "only one column of blocks"),
            ({"size": (height, width)}, "width and height of the image are exchanged"),
            ({"tile": (wide + apron, high + apron)}, "the apron is included: tiles overlap there"),
            ({"tile": inner}, "the apron is left out, but a block stores these pixels"),
            ({"layers": 1}, "one for each tile, but several blocks share a tile"),
        ),
        (-(-width // wide) + -(-height // high), "multiply what is across and what is below"),
        (right * threads, "those are all threads of the grid"),
        (threads, "those are the threads of one block"),
        (width * height, "those are the pixels of the image"),
    ]


def grid(size: tuple[int, int], tile: tuple[int, int], layers: int, full: bool = False) -> int:
    """The blocks of an image. full: only those whose tile is inside it."""
    (width, height), (wide, high) = size, tile
    if full:
        return (width // wide) * (height // high) * layers
    return -(-width // wide) * -(-height // high) * layers


def counted(program: AskedPart, size: tuple[int, int], number: int) -> int:
    """The blocks of launch `number` of a run on an image of that size."""
    outcome = program.run(program.case(size), COUNTED_BLOCK, program.binary)
    launches = read_launches(outcome.profile)
    if number >= len(launches):
        raise CannotTell("another number of launches")
    return math.prod(launches[number].grid)
