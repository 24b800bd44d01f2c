"""How far apart are two accesses that follow one another?"""

from collections import Counter
from itertools import pairwise

from grader.ask.access_text import only_access
from grader.ask.draft import assuming
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.ask.trace import Trace
from grader.ask.words import count

OF_IMAGES = True
MOST = 0.55  # of the steps at a line that must be equal


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    places = sorted({(a.line, a.store) for a in trace.threads})
    draw.shuffle(places)
    for line, store in places:
        access = only_access(program.text.code, line, store)
        if access and (found := step(trace, line, store)):
            break
    else:
        raise CannotTell("no line with a single access and equal steps")
    width = trace.size[0]

    def second() -> int:
        """The step as a multiple of the width and a constant, from two other widths."""
        traces = [program.traced((width + more, trace.size[1])) for more in (2, 6)]
        one, two = (step(other, line, store) for other in traces)
        if one is None or two is None or (two - one) % 4:
            raise CannotTell("no equal steps for another width, or no multiple of the width")
        return abs(one - 2 * ((two - one) // 4))

    size = trace.dtype.itemsize
    answer = abs(found)
    image_size = program.inputs(program.case()).image.dtype.itemsize
    shared = f"up to {count(max(64 // answer, 2), 'access')} in a row are in one"
    near = shared if answer < 64 else "each access is in another"
    terms = {"columns": 1, "size": size, "rows": 0, "width": width}
    return Draft(
        line=line,
        text=f"{runs(program, program.case())}. A thread executes {access} at this line again and "
        "again. By how many bytes does its address usually differ from the one before?",
        answer=answer,
        second=second,
        why=f"The most frequent step of the run is {count(answer, 'byte')}, so {near} cache line "
        f"of 64 bytes. A row of the image has {count(width, 'pixel')}.",
        mistakes=[
            *assuming(
                distance,
                terms,
                ({}, "the next element of a row, but the loop takes other steps"),
                ({"size": 1}, "that is one element, or one byte"),
                ({"columns": 0, "rows": 1, "size": 1}, "down a column, in elements"),
                ({"columns": 0, "rows": 1}, "one row further: that would be down a column"),
                ({"columns": 0, "rows": 3, "size": 1}, "one row of three bytes a pixel further"),
                ({"columns": 3, "size": image_size}, "one pixel of three colours further"),
            ),
            (64, "that is a cache line"),
            (answer // size, "in elements, but the question asks for bytes"),
            (0, "the same address again: the loop moves on"),
            *((answer * n, "further than one step") for n in (2, 3)),
        ],
        counts="find the pointer or index that changes from one access to the next, in bytes",
    )


def distance(columns: int, size: int, rows: int, width: int) -> int:
    """Bytes between two elements of an image."""
    return (rows * width + columns) * size


def step(trace: Trace, line: int, store: bool) -> int | None:
    """The most frequent step of the instructions at a line that load, or store; None where there is
    no such, or where they differ in it: the text does not say which of them is meant."""
    ways: dict[tuple[int, int], list[int]] = {}
    for access in trace.threads:
        if (access.line, access.store) == (line, store):
            ways.setdefault((access.pc, access.thread), []).append(access.at)
    by_pc: dict[int, Counter[int]] = {}
    for (pc, _), places in ways.items():
        by_pc.setdefault(pc, Counter()).update(b - a for a, b in pairwise(places))
    found = {
        value if times >= MOST * steps.total() else None
        for steps in by_pc.values()
        for value, times in steps.most_common(1)
    }
    return found.pop() if len(found) == 1 else None
