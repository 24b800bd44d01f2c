"""Makes the calls of the CUDA runtime that a function really makes fail, one after the other.

A run in which none fails counts them (draw.draw_counted()). Each then fails in calls of its own: on
a tiny image, on one of any size and, where no kernel ran before it, on a larger one. Where there
are many, at least the first and the last of each place in the source fail, and others that a seed
draws. The first MOST_AGAIN are called again after they failed, for more memory each time. What only
the first call in a process does, such as to set an attribute once, fails in a process of its own.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from grader.contract import step as steps
from grader.contract.play import Result, StepStatus
from grader.contract.step import Failing, Step

MOST = 40  # calls of one function that fail, and others where there are more places
LAUNCH = "launch"  # what such a call is named
MOST_FIRST = 8  # processes for what only the first call does
LENGTH = 60  # calls of a process: memory that could not be freed is left behind
MOST_AGAIN = 6  # numbers whose call is made again when it has failed
RIGHT_AFTER = 4  # numbers of others, before a call that does not fail


def numbers(status: StepStatus, chance: random.Random) -> list[int]:
    """Which calls of a function fail, in a random order."""
    chosen = {number for _, _, *ends in status.sites for number in ends}
    others = sorted(set(range(1, status.calls + 1)) - chosen)
    chosen |= set(chance.sample(others, min(len(others), max(0, MOST - len(chosen)))))
    return chance.sample(sorted(chosen), len(chosen))


def sequences(
    counted: steps.Sequence,
    results: Sequence[Result],
    seed: int,
    resized: Callable[[bool], Sequence[Step]],
    extreme: Callable[[float], Step],
) -> Iterator[steps.Sequence]:
    """The sequences with calls that fail. counted: each step twice, as it was played; results: what
    came of it. resized: draws steps on larger images; does a kernel run before the failure?
    extreme: draws one that asks for this share of the most, and is made again when it has failed:
    for more each time, so that it does what it did for less."""
    chance = random.Random(seed)
    pairs = list(zip(counted[::2], results[::2], results[1::2], strict=True))
    generated: list[Step] = []
    known: set[tuple[str, int]] = set()
    for step, _, later in pairs:
        launch = max((last for name, _, _, last in later.status.sites if name == LAUNCH), default=0)
        for index, number in enumerate(numbers(later.status, chance)):
            larger = [replace(s, settings=step.settings) for s in resized(number > launch)]
            generated += [_failing(s, number, chance) for s in (step, *larger)]
            if index < MOST_AGAIN:
                share = 0.5 + 0.5 * (index + 1) / MOST_AGAIN
                again = replace(extreme(share), settings=step.settings)
                generated += [_failing(again, number, chance), again]
            elif index % RIGHT_AFTER == RIGHT_AFTER - 1:
                generated.append(step)
        generated.append(step)
        known |= {(name, line) for name, line, *_ in later.status.sites}
    for first in range(0, len(generated), LENGTH):
        yield tuple(generated[first : first + LENGTH])
    only_first = [
        (step, number)
        for step, first, _ in pairs
        for name, line, number, _ in first.status.sites
        if (name, line) not in known
    ]
    for step, number in only_first[:MOST_FIRST]:
        yield _failing(step, number, chance), step


def _failing(step: Step, number: int, chance: random.Random) -> Step:
    return replace(step, failing=Failing(number, chance.choice(list(steps.ERRORS))))
