"""What if the index into constant memory depended on the lane?"""

import re
from random import Random

from grader.ask.draft import CannotTell, Draft, numbers
from grader.ask.program import Program
from grader.ask.trace import WORD
from grader.ask.words import block, draw_access, found_again

ABOUT = "an index that differs between lanes"
REBUILDS = True
ADDED = "threadIdx.x"


def ask(program: Program, draw: Random) -> Draft:
    _, access = draw_access(program, draw, "constant", (WORD,))
    if len(set(access.lanes.values())) != 1:
        raise CannotTell("the lanes read different words already")
    arrays = re.findall(r"\b(c_\w+)\s*\[", program.text.quoted(access.line))
    if len(set(arrays)) != 1:
        raise CannotTell("which array is read")
    x = program.trace.launch(access).block[0]
    columns = {(access.warp * 32 + lane) % x for lane in access.lanes}
    answer = len(columns)

    def second() -> str:
        edited = program.text.with_index(arrays[0], access.line, ADDED)
        other = found_again(access, program.retraced(edited))
        if other.width != WORD:
            raise CannotTell("the reads are joined")
        return str(len(set(other.lanes.values())))

    mistakes = [
        (1, "one for all lanes: that was so before the change"),
        (32, "one for each of 32 lanes, but not all lanes have another threadIdx.x"),
        (len(access.lanes), "one for each active lane"),
        (x, "one for each column of the block, but a warp has 32 lanes"),
        (2 * answer, "once for each half of each word: a word has four bytes"),
        (8, "one for each row of a block of 32 x 8 threads"),
    ]
    return Draft(
        file=program.shown,
        line=access.line,
        text=f"Suppose the index of {arrays[0]} at this line were larger by {ADDED}. For how many "
        f"words of constant memory would warp {access.warp} of {block(program, access)} then wait, "
        f"the first time that it gets there?",
        answer=str(answer),
        second=second,
        ways=("how many values of threadIdx.x the lanes have", "a run of the changed program"),
        why=f"The block is {x} threads wide, and {len(access.lanes)} lanes of the warp get there. "
        f"They have {answer} different values of {ADDED}, so they would read {answer} different "
        f"words, one after the other.",
        mistakes=numbers(answer, mistakes),
    )
