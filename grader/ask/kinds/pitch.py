"""What if a row of the tile were one element longer?"""

import msgspec

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.tile import array_of
from grader.ask.trace import wavefronts
from grader.ask.words import count, draw_access, found_again, the, warp
from grader.execute.accesses import WORD

REBUILDS = True


def ask(program: AskedPart, draw: Random) -> Draft:
    _, access = draw_access(program, draw, "shared", wavefronts, range(1, WORD + 1))
    array = array_of(program, access)
    if len(array.sizes) < 2 or array.element != WORD:
        raise CannotTell("no rows of words")
    pitch = array.sizes[-1] * WORD
    start = access.start
    moved = {lane: at + (at - start) // pitch * WORD for lane, at in access.lanes.items()}
    answer = wavefronts(msgspec.structs.replace(access, lanes=moved))
    before = wavefronts(access)

    edited = program.text.with_longer_row(array)
    rows = {(at - start) // pitch for at in access.lanes.values()}
    longer = array.sizes[-1] + 1
    return Draft(
        line=access.line,
        text=f"Suppose the rows of {array.name} had {longer} elements instead of {longer - 1}. How "
        f"many passes over the banks (wavefronts) would {warp(program, access)} then need for "
        f"{the(access)} at this line, the first time?",
        answer=answer,
        second=lambda: wavefronts(found_again(access, program.retraced(edited))),
        why=f"The lanes access {count(len(rows), 'row')} of {array.name}. With {longer} elements a "
        f"row, each row begins {count(longer % 32, 'bank')} after the one above it; before, "
        f"{(longer - 1) % 32}. Before the change it takes {count(before, 'pass')}, after it "
        f"{answer}.",
        mistakes=[
            (before, "that is without the change"),
            (32, "one for each lane"),
            (1, "no conflict, but lanes still meet in a bank"),
            (len(rows), "one for each row that the warp touches"),
            (len(rows) + 1, "one more than the rows that the warp touches"),
            (16, "one for each pair of lanes"),
            (4, "one for each 32 bytes"),
        ],
    )
