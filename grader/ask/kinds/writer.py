"""Which thread of which block stores a pixel?"""

import math

import numpy as np

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.ask.source import THREAD_NUMBER
from grader.ask.trace import place
from grader.ask.words import Index, index

REBUILDS = True


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    size, writers = trace.dtype.itemsize, trace.writers.items()
    alone = {at: w[0] for at, w in writers if len(w) == 1 and w[0][0].width == size}
    if not alone or trace.dtype.kind != "f":
        raise CannotTell("no single thread stores a pixel alone")
    element = draw.choice(sorted(alone))
    access, lane = alone[element]
    launch = trace.launch(access)
    thread = trace.thread(access, lane)
    at = tuple(int(i) for i in np.unravel_index(element, trace.shape))

    def words(block: Index, of: Index) -> str:
        return f"thread {index(of, launch.block)} of block {index(block, launch.grid)}"

    def second() -> str:
        value = f"({'float' if size == 4 else 'double'}){THREAD_NUMBER}"
        changed = program.changed(program.text.with_values({access.line: value}))
        block, inside = divmod(program.whole(changed, element), math.prod(launch.block))
        return words(place(block, launch.grid), place(inside, launch.block))

    tx, ty, tz = thread
    bx, by, bz = access.block
    return Draft(
        line=access.line,
        text=f"{runs(program, program.case(), launch)}. Which thread stores "
        f"out{program.operation.subscript(at)}?",
        answer=words(access.block, thread),
        second=second,
        why=f"In the run, lane {lane} of warp {access.warp} of that block stores it: thread "
        f"{index(thread, launch.block)} is number {access.warp * 32 + lane} of the block, and "
        f"threadIdx.x counts fastest.",
        mistakes=[
            (words((by, bx, bz), (ty, tx, tz)), "rows and columns are exchanged: x counts columns"),
            (words(access.block, (ty, tx, tz)), "threadIdx.x and threadIdx.y are exchanged"),
            (words((bx + 1, by, bz), thread), "blocks are counted from 0"),
            (words(access.block, (tx + 1, ty, tz)), "threads are counted from 0"),
            (words((max(bx - 1, 0), by, bz), thread), "that block is one to the left"),
            (words((bx, by + 1, bz), thread), "that block is one row of blocks below"),
        ],
    )
