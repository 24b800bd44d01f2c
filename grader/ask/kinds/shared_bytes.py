"""How many bytes of shared memory does a block have?"""

from random import Random

from grader.ask.draft import CannotTell, Draft
from grader.ask.program import Program
from grader.ask.words import count


def ask(program: Program, draw: Random) -> Draft:
    trace = program.trace
    used = sorted({a.launch for a in trace.warps if a.space == "shared"})
    if not used:
        raise CannotTell("no shared memory")
    number = draw.choice(used)
    launch = trace.launches[number]
    lines = sorted({a.line for a in trace.warps if a.space == "shared" and a.launch == number})
    answer = launch.shared

    by_function = {program.text.function(line): program.text.shared_in(line) for line in lines}
    declared = [arrays for arrays in by_function.values() if arrays]
    if len(declared) != 1:
        raise CannotTell("the arrays are declared elsewhere, or by several functions")
    arrays = declared[0]

    def second() -> int:
        total = sum(array.bytes() for array in arrays)
        # Each array begins at a multiple of its alignment: a gap is no difference.
        return answer if 0 <= answer - total < 16 * len(arrays) else total

    first = arrays[0]
    elements = first.bytes() // first.element
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    names = ", ".join(dict.fromkeys(a.name for a in arrays))
    sizes = " x ".join(map(str, (*first.sizes, first.element)))
    return Draft(
        line=first.line,
        text=f"How many bytes of shared memory does a block of this kernel have, in all its arrays "
        f"({names})?",
        answer=answer,
        second=second,
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
