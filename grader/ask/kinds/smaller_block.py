"""How many blocks are there with another constant?"""

import math

from grader.ask.footprint import footprint
from grader.ask.kinds import CannotTell, Draft, Program, Random
from grader.ask.words import image, index

REBUILDS = True


def ask(program: Program, draw: Random) -> Draft:
    trace = program.trace
    before = footprint(trace)
    launch = trace.launches[before.launch]
    names = [
        name
        for name, value in program.text.constants.items()
        if value in (8, 16, 32, 64, 128, 256)
        and name in program.text.words(launch.line)
        and program.text.number(name)
    ]
    if not names:
        raise CannotTell("no constant at the launch")
    name = draw.choice(names)
    value = program.text.constants[name]
    changed = program.retraced(program.text.with_constant(name, value // 2))
    if changed.launches[before.launch].file != program.shown:
        raise CannotTell("the launch is in another file")
    grid = changed.launches[before.launch].grid
    answer = math.prod(grid)
    now = math.prod(launch.grid)
    return Draft(
        line=launch.line,
        text=f"For {image(trace.size)}, this launch starts {now} blocks. How many would it "
        f"start if {name} were {value // 2} instead of {value}?",
        answer=answer,
        second=lambda: footprint(changed).blocks(trace.size),
        why=f"A run of your program with {name} = {value // 2} starts "
        f"a grid of {index(grid, grid)}: {answer} blocks.",
        mistakes=[
            (2 * now, "twice as many as now, but each side of the grid is rounded up by itself"),
            (now, "that is without the change"),
            (now // 2, "half as many, but smaller blocks are more blocks"),
            (4 * now, "four times as many, but each side of the grid is rounded up by itself"),
            (answer + 1, "blocks are counted from 1"),
        ],
    )
