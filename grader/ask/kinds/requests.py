"""How often does a warp execute an access?"""

from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.words import agrees, count, groups, image, memory, warp


def ask(program: AskedPart, draw: Random) -> Draft:
    group = draw.choice(groups(program, "global", "shared", "constant"))
    access = draw.choice(group)
    mine = [a for a in group if (a.block, a.warp) == (access.block, access.warp)]
    answer = len(mine)
    warps = len({(a.block, a.warp) for a in group})
    lanes = sum(len(a.lanes) for a in mine)
    mask = program.inputs(program.case()).arrays.get("mask")
    taps, of_mask = -1, ""
    if mask is not None:
        taps = int(mask.size)
        of_mask = f" with {count(mask.shape[-1], 'coefficient')} in a row of a mask"
    wide = f", {access.width} bytes for each lane" if access.width > 8 else ""
    return Draft(
        line=access.line,
        text=f"{program.name} runs on {image(program.trace.size)}{of_mask}. How many "
        f"{'stores to' if access.store else 'loads from'} {memory(access)} does "
        f"{warp(program, access)} execute at this line, counted as instructions of the whole warp?",
        answer=answer,
        second=lambda: agrees(answer, program, group, lambda _: 1, "requests"),
        why=f"The warp executes {count(answer, 'such instruction')}{wide}, for "
        f"{count(lanes, 'access')} of its lanes. In the whole launch there are {len(group)}, of "
        f"{count(warps, 'warp')}.",
        mistakes=[
            (lanes, "those are the accesses of its lanes: a warp executes one for all of them"),
            (32 * answer, "32 times as many: a warp executes an instruction once for its 32 lanes"),
            (1, "once, but the warp gets there again and again"),
            (taps, "once for each coefficient"),
            (max(program.trace.shape[-1], 1), "once for each column of the image"),
            (2 * answer, "once for each half of the warp: the 32 lanes go together"),
            (warps, "that is how many warps get there"),
        ],
    )
