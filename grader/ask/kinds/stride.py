"""How far apart are two accesses that follow one another?"""

from collections import Counter
from itertools import pairwise
from random import Random

from grader.ask.draft import CannotTell, Draft, numbers
from grader.ask.program import Program
from grader.ask.trace import Trace
from grader.ask.words import count, image

ABOUT = "the step of a loop through memory"
REBUILDS = False
MOST = 0.55  # of the steps at a line that must be equal


def ask(program: Program, draw: Random) -> Draft:
    trace = program.trace
    places = sorted({(a.line, a.store, a.pc) for a in trace.threads})
    draw.shuffle(places)
    for line, store, pc in places:
        found = step(trace, line, store, places_at(trace, line, store).index(pc))
        if found is None or not found:
            continue
        break
    else:
        raise CannotTell("no line with equal steps")
    number = places_at(trace, line, store).index(pc)
    width = trace.size[0]

    def second() -> str:
        """The step as a multiple of the width and a constant, from two other widths."""
        widths = (width + 2, width + 6)
        steps = [step(program.traced((w, trace.size[1])), line, store, number) for w in widths]
        if None in steps:
            raise CannotTell("no equal steps for another width")
        one, two = (s or 0 for s in steps)
        slope, rest = divmod(two - one, widths[1] - widths[0])
        if rest:
            raise CannotTell("the step is no multiple of the width")
        return str(abs(one - 2 * slope))

    size = trace.dtype.itemsize
    answer = abs(found)
    image_size = program.inputs(program.case()).image.dtype.itemsize
    mistakes = [
        (size, "the next element of a row, but the loop goes another way"),
        (1, "that is in elements or pixels, not in bytes"),
        (width, "the width of the image: that would be down a column, in elements"),
        (width * size, "one row further: that would be down a column"),
        (3 * width, "one row of three bytes a pixel further"),
        (3 * image_size, "one pixel of three colours further"),
        (64, "that is a cache line"),
        (2 * answer, "every second one is left out"),
    ]
    way = "stores" if store else "loads"
    row = f" A row of the image has {width} pixels."
    return Draft(
        file=program.shown,
        line=line,
        text=f"{program.name} runs on {image(trace.size)}. A thread executes the same access at "
        f"this line again and again. By how many bytes do the addresses of two {way} that follow "
        f"one another mostly differ?",
        answer=str(answer),
        second=second,
        ways=("the addresses of the run", "the steps of runs with two other widths"),
        why=f"The most frequent step of the run is {count(answer, 'byte')}.{row} "
        + (
            "Several steps stay in one cache line of 64 bytes."
            if answer < 64
            else "Each step touches another cache line of 64 bytes."
        ),
        mistakes=numbers(answer, mistakes),
    )


def places_at(trace: Trace, line: int, store: bool) -> list[int]:
    """The instructions at a line that load, or store, in the order of the program."""
    return sorted({a.pc for a in trace.threads if (a.line, a.store) == (line, store)})


def step(trace: Trace, line: int, store: bool, number: int) -> int | None:
    """The most frequent step of an instruction; None where there is no such."""
    places = places_at(trace, line, store)
    if number >= len(places):
        return None
    steps: Counter[int] = Counter()
    for thread in {a.thread for a in trace.threads}:
        mine = [a.at for a in trace.threads if a.pc == places[number] and a.thread == thread]
        steps.update(b - a for a, b in pairwise(mine))
    if not steps:
        return None
    value, times = steps.most_common(1)[0]
    return value if times >= MOST * steps.total() else None
