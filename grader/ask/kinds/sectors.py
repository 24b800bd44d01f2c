"""How many sectors of global memory does a warp touch at a line?"""

from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.words import agrees, count, draw_access, image, memory, ranges, sectors, the, warp
from grader.execute.accesses import SECTOR


def ask(program: AskedPart, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "global", sectors)
    answer = sectors(access)
    lanes = len(access.lanes)
    size = len(set(access.lanes.values())) * access.width
    first = min(access.lanes.values())
    last = max(access.lanes.values()) + access.width - 1
    return Draft(
        line=access.line,
        text=f"{program.name} runs on {image(program.trace.size)}. When {warp(program, access)} "
        f"executes {the(access)} at this line for the first time, how many sectors of 32 bytes do "
        f"its lanes touch?",
        answer=answer,
        second=lambda: agrees(answer, program, group, sectors, "sectors"),
        why=f"{count(lanes, 'lane')} of the warp {'take' if lanes > 1 else 'takes'} part, with "
        f"{count(access.width, 'byte')} each, from byte {first} to byte {last} of "
        f"{memory(access)}. These are in sector{'s' if answer > 1 else ''} "
        f"{ranges(access.units(SECTOR))}.",
        mistakes=[
            (lanes, "one for each lane: lanes that touch the same sector share it"),
            (32, "one for each of 32 lanes: neighbours share a sector of 32 bytes"),
            (-(-size // SECTOR), "the bytes divided by 32: the first byte may lie inside a sector"),
            (-(-32 * access.width // SECTOR), "that is so for 32 lanes that begin at a sector"),
            (1, "one instruction, but it touches more than one sector"),
            (-(-size // 128), "those are lines of 128 bytes"),
            (2 * answer, "those would be halves: a sector has 32 bytes, not 16"),
        ],
    )
