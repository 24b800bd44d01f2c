"""How many sectors of global memory does a warp touch at a line?"""

from grader.ask.draft import assuming
from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.setting import runs
from grader.ask.words import agrees, beyond, count, draw_access, memory, ranges, sectors, the, warp
from grader.execute.accesses import SECTOR

LINE = 128  # bytes of a cache line


def ask(program: AskedPart, draw: Random) -> Draft:
    group, access = draw_access(program, draw, "global", sectors)
    answer = sectors(access)
    starts, width = [*access.lanes.values()], access.width
    lanes, radius = len(starts), program.inputs(program.case()).radius
    first, last = min(starts), max(starts) + width - 1
    terms = {"starts": starts, "width": width}
    whole = [first + width * lane for lane in range(32)]
    bytes_ = f"bytes {first} to {last}" if last > first else f"byte {first}"
    setting = runs(program, program.case(), program.trace.launch(access))
    return Draft(
        line=access.line,
        text=f"{setting}. When {warp(program, access)} executes {the(access)} at this line for the "
        f"first time, how many sectors of 32 bytes do its lanes touch?",
        answer=answer,
        second=lambda: agrees(answer, program, group, sectors, "sectors"),
        why=f"{count(lanes, 'lane')} of the warp {'take' if lanes > 1 else 'takes'} part, with "
        f"{count(width, 'byte')}{' each' if lanes > 1 else ''}: {bytes_} of {memory(access)}, in "
        f"sector{'s' if answer > 1 else ''} {ranges(access.units(SECTOR))}.",
        mistakes=[
            (lanes, "one for each lane: lanes that touch the same sector share it"),
            (32, "one for each of 32 lanes: neighbours share a sector of 32 bytes"),
            *assuming(
                touched,
                terms,
                ({"starts": [at - first for at in starts]}, "the first byte may lie in a sector"),
                ({"starts": [at - first for at in whole]}, "32 lanes that begin at a sector do so"),
                ({"unit": LINE}, "those are lines of 128 bytes"),
                ({"unit": LINE // 8}, "those would be halves: a sector has 32 bytes, not 16"),
                ({"unit": width}, "those are the elements that the lanes touch"),
                ({"unit": 1}, "those are the bytes that the lanes touch"),
                (
                    {"starts": [at + width * n for at in starts for n in (-radius, 0, radius)]},
                    "the apron is included: these lanes touch it at other times",
                ),
            ),
            (touched(starts, width, LINE) * 4, "whole lines of 128 bytes: sectors come singly"),
            (
                sum(touched([at], width) for at in starts),
                "added lane by lane: lanes that touch the same sector share it",
            ),
            *beyond(group, access, sectors),
        ],
        counts="count the different sectors of 32 bytes in which a lane of this warp has a byte",
    )


def touched(starts: list[int], width: int, unit: int = SECTOR) -> int:
    """The units in which accesses of `width` bytes have a byte."""
    return len({byte // unit for at in starts for byte in range(at, at + width)})
