"""Which thread puts an element of the tile there?"""

from random import Random

from grader.ask.draft import Draft
from grader.ask.program import Program
from grader.ask.source import THREAD_NUMBER
from grader.ask.tile import draw_element, output_of
from grader.ask.words import Index, block, index

ABOUT = "who fills the tile"
REBUILDS = True


def ask(program: Program, draw: Random) -> Draft:
    trace = program.trace
    element = draw_element(program, draw, inside=False)
    access = element.access
    of_block = trace.launch(access).block
    thread = trace.thread(access, element.lane)

    def words(of: Index) -> str:
        return f"thread {index(of, of_block)}"

    def second() -> str:
        out = output_of(program, access.block)
        line = next(a.line for a, _ in trace.writers[out])
        values = {access.line: f"(float){THREAD_NUMBER}", line: element.name()}
        changed = program.changed(program.text.with_values(values))
        x, y, z = of_block
        inside = program.whole(changed, out) % (x * y * z)
        return words((inside % x, inside // x % y, inside // (x * y)))

    tx, ty, tz = thread
    row, column = (*element.at, 0)[:2] if len(element.at) > 1 else (0, element.at[0])
    x, y, _ = of_block
    flat = access.warp * 32 + element.lane
    others = {
        (ty, tx, tz): "threadIdx.x and threadIdx.y are exchanged",
        (column, row, tz): "as if each thread stored the element with its own number, without "
        "regard to the size of the block",
        (column % x, row % y, tz): "as if threads were repeated across and down",
        ((tx + 1) % x, ty, tz): "the thread to the right",
        (tx, (ty + 1) % y, tz): "the thread in the next row",
        (flat % y, flat // y, tz): "threads are counted by columns, but threadIdx.x is fastest",
    }
    wrong = {
        words(of): why for of, why in others.items() if of != thread and of[0] < x and of[1] < y
    }
    return Draft(
        file=program.shown,
        line=access.line,
        text=f"Which thread of {block(program, access)} stores {element.name()}?",
        answer=words(thread),
        second=second,
        ways=("the trace of the stores", "a run in which each thread stores its own number"),
        why=f"Lane {element.lane} of warp {access.warp} stores it: that is thread number {flat} of "
        f"the block.",
        mistakes=wrong,
        typed=False,
    )
