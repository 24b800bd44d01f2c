"""How many threads of a launch have no element?"""

import math

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.line import line_of, loads_of_input
from grader.ask.setting import runs


def ask(program: AskedPart, draw: Random) -> Draft:
    line = line_of(program, draw)
    launch, n = line.launch, line.elements
    threads = math.prod(launch.grid) * math.prod(launch.block)
    if line.per != math.prod(launch.block):
        raise CannotTell("a thread has more than one element")
    answer = threads - n
    tail = n % launch.block[0]

    def second() -> int:
        """From the trace: the threads that read an element of the first input."""
        readers = {(a.block, a.warp, lane) for a in loads_of_input(program) for lane in a.lanes}
        return threads - len(readers)

    return Draft(
        line=launch.line,
        text=f"{runs(program, program.case(), launch)}. How many threads of this launch have no "
        "element of their own?",
        answer=answer,
        second=second,
        why=f"The launch has {math.prod(launch.grid)} blocks, so {threads} threads for {n} "
        "elements.",
        mistakes=[
            (tail, "those are the threads of the last block that do have one"),
            (threads, "those are all threads of the launch"),
            (n, "those are the threads that have one"),
            (32 - n % 32, "those are the ones in the last warp that has an element"),
            (0, "the last block is only partly filled"),
            (launch.block[0] - 1, "that is the most there can be"),
        ],
        counts="multiply blocks and threads of a block, and subtract the elements",
    )
