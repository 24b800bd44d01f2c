"""Times several programs in turn, so that what disturbs the machine disturbs all of them.

A round times each program once, and each round begins with another one. What counts is the median:
of a program's times, and of its ratios to the reference within a round.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

ENOUGH_NS = 3e6  # a measurement is repeated within a round until it lasts that long
MOST_CALLS = 200


@dataclass
class Contender:
    """A program that takes part. measure(n) makes n calls and returns nanoseconds per call."""

    who: str
    measure: Callable[[int], float]
    times: list[float] = field(default_factory=list)  # of each round; 0: it took no part
    calls: int = 1
    spent: float = 0.0

    def median(self) -> float:
        return statistics.median([ns for ns in self.times if ns])

    def rounds(self) -> int:
        return sum(ns > 0 for ns in self.times)


def run(contenders: Sequence[Contender], rounds: int, budget_ns: float) -> None:
    """Fills `times`. A program takes part until it has used its budget; for one that uses it in a
    single call, that call is its only round."""
    for contender in contenders:
        first = contender.measure(1)
        contender.calls = max(1, min(MOST_CALLS, int(ENOUGH_NS / max(first, 1.0))))
        if first > budget_ns:
            contender.times = [first] + [0.0] * (rounds - 1)
    taking_part = [contender for contender in contenders if not contender.times]
    for number in range(rounds):
        for turn in range(len(taking_part)):
            contender = taking_part[(turn + number) % len(taking_part)]
            if contender.spent > budget_ns:
                contender.times.append(0.0)
                continue
            ns = contender.measure(contender.calls)
            contender.times.append(ns)
            contender.spent += ns * contender.calls


def ratio(contender: Contender, reference: Contender) -> float:
    """The contender's speed as a multiple of the reference's: the median over the rounds in which
    both took part."""
    both = zip(contender.times, reference.times, strict=True)
    return statistics.median(other / own for own, other in both if own and other)
