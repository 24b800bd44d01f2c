"""Why do lanes of a warp meet in a bank of shared memory?"""

import math
from collections.abc import Iterable
from itertools import pairwise

from grader.execute.accesses import BANKS, LANES, WORD, WarpAccess


def cause(warps: Iterable[WarpAccess], file: str, line: int) -> str:
    """The distance between neighbouring lanes, where that is why a line's costliest access to
    shared memory needs more than one wavefront; "" where it is not, or they are at no one
    distance."""
    there = [w for w in warps if (w.file, w.line, w.space) == (file, line, "shared")]
    worst = max(there, key=lambda w: w.cost - w.ideal(), default=None)
    if not worst or worst.width != WORD or len(worst.lanes) != LANES:
        return ""
    first = [worst.lanes[lane] for lane in range(LANES)]
    apart = {b - a for a, b in pairwise(first)}
    words = abs(first[1] - first[0]) // WORD
    meeting = math.gcd(words, BANKS)
    if len(apart) > 1 or not words or not 1 < meeting == worst.cost:
        return ""
    return (
        f"{file}:{line}: neighbouring lanes are {words} words apart, and {meeting} divides both "
        f"{words} and the {BANKS} banks, so {meeting} lanes meet in a bank; an odd distance gives "
        "each lane a bank of its own"
    )
