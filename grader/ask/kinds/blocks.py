"""How many blocks does a launch have for another image?"""

import math

from grader.ask.footprint import footprint
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.words import image, index
from grader.execute.modes import COUNTED_BLOCK
from grader.execute.profile import read_launches


def ask(program: AskedPart, draw: Random) -> Draft:
    foot = footprint(program.trace)
    seen = program.trace.size
    width, height = size = foot.other_size(seen, draw)
    wide, high = foot.tile
    launch, layers = program.trace.launches[foot.launch], foot.layers
    x, y, _ = launch.block
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
    more = f" x {layers}" if layers > 1 else ""
    down = (width // wide) * (height // high) * layers
    threads = math.ceil(width / x) * math.ceil(height / y) * layers
    line = math.ceil(width * height / (wide * high)) * layers
    return Draft(
        line=launch.line,
        text=f"How many blocks does this launch start for {image(size)}"
        + (f", with {layers} blocks for each tile?" if layers > 1 else "?"),
        answer=answer,
        second=lambda: foot.blocks(size),
        why=f"A block of {index(launch.block, launch.block)} threads computes {at_least}{wide} x "
        f"{high} pixels. The image needs {across} of them across and {below} down, the last ones "
        f"partly filled: {across} x {below}{more} = {answer}.",
        mistakes=[
            (down, "rounded down: the last, partly filled blocks are missing"),
            (line, "all pixels divided by a block's: blocks do not continue in the next row"),
            (threads, "counted by threads, but a block computes a tile of another size"),
            ((width // wide + 1) * (height // high + 1) * layers, "one more in each direction"),
            (across * layers, "only one row of blocks"),
            (below * layers, "only one column of blocks"),
        ],
    )


def counted(program: AskedPart, size: tuple[int, int], number: int) -> int:
    """The blocks of launch `number` of a run on an image of that size."""
    outcome = program.run(program.case(size), COUNTED_BLOCK, program.binary)
    launches = read_launches(outcome.profile)
    if number >= len(launches):
        raise CannotTell("another number of launches")
    return math.prod(launches[number].grid)
