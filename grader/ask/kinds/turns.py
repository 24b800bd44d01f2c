"""How many elements does one thread take in a loop over the grid?"""

import math
from collections import Counter

from grader.ask.draft import assuming
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.line import loads_of_input
from grader.ask.setting import runs
from grader.ask.words import index


def ask(program: AskedPart, draw: Random) -> Draft:
    loads = loads_of_input(program)
    launch = program.trace.launch(loads[0])
    taken = Counter((a.block, a.warp * 32 + lane) for a in loads for lane in a.lanes)
    if max(taken.values()) < 2:
        raise CannotTell("no thread takes several elements")
    (at, thread), answer = draw.choice(sorted(taken.items()))
    if math.prod(launch.block) != launch.block[0] or math.prod(launch.grid) != launch.grid[0]:
        raise CannotTell("blocks or grid have several directions")
    n = program.inputs(program.case()).image.size
    terms = {"n": n, "own": at[0] * launch.block[0] + thread, "step": math.prod(launch.block)}
    terms["step"] *= math.prod(launch.grid)
    return Draft(
        line=loads[0].line,
        text=f"{runs(program, program.case(), launch)}, in a grid of {launch.grid[0]}. How often "
        f"does thread {index((thread, 0, 0), launch.block)} of block "
        f"{index(at, launch.grid)} execute this load?",
        answer=answer,
        second=lambda: taken_by(**terms),
        why=f"It begins at element {terms['own']} and goes on by the {terms['step']} threads of "
        f"the grid, as long as it is below {n}.",
        mistakes=[
            *assuming(
                taken_by,
                terms,
                ({"own": 0}, "that is what the first thread of the grid does"),
                ({"own": n - 1}, "that is what a thread at the end does"),
                ({"step": launch.block[0], "own": thread}, "blocks share the elements, too"),
                ({"step": 32}, "the step is the threads of the grid, not those of a warp"),
                ({"step": 1}, "a thread does not take all elements that follow its own"),
            ),
            (n // terms["step"], "rounded down, the elements that remain have no thread"),
        ],
        counts="count the elements from the thread's own on, in steps of all threads of the grid",
    )


def taken_by(n: int, own: int, step: int) -> int:
    return max(0, math.ceil((n - own) / step))
