"""How many wavefronts does an access of shared memory take?"""

from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.trace import wavefronts, words_of_banks
from grader.ask.words import agrees, count, draw_access, ranges, the, warp
from grader.execute.accesses import WORD


def ask(program: AskedPart, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "shared", wavefronts, range(1, WORD + 1))
    answer = wavefronts(access)
    words = words_of_banks(access)
    fullest = max(words, key=lambda bank: len(words[bank]))
    served = {lane for lane, first in access.lanes.items() if first // WORD in words[fullest]}
    lanes = len(access.lanes)
    why = f"{count(lanes, 'lane')} access {count(len(access.units(WORD)), 'word')} in "
    why += f"{count(len(words), 'bank')}. "
    if answer == 1:
        why += "No bank has two different words to deliver, so one pass is enough."
    else:
        why += f"Bank {fullest} has to deliver {answer} different words, one after the other, to "
        why += f"lanes {ranges(served)}."
    return Draft(
        line=access.line,
        text=f"When {warp(program, access)} executes {the(access)} at this line for the first "
        f"time, how many passes over the banks (wavefronts) does that take?",
        answer=answer,
        second=lambda: agrees(answer, program, group, wavefronts, "wavefronts"),
        why=why,
        mistakes=[
            (lanes, "one for each lane: lanes in different banks are served together"),
            (32, "one for each bank, but all banks work at the same time"),
            (1, "one for the whole warp, but several words are in one bank"),
            (2, "one for each half of the warp, which is so for 8 bytes a lane"),
            (4, "one for each 32 bytes: those are sectors of global memory"),
        ],
    )
