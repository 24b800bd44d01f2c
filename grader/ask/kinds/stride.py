"""How far apart are two accesses that follow one another?"""

from collections import Counter
from itertools import pairwise

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.trace import Trace
from grader.ask.words import count, image

MOST = 0.55  # of the steps at a line that must be equal


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    places = sorted({(a.line, a.store) for a in trace.threads})
    draw.shuffle(places)
    for line, store in places:
        if found := step(trace, line, store):
            break
    else:
        raise CannotTell("no line with equal steps")
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
    way = "stores" if store else "loads"
    near = "Some share a" if answer > 32 else f"Up to {64 // answer} of them share a"
    return Draft(
        line=line,
        text=f"{program.name} runs on {image(trace.size)}. A thread {way} at this line again and "
        f"again. By how many bytes does the address usually differ from the one before?",
        answer=answer,
        second=second,
        why=f"The most frequent step of the run is {count(answer, 'byte')}. A row of the image has "
        f"{width} pixels. {near if answer < 64 else 'Each is in another'} cache line of 64 bytes.",
        mistakes=[
            (size, "the next element of a row, but the loop takes other steps"),
            (1, "that is one element, or one byte"),
            (width, "the width of the image: that would be down a column, in elements"),
            (width * size, "one row further: that would be down a column"),
            (3 * width, "one row of three bytes a pixel further"),
            (3 * image_size, "one pixel of three colours further"),
            (64, "that is a cache line"),
        ],
    )


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
