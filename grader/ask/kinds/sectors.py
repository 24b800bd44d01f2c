"""How many sectors of global memory does a warp touch at a line?"""

from random import Random

from grader.ask.draft import Draft, numbers
from grader.ask.program import Program
from grader.ask.trace import SECTOR
from grader.ask.words import (
    agrees,
    block,
    count,
    draw_access,
    image,
    memory,
    quantity,
    ranges,
    the,
)  # fmt: skip

ABOUT = "sectors of global memory"
REBUILDS = False


def ask(program: Program, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "global")
    answer = len(access.units(SECTOR))
    lanes = len(access.lanes)
    size = len(set(access.lanes.values())) * access.width
    first = min(access.lanes.values())
    last = max(access.lanes.values()) + access.width - 1

    def second() -> str:
        ours = sum(len(a.units(SECTOR)) for a in group)
        return agrees(answer, ours, quantity(program, group, "sectors"))

    mistakes = [
        (lanes, "one for each lane: lanes that touch the same sector share it"),
        (32, "one for each of 32 lanes: neighbours share a sector of 32 bytes"),
        (-(-size // SECTOR), "the bytes divided by 32: the first byte may lie inside a sector"),
        (-(-32 * access.width // SECTOR), "that is what 32 lanes need when they begin at a sector"),
        (1, "one instruction, but it touches more than one sector"),
        (-(-size // 128), "those are lines of 128 bytes"),
        (access.width, "those are the bytes of one lane"),
        (2 * answer, "those would be halves: a sector has 32 bytes, not 16"),
    ]
    return Draft(
        file=program.shown,
        line=access.line,
        text=f"{program.name} runs on {image(program.trace.size)}. When warp {access.warp} of "
        f"{block(program, access)} executes {the(access)} at this line for the first time, how "
        f"many sectors of 32 bytes do its lanes touch?",
        answer=str(answer),
        second=second,
        ways=("the addresses of the lanes", "the simulator's counter of sectors at this line"),
        why=f"{count(lanes, 'lane')} of the warp access bytes between {first} and {last} of "
        f"{memory(access)}, {access.width} each. That is in "
        f"sector{'s' if answer > 1 else ''} {ranges(access.units(SECTOR))}.",
        mistakes=numbers(answer, mistakes),
    )
