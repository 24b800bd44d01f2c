"""Which calls of the CUDA runtime a case makes fail: of those that the program really makes."""

import random

from grader.execute.case import Status

# Other forms of a function, which a program may use for the same purpose: as in
# labs/sim/src/base/errors.c.
FORMS = (
    "", "Async", "FromPoolAsync", "Pitch", "Managed", "2D", "2DAsync", "WithFlags", "WithPriority"
)  # fmt: skip
MOST = 6  # of one case


def numbers(status: Status, inject: str, seed: int) -> list[int]:
    """The numbers of the calls to make fail, each in a run of its own. status: of a run in which
    none fails. Of many, the first, the last and others that the seed draws."""
    name, _, which = inject.partition(":")
    forms = {name + form for form in FORMS}
    ends = sorted({n for called, _, *both in status.sites if called in forms for n in both})
    if which and ends:
        ends = {"first": ends[:1], "last": ends[-1:], "later": ends[1:]}[which]
    if len(ends) <= MOST:
        return ends
    between = random.Random(seed).sample(ends[1:-1], MOST - 2)
    return [ends[0], *sorted(between), ends[-1]]
