"""How near the functions of a lab come to the fastest that their machine allows: one score for each
speed check, and one for the lab."""

import msgspec


class Scored(msgspec.Struct, frozen=True):
    """One speed check. Without a score, `why` says why; times are then null if there are none."""

    check: str  # its id
    part: str
    name: str
    score: float | None = None  # floor over time, from 0 to 1
    low: float | None = None  # the score's range, from the noise of times and floors
    high: float | None = None
    time_ns: float | None = None  # median of a call
    floor_ns: float | None = None  # the least time of a call on this machine
    bound: str = ""  # the roof that gives the floor, such as "memory"
    why: str = ""
    left_out: bool = False  # this machine cannot time it, and the lab's score does without it


class Leaderboard(msgspec.Struct, frozen=True):
    """The scores of one submission. The lab's is the geometric mean of the checks' scores; null
    while a check that this machine can time has none."""

    score: float | None
    low: float | None
    high: float | None
    checks: list[Scored]
