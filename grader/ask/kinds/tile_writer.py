"""Which thread puts an element of the tile there?"""

import math

from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.source import THREAD_NUMBER
from grader.ask.tile import draw_element, read_back
from grader.ask.trace import place
from grader.ask.words import Index, block, index

REBUILDS = True


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    element = draw_element(program, draw, inside=False)
    access = element.access
    of_block = trace.launch(access).block
    thread = trace.thread(access, element.lane)

    def words(of: Index) -> str:
        return f"thread {index(of, of_block)}"

    def second() -> str:
        number = read_back(program, element, {access.line: f"(float){THREAD_NUMBER}"})
        return words(place(number % math.prod(of_block), of_block))

    tx, ty, tz = thread
    row, column = element.at[:2] if len(element.at) > 1 else (0, element.at[0])
    x, y, _ = of_block
    flat = access.warp * 32 + element.lane
    apron = program.inputs(program.case()).radius
    others = [
        (ty, tx, "threadIdx.x and threadIdx.y are exchanged"),
        (column, row, "as if each thread stored the element with its own number"),
        (column % x, row % y, "as if threads were repeated across and down"),
        ((column - apron) % x, (row - apron) % y, "as if thread (0, 0) stored behind the apron"),
        (flat % y, flat // y, "threads are counted by columns, but threadIdx.x is fastest"),
        ((tx + 1) % x, ty, "the thread to the right"),
        (tx, (ty + 1) % y, "the thread in the next row"),
    ]
    return Draft(
        line=access.line,
        text=f"Which thread of {block(program, access)} stores {element.name()}?",
        answer=words(thread),
        second=second,
        why=f"Lane {element.lane} of warp {access.warp} stores it: that is thread number {flat} of "
        "the block, and threadIdx.x counts fastest.",
        mistakes=[(words((u, v, tz)), why) for u, v, why in others if u < x and v < y],
    )
