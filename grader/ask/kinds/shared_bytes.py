"""How many bytes of shared memory does a block have?"""

import math

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.words import count


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    used = [a for a in trace.warps if a.space == "shared"]
    if not used:
        raise CannotTell("no shared memory")
    number = draw.choice(sorted({a.launch for a in used}))
    launch = trace.launches[number]
    answer = launch.shared
    lines = {program.text.function(n): n for n in {a.line for a in used if a.launch == number}}
    declared = [arrays for line in lines.values() if (arrays := program.text.shared_in(line))]
    if len(declared) != 1:
        raise CannotTell("the arrays are declared elsewhere, or by several functions")
    [arrays] = declared
    total = sum(array.bytes() for array in arrays)
    first = arrays[0]
    elements, threads = math.prod(first.sizes), math.prod(launch.block)
    names = ", ".join(dict.fromkeys(a.name for a in arrays))
    sizes = " x ".join(map(str, (*first.sizes, first.element)))
    return Draft(
        line=first.line,
        text=f"How many bytes of shared memory does a block of this kernel have, in all its arrays "
        f"({names})?",
        answer=answer,
        # Each array begins at a multiple of its alignment: a gap is no difference.
        second=lambda: answer if 0 <= answer - total < 16 * len(arrays) else total,
        why=f"{first.name} has {sizes} = {first.bytes()} bytes"
        + (f"; with the other arrays it is {answer}." if answer != first.bytes() else ".")
        + f" A multiprocessor of an H100 or H200 has 233472 bytes: for shared memory alone, "
        f"{count(233472 // (answer + 1024), 'block')} would fit.",
        mistakes=[
            (elements, "those are elements, not bytes"),
            (threads * first.element, "one element for each thread: the apron is forgotten"),
            (2 * answer, "twice as many: an element has fewer bytes"),
            (first.sizes[0] * first.element, "that is one column"),
            (first.sizes[-1] * first.element, "that is one row"),
        ],
    )
