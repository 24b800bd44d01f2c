"""What if the index into constant memory depended on the lane?"""

from grader.ask.kinds import CannotTell, Draft, Program, Random
from grader.ask.words import count, different_words, draw_access, found_again, warp
from grader.execute.accesses import WORD

REBUILDS = True
ADDED = "threadIdx.x"


def ask(program: Program, draw: Random) -> Draft:
    _, access = draw_access(program, draw, "constant", different_words, (WORD,))
    if different_words(access) != 1:
        raise CannotTell("the lanes read different words already")
    arrays = [name for name in program.text.arrays_at(access.line) if name.startswith("c_")]
    if len(set(arrays)) != 1:
        raise CannotTell("which array is read")
    x, y, _ = program.trace.launch(access).block
    answer = len({(access.warp * 32 + lane) % x for lane in access.lanes})

    def second() -> int:
        edited = program.text.with_index(arrays[0], access.line, ADDED)
        other = found_again(access, program.retraced(edited))
        if other.width != WORD:
            raise CannotTell("the reads are joined")
        return different_words(other)

    return Draft(
        line=access.line,
        text=f"Suppose {ADDED} were added to the index of {arrays[0]} at this line. For how many "
        f"words of constant memory would {warp(program, access)} then wait, the first time that it "
        f"gets there?",
        answer=answer,
        second=second,
        why=f"A block is {x} threads wide, and {count(len(access.lanes), 'lane')} of the warp get "
        f"there. Among them are {count(answer, 'value')} of {ADDED}, so the warp would wait for "
        f"{count(answer, 'word')}.",
        mistakes=[
            (1, "one for all lanes: that was so before the change"),
            (32, "one for each lane of a warp, but not every lane reads its own word"),
            (len(access.lanes), "one for each active lane, but some have the same threadIdx.x"),
            (x, "one for each column of the block, but a warp has 32 lanes"),
            (y, "one for each row of the block, but threadIdx.x counts columns"),
            (4 * answer, "one for each byte of a word"),
        ],
    )
