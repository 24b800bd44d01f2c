"""How many words of constant memory does a warp wait for?"""

from random import Random

from grader.ask.draft import Draft, numbers
from grader.ask.program import Program
from grader.ask.trace import WORD
from grader.ask.words import agrees, block, count, draw_access, quantity

ABOUT = "words of constant memory"
REBUILDS = False


def ask(program: Program, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "constant", (WORD,))
    answer = len(set(access.lanes.values()))
    lanes = len(access.lanes)
    reads = [a for a in group if (a.block, a.warp) == (access.block, access.warp)]
    mistakes = [
        (32, "one for each lane of a warp, but lanes that read the same word share it"),
        (lanes, "one for each active lane, but lanes that read the same word share it"),
        (len(reads), "that is how often the warp executes the read, not the words of one read"),
        (1, "one for all lanes, but here they read different words"),
        (4, "one for each byte of a word"),
    ]
    return Draft(
        file=program.shown,
        line=access.line,
        text=f"Constant memory delivers one word at a time. When warp {access.warp} of "
        f"{block(program, access)} reads constant memory at this line for the first time, for how "
        f"many words does it wait?",
        answer=str(answer),
        second=lambda: agrees(
            answer,
            sum(len(set(a.lanes.values())) for a in group),
            quantity(program, group, "words"),
        ),
        ways=("the addresses of the lanes", "the simulator's counter of words at this line"),
        why=f"{count(lanes, 'lane')} read "
        + (
            "the same word: one read serves all of them."
            if answer == 1
            else f"{answer} different words, one after the other."
        ),
        mistakes=numbers(answer, mistakes),
    )
