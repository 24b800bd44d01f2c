"""How many threads of a launch store nothing?"""

import math

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.words import image, index


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    stores = [a for a in trace.warps if a.store and a.space == "global"]
    if not stores:
        raise CannotTell("no stores to global memory")
    number = draw.choice(sorted({a.launch for a in stores}))
    launch = trace.launches[number]
    if any(site.atomic for site in launch.sites):
        raise CannotTell("atomic functions store as well")
    threads = math.prod(launch.grid) * math.prod(launch.block)
    own = [a for a in stores if a.launch == number]
    storing = {(a.block, a.warp * 32 + lane) for a in own for lane in a.lanes}
    answer = threads - len(storing)
    width, height = trace.size
    across, down = launch.grid[0] * launch.block[0], launch.grid[1] * launch.block[1]
    right, below = (across - width) * height, (down - height) * width
    plane = [
        (right, "only those to the right of the image"),
        (below, "only those below the image"),
        (right + below, "those to the right and those below, but not those in the corner"),
    ]
    return Draft(
        line=launch.line,
        text=f"For {image(trace.size)}, this launch starts {math.prod(launch.grid)} blocks of "
        f"{math.prod(launch.block)} threads. How many of all these threads store no result?",
        answer=answer,
        second=lambda: threads - launch.storing_threads,
        why=f"The grid is {index(launch.grid, launch.grid)}, a block "
        f"{index(launch.block, launch.block)}: {threads} threads. {len(storing)} of them store "
        f"something, so {answer} do not.",
        mistakes=[
            *(plane if across >= width and down >= height else []),
            (0, "the grid consists of whole blocks: some of their threads have no pixel"),
            (threads - width * height, "threads minus pixels, as if each thread computed one"),
            (len(storing), "that is how many threads do store"),
            (math.prod(launch.block), "that is all threads of one block"),
        ],
    )
