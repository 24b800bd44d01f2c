"""How many blocks can be on a multiprocessor at the same time?"""

import math

from grader.ask.draft import assuming
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.ask.words import count
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
    terms = {"threads": threads, "shared": launch.shared}
    limits, answer = limits_of(**terms), fit(**terms)
    binding = min(limits, key=lambda name: limits[name])
    bytes_ = count(launch.shared, "byte")
    warps = threads // 32
    share = trace.counted.kernels[number].occupancy_bound
    return Draft(
        line=launch.line,
        text=f"{runs(program, program.case(), launch)} and {bytes_} of shared memory each. "
        f"A multiprocessor of an H100 or H200 holds at most {THREADS} threads, {BLOCKS} "
        f"blocks and {SHARED} bytes of shared memory, of which each block takes {RESERVED} more "
        f"than it declares. How many blocks of this launch fit on it at the same time, if "
        f"registers are no limit?",
        answer=answer,
        second=lambda: round(share * WARPS_PER_MULTIPROCESSOR / (threads // 32)),
        why=f"A block has {count(declared, 'thread')}. "
        + ", ".join(f"{name} allow {value}" for name, value in limits.items())
        + f": the limit is {binding}.",
        mistakes=[
            *((limits[name], f"{name} allow that, but not the other limits") for name in limits),
            *assuming(
                fit,
                terms,
                ({"threads": 1024}, "as if each block had 1024 threads"),
                ({"most": 1024}, "as if a multiprocessor had 1024 threads"),
                ({"reserved": 0}, f"each block takes {RESERVED} bytes more than it declares"),
                ({"held": 48 << 10}, "48 KB is what a block may declare, not what there is"),
                ({"shared": 4 * launch.shared}, "the shared memory is in bytes, not in floats"),
            ),
            (warps, "those are the warps of one block"),
            (declared, "those are the threads of one block"),
            (answer * warps, "those are the warps on the multiprocessor, not the blocks"),
            (answer * declared, "those are the threads on the multiprocessor, not the blocks"),
            (THREADS, "those are all threads that fit, not blocks"),
            (math.prod(launch.grid), "those are all blocks of the grid"),
            (2 * answer, "as if a multiprocessor had twice as much of everything"),
        ],
        counts="divide each of the three limits by what a block takes; the smallest decides",
    )


def limits_of(
    threads: int, shared: int, most: int = THREADS, held: int = SHARED, reserved: int = RESERVED
) -> dict[str, int]:
    """The blocks that each limit of a multiprocessor allows. most: threads; held: bytes."""
    return {
        f"{most} threads": most // threads,
        f"{BLOCKS} blocks": BLOCKS,
        f"{held} bytes of shared memory": held // max(shared + reserved, 1),
    }


def fit(**terms: int) -> int:
    """The blocks that fit on a multiprocessor, with the terms of limits_of()."""
    return min(limits_of(**terms).values())
