"""How many words of constant memory does a warp wait for?"""

from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.words import agrees, count, different_words, draw_access, warp
from grader.execute.accesses import WORD


def ask(program: AskedPart, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "constant", different_words, (WORD,))
    answer = different_words(access)
    lanes = len(access.lanes)
    reads = [a for a in group if (a.block, a.warp) == (access.block, access.warp)]
    what = f"{answer} different words, one after the other"
    if answer == 1:
        what = "the same word: one read serves all of them"
    return Draft(
        line=access.line,
        text=f"Constant memory delivers one word at a time. When {warp(program, access)} reads it "
        f"at this line for the first time, for how many words does the warp wait?",
        answer=answer,
        second=lambda: agrees(answer, program, group, different_words, "words"),
        why=f"{count(lanes, 'lane')} read {what}.",
        mistakes=[
            (32, "one for each lane of a warp, but lanes that read the same word share it"),
            (lanes, "one for each active lane, but lanes that read the same word share it"),
            (len(reads), "that is how often the warp executes the read, not the words of one read"),
            (1, "one for all lanes, but here they read different words"),
            (4, "one for each byte of a word"),
        ],
    )
