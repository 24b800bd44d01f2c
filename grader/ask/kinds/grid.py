"""How many blocks does a launch have for another number of elements?"""

import math

from grader.ask.draft import assuming
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.kinds.blocks import counted
from grader.ask.line import Line, line_of
from grader.ask.setting import block, runs


def ask(program: AskedPart, draw: Random) -> Draft:
    line = line_of(program, draw)
    size = (draw.randrange(20, 400) | 1, 1)
    n, other = line.elements, line.elements_of(program, size)
    answer = counted(program, size, line.launch.launch)
    larger = (2 * size[0] + 1, 1)
    more = line.elements_of(program, larger)
    if counted(program, larger, line.launch.launch) != line.blocks(more) or n == other:
        raise CannotTell("the grid does not follow from the number of elements")
    terms = {"n": other, "per": line.per}
    return Draft(
        line=line.launch.line,
        text=f"{runs(program, program.case(size), line.launch)}. How many blocks does this launch "
        "start?",
        answer=answer,
        second=lambda: line.blocks(other),
        why=f"A block of {block(line.launch)} takes {line.per} elements, and {other} / {line.per} "
        f"is rounded up to {answer}.",
        mistakes=mistakes(line, terms, n),
        counts="divide the number of elements by those of a block, and round up",
    )


def mistakes(line: Line, terms: dict[str, int], n: int) -> list[tuple[int | str, str]]:
    other, per = terms["n"], terms["per"]
    return [
        (other // per, "rounded down, some elements have no block"),
        (other // per + 1, "one more than rounded down is one too many where nothing is left over"),
        *assuming(
            _blocks,
            terms,
            ({"n": n}, "that is for another number of elements"),
            ({"per": 32}, "that is a block for each warp"),
            ({"per": 2 * per}, "that is for blocks that take twice as many elements"),
            ({"per": max(per // 2, 1)}, "that is for blocks that take half as many elements"),
            ({"per": 1}, "those are the elements: a block takes many"),
        ),
        (line.launch.block[0], "those are the threads of a block"),
    ]


def _blocks(n: int, per: int) -> int:
    return math.ceil(n / per)
