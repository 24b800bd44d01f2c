"""How many wavefronts does an access of shared memory take?"""

from random import Random

from grader.ask.draft import Draft, numbers
from grader.ask.program import Program
from grader.ask.trace import BANKS, WORD, wavefronts
from grader.ask.words import agrees, block, count, draw_access, quantity, ranges, the

ABOUT = "banks of shared memory"
REBUILDS = False


def ask(program: Program, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "shared", range(1, WORD + 1))
    answer = wavefronts(access)
    banks: dict[int, list[int]] = {}
    words: dict[int, set[int]] = {}
    for lane, first in access.lanes.items():
        banks.setdefault(first // WORD % BANKS, []).append(lane)
        words.setdefault(first // WORD % BANKS, set()).add(first // WORD)
    fullest = max(words, key=lambda bank: len(words[bank]))
    lanes = len(access.lanes)
    mistakes = [
        (lanes, "one for each lane: lanes in different banks are served together"),
        (32, "one for each bank, but all banks work at the same time"),
        (1, "one for the whole warp, but several words are in one bank"),
        (2, "one for each half of the warp, which is so for 8 bytes a lane"),
        (4, "one for each 32 bytes: those are sectors of global memory"),
    ]
    why = f"{count(lanes, 'lane')} access {count(len(access.units(WORD)), 'word')} in "
    why += f"{count(len(banks), 'bank')}. "
    if answer == 1:
        why += "No bank has two different words to deliver, so one pass is enough."
    else:
        why += f"Bank {fullest} has {answer} different words to deliver, to lanes "
        why += f"{ranges(set(banks[fullest]))}: one after the other."
    return Draft(
        file=program.shown,
        line=access.line,
        text=f"When warp {access.warp} of {block(program, access)} executes {the(access)} at this "
        f"line for the first time, how many passes over the banks (wavefronts) does that take?",
        answer=str(answer),
        second=lambda: agrees(
            answer, sum(wavefronts(a) for a in group), quantity(program, group, "wavefronts")
        ),
        ways=("the banks of the lanes' addresses", "the simulator's counter of wavefronts"),
        why=why,
        mistakes=numbers(answer, mistakes),
    )
