"""How many blocks does a launch have for another image?"""

import math
from random import Random

import msgspec

from grader.ask.draft import CannotTell, Draft, numbers
from grader.ask.footprint import footprint
from grader.ask.program import Program
from grader.ask.words import image, index
from grader.execute.modes import COUNTED_BLOCK
from grader.execute.profile import read_launches

ABOUT = "the grid"
REBUILDS = False


def ask(program: Program, draw: Random) -> Draft:
    foot = footprint(program.trace)
    size = foot.other_size(program.trace.size, draw)
    launch = program.trace.launches[foot.launch]
    x, y, _ = launch.block

    def second() -> str:
        return str(foot.blocks(size))

    answer = counted(program, size, foot.launch)
    # A grid of a fixed size, or one that a device's size limits, follows another rule.
    # Where one tile is as wide as the image, it may be wider than is seen.
    axes = zip(foot.tile, program.trace.size, size, strict=True)
    twice = [2 * new + 1 if tile < seen else new for tile, seen, new in axes]
    larger = (twice[0], twice[1])
    if counted(program, larger, foot.launch) != foot.blocks(larger):
        raise CannotTell("the grid does not follow from the tile")
    width, height = size
    wide, high = foot.tile
    layers = foot.layers
    down = (width // wide) * (height // high) * layers
    threads = math.ceil(width / x) * math.ceil(height / y) * layers
    line = math.ceil(width * height / (wide * high)) * layers
    mistakes = [
        (down, "rounded down: the last, partly filled blocks are missing"),
        (line, "the pixels divided by those of a block: blocks do not continue in the next row"),
        (threads, "counted by threads, but a block computes a tile of another size"),
        ((width // wide + 1) * (height // high + 1) * layers, "one more in each direction"),
        (math.ceil(width / wide) * layers, "only one row of blocks"),
        (math.ceil(height / high) * layers, "only one column of blocks"),
    ]
    shape = f"{wide} x {high}"
    across, below = math.ceil(width / wide), math.ceil(height / high)
    more = f" x {layers}" if layers > 1 else ""
    return Draft(
        file=launch.file if launch.file == program.shown else program.shown,
        line=launch.line,
        text=f"How many blocks does this launch start for {image(size)}"
        + (f" and {layers} layers of blocks?" if layers > 1 else "?"),
        answer=str(answer),
        second=second,
        ways=("the launch on that image", "the image divided by the pixels of a block"),
        why=f"A block of {index(launch.block, launch.block)} threads computes {shape} pixels; "
        f"{width} / {wide} and {height} / {high}, each rounded up, are "
        f"{across} x {below}{more} = {answer}.",
        mistakes=numbers(answer, mistakes),
    )


def counted(program: Program, size: tuple[int, int], number: int) -> int:
    """The blocks of launch `number` of a run on an image of that size."""
    case = msgspec.structs.replace(program.base, size=size)
    outcome = program.run(case, COUNTED_BLOCK, program.binary, program.inputs(case))
    launches = read_launches(outcome.profile)
    if number >= len(launches):
        raise CannotTell("another number of launches")
    return math.prod(launches[number].grid)
