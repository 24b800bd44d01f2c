"""How many words of constant memory does a warp wait for?"""

from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.setting import runs
from grader.ask.words import agrees, beyond, count, different_words, draw_access, sectors, warp
from grader.execute.accesses import WORD


def ask(program: AskedPart, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "constant", different_words, (WORD,))
    answer = different_words(access)
    lanes, width = len(access.lanes), program.inputs(program.case()).mask.shape[-1]
    reads = f"{count(lanes, 'lane')} {'read' if lanes > 1 else 'reads'}"
    what = f"{answer} different words, one after the other"
    if answer == 1:
        what = "the same word: one read serves all of them" if lanes > 1 else "one word"
    setting = runs(program, program.case(), program.trace.launch(access))
    return Draft(
        line=access.line,
        text=f"{setting}. Constant memory delivers one word at a time. When "
        f"{warp(program, access)} reads it at this line for the first time, for how many words "
        "does the warp wait?",
        answer=answer,
        second=lambda: agrees(answer, program, group, different_words, "words"),
        why=f"{reads} {what}.",
        mistakes=[
            (32, "one for each lane of a warp, but lanes that read the same word share it"),
            (lanes, "one for each active lane, but lanes that read the same word share it"),
            *beyond(group, access, different_words),
            (1, "one for all lanes, but here they read different words"),
            (4, "one for each byte of a word"),
            (4 * answer, "those are bytes: a word has 4"),
            (width, "one row of coefficients: the warp reads them one after the other"),
            (program.inputs(program.case()).mask.size, "all coefficients, not those of one read"),
            (sectors(access), "those are sectors of 32 bytes, as global memory has them"),
        ],
        counts="count the different words that the lanes of this warp read at the same time",
    )
