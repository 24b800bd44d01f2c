"""How many wavefronts does an access of shared memory take?"""

from grader.ask.draft import assuming
from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.setting import runs
from grader.ask.trace import wavefronts, words_of_banks
from grader.ask.words import agrees, beyond, count, draw_access, ranges, the, warp
from grader.execute.accesses import BANKS, WORD


def ask(program: AskedPart, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "shared", wavefronts, range(1, WORD + 1))
    answer = wavefronts(access)
    words = words_of_banks(access)
    fullest = max(words, key=lambda bank: len(words[bank]))
    starts = [*access.lanes.values()]
    served = {lane for lane, first in access.lanes.items() if first // WORD in words[fullest]}
    lanes, touched = len(starts), len(access.units(WORD))
    why = f"{count(lanes, 'lane')} {'access' if lanes > 1 else 'accesses'} "
    why += f"{count(touched, 'word')} in {count(len(words), 'bank')}. "
    if answer == 1:
        why += "No bank has two different words to deliver, so one pass is enough."
    else:
        why += f"Bank {fullest} has to deliver {answer} different words, one after the other, to "
        why += f"lanes {ranges(served)}."
    setting = runs(program, program.case(), program.trace.launch(access))
    return Draft(
        line=access.line,
        text=f"{setting}. When {warp(program, access)} executes {the(access)} at this line for the "
        "first time, how many passes over the banks (wavefronts) does that take?",
        answer=answer,
        second=lambda: agrees(answer, program, group, wavefronts, "wavefronts"),
        why=why,
        mistakes=[
            (lanes, "one for each lane: lanes in different banks are served together"),
            (32, "one for each bank, but all banks work at the same time"),
            (1, "one for the whole warp, but several words are in one bank"),
            (2, "one for each half of the warp, which is so for 8 bytes a lane"),
            (4, "one for each 32 bytes: those are sectors of global memory"),
            *assuming(
                passes,
                {"starts": starts},
                ({"banks": BANKS // 2}, "as if there were 16 banks: there are 32"),
                ({"word": 2 * WORD}, "as if a bank were 8 bytes wide: it is 4"),
                ({"banks": 1}, "one for each word, but words in different banks come together"),
                ({"shares": False}, "lanes that access the same word are served together"),
            ),
            *beyond(group, access, wavefronts),
            (len(words[fullest]) - 1, "the first pass counts, too"),
        ],
        counts="count the different words in each bank: the fullest one decides",
    )


def passes(starts: list[int], banks: int = BANKS, word: int = WORD, shares: bool = True) -> int:
    """The most words of one bank. shares: is a word delivered to all its lanes at once?"""
    words = [at // word for at in starts]
    by_bank = [word % banks for word in (set(words) if shares else words)]
    return max(map(by_bank.count, by_bank))
