"""How often a comparison of two predictions is right, and the numbers that decide it: python -m
labs.studies.predict.compare writes them into the weights.

A pair is two programs that do the same call. Each time is predicted with weights that were fitted
without an eighth of the programs, to which it belongs; what is said of a pair is judged with an
interval that was chosen from pairs of which neither program is in that eighth.
"""

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass

import msgspec
import numpy as np

from grader.predict import compare, estimate
from labs.studies.predict import collect, errors, fit
from labs.studies.predict.errors import TimedCall

BASES, SLOPES = (0.02, 0.03, 0.05, 0.08), tuple(0.02 * n for n in range(76))
RIGHT, SAID, DIFFER = 0.965, 0.85, 1.15  # of what is said; of the pairs that differ so much


@dataclass(frozen=True)
class Pair:
    """Logarithms of the predicted and of the measured ratio, and how far the terms differ."""

    predicted: float
    measured: float
    distance: float
    groups: frozenset[str]

    def says(self, apart: tuple[float, float]) -> bool:
        return abs(self.predicted) > apart[0] + apart[1] * self.distance

    @property
    def right(self) -> bool:
        return (self.predicted > 0) == (self.measured > 0)

    @property
    def differs(self) -> bool:
        return abs(self.measured) >= math.log(DIFFER)


def pairs(rows: list[TimedCall]) -> list[Pair]:
    alike = defaultdict(list)
    for row in rows:
        alike[row.lab, row.call.function, row.call.size].append(row)
    every = (pair for group in alike.values() for pair in itertools.combinations(group, 2))
    return [
        Pair(
            math.log(a.predicted / b.predicted),
            math.log(a.measured / b.measured),
            compare.distance(a.prediction.terms, b.prediction.terms),
            frozenset((errors.eighth(a.call), errors.eighth(b.call))),
        )
        for a, b in every
    ]


def figures(said: list[tuple[Pair, bool]]) -> tuple[float, float, float]:
    """Of what is said, the share that is right; of the pairs that differ, the share of which
    something is said; of all pairs, the same."""
    right = [pair.right for pair, says in said if says]
    differ = [says for pair, says in said if pair.differs]
    return (
        float(np.mean(right or [True])),
        float(np.mean(differ)),
        float(np.mean([s for _, s in said])),
    )


def chosen(known: list[Pair]) -> tuple[float, float]:
    """Of the intervals with which enough is right, the widest that still says enough; else the one
    that says most."""
    able = []
    for apart in itertools.product(BASES, SLOPES):
        right, said, _ = figures([(pair, pair.says(apart)) for pair in known])
        if right >= RIGHT:
            able.append((min(said, SAID), apart[1], apart))
    return max(able)[2]


def judged(found: list[Pair]) -> tuple[float, float, float]:
    """figures() of pairs with an interval that was chosen from others."""
    said = []
    for group in sorted({name for pair in found for name in pair.groups}):
        apart = chosen([pair for pair in found if group not in pair.groups])
        said += [(pair, pair.says(apart)) for pair in found if group in pair.groups]
    return figures(said)


def table(found: dict[str, list[Pair]]) -> list[str]:
    lines = [
        "| | pairs | right of what is said | said of the pairs that differ by 15 % | said of all |",
        "|---|---|---|---|---|",
    ]
    for name, some in found.items():
        shares = " | ".join(f"{100 * share:.1f} %" for share in judged(some))
        lines.append(f"| {name} | {len(some)} | {shares} |")
    return lines


def main() -> None:
    for by_nvcc, file in ((False, fit.FILE), (True, fit.OF_NVCC)):
        rows = errors.left_out(collect.collect(), errors.eighth, by_nvcc)
        w = msgspec.structs.replace(estimate.weights(by_nvcc), apart=chosen(pairs(rows)))
        if by_nvcc:
            w = msgspec.structs.replace(w, held=round(errors.covered(rows), 2))
        fit.write(w, file)


if __name__ == "__main__":
    main()
