"""How many blocks can be on a multiprocessor at the same time?"""

import math

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.execute.profile import WARPS_PER_MULTIPROCESSOR

THREADS, BLOCKS, SHARED, RESERVED = 2048, 32, 233472, 1024  # of compute capability 9.0


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    if not trace.launches or program.in_c:
        raise CannotTell("no launch")
    number = draw.randrange(len(trace.launches))
    launch = trace.launches[number]
    if launch.file != program.shown:
        raise CannotTell("the launch is in another file")
    declared = math.prod(launch.block)
    threads = -(-declared // 32) * 32
    limits = {
        f"{THREADS} threads": THREADS // threads,
        f"{BLOCKS} blocks": BLOCKS,
        f"{SHARED} bytes of shared memory": SHARED // (launch.shared + RESERVED),
    }
    answer = min(limits.values())
    binding = min(limits, key=lambda name: limits[name])

    share = trace.counted.kernels[number].occupancy_bound
    return Draft(
        line=launch.line,
        text=f"A multiprocessor of an H100 or H200 holds at most {THREADS} threads, {BLOCKS} "
        f"blocks and {SHARED} bytes of shared memory, of which each block takes {RESERVED} more "
        f"than it declares. How many blocks of this launch fit on it at the same time, if "
        f"registers are no limit? A block has {launch.shared} bytes of shared memory.",
        answer=answer,
        second=lambda: round(share * WARPS_PER_MULTIPROCESSOR / (threads // 32)),
        why=f"A block has {declared} threads. "
        + ", ".join(f"{name} allow {value}" for name, value in limits.items())
        + f": the limit is {binding}.",
        mistakes=[
            *((limits[name], f"{name} allow that, but not the other limits") for name in limits),
            (THREADS // 1024, "as if each block had 1024 threads"),
            (threads // 32, "those are the warps of one block"),
            (1024 // threads, "as if a multiprocessor had 1024 threads"),
            (2 * answer, "as if a multiprocessor had twice as much of everything"),
        ],
    )
