"""Predictions beside measured times, and how good they are."""

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scipy.stats import spearmanr

from grader.predict import estimate, gpu
from grader.predict.estimate import Estimate, Weights
from labs.studies.predict import collect
from labs.studies.predict.collect import Counted
from labs.studies.predict.fit import fit, fit_nvcc, half
from labs.studies.predict.programs import SOLUTION, Call

DIFFER = 1.2


@dataclass(frozen=True)
class TimedCall:
    """A call: predicted and measured microseconds."""

    call: Call
    prediction: Estimate
    measured: float
    held_out: bool

    @property
    def predicted(self) -> float:
        return self.prediction.seconds * 1e6

    @property
    def error(self) -> float:
        return abs(self.predicted / self.measured - 1)

    @property
    def covered(self) -> bool:
        return self.prediction.low * 1e6 <= self.measured <= self.prediction.high * 1e6

    @property
    def lab(self) -> str:
        return lab_of(self.call)

    @property
    def work(self) -> tuple[str, str, tuple[int, ...]]:
        """What it computes: equal for calls that compute the same."""
        return self.lab, self.call.function.partition("__")[0], self.call.size


def rows(
    counted: list[Counted], weights: Weights | None = None, by_nvcc: bool = False
) -> list[TimedCall]:
    """weights: None takes the committed ones. by_nvcc: with nvcc's code; calls in which it was not
    followed have the committed ones."""
    truth, device = collect.truth(), gpu.gpu("h200")
    found = []
    for one in counted:
        launches = one.by_nvcc if by_nvcc else one.launches
        is_alike = all(counts.by_nvcc == by_nvcc for counts in launches)
        time = estimate.predict_time(launches, device, weights if is_alike else None)
        held_out = half(one.call) == 1
        found.append(TimedCall(one.call, time, truth[one.call.name], held_out))
    return found


def left_out(
    counted: list[Counted], group: Callable[[Call], str], by_nvcc: bool = False
) -> list[TimedCall]:
    """Each call as weights predict it that were fitted to all calls of other groups."""
    found = []
    for name in sorted({group(one.call) for one in counted}):
        others = [one for one in counted if group(one.call) != name]
        own = [one for one in counted if group(one.call) == name]
        found += rows(own, (fit_nvcc if by_nvcc else fit)(others), by_nvcc)
    return found


def eighth(call: Call) -> str:
    """One of eight groups of whole programs."""
    return str(hashlib.sha256(call.program.encode()).digest()[1] % 8)


def lab_of(call: Call) -> str:
    return call.program.partition("-")[0]


def kind_of(call: Call) -> str:
    """What sort of program makes a call."""
    _, _, entry = call.program.partition("-")
    if call.function.startswith("baseline_"):
        return "baselines"
    if entry == SOLUTION:
        return "solutions"
    if not entry:
        return "kernels that no lab has"
    return "poor submissions" if entry.startswith(("poor-", "slow-")) else "other right submissions"


def rank(chosen: Iterable[TimedCall]) -> float:
    """Spearman's rank correlation."""
    points = [(row.predicted, row.measured) for row in chosen]
    return float(spearmanr(points).statistic)


def ranked_pairs(found: list[TimedCall], differ: float = DIFFER) -> tuple[int, int]:
    """Of the pairs of programs that compute the same, one of them at least held out, and differ by
    the factor `differ` or more in time: how many are ranked right, and how many there are."""
    alike = defaultdict(list)
    for row in found:
        alike[row.work].append(row)
    right = pairs = 0
    for rows_of_call in alike.values():
        for a, b in itertools.combinations(rows_of_call, 2):
            ratio = a.measured / b.measured
            if (a.held_out or b.held_out) and max(ratio, 1 / ratio) >= differ:
                pairs += 1
                right += (a.predicted > b.predicted) == (a.measured > b.measured)
    return right, pairs


def slower_than_solution(found: list[TimedCall]) -> tuple[int, int]:
    """Of the calls of a poor submission that take DIFFER times as long as the solution's or more:
    how many are predicted to take longer, and how many there are. Of both halves."""
    solutions = {
        (row.lab, row.call.function, row.call.size): row
        for row in found
        if row.call.program.endswith(SOLUTION)
    }
    pairs = [
        (row, solutions[key])
        for row in found
        if "-poor-" in row.call.program
        and (key := (row.lab, row.call.function, row.call.size)) in solutions
        and row.measured >= DIFFER * solutions[key].measured
    ]
    return sum(poor.predicted > good.predicted for poor, good in pairs), len(pairs)


def median_error(chosen: list[TimedCall]) -> float:
    return sorted(row.error for row in chosen)[len(chosen) // 2]


def within(chosen: list[TimedCall], error: float) -> float:
    return sum(row.error <= error for row in chosen) / len(chosen)


def covered(chosen: list[TimedCall]) -> float:
    """The share whose interval holds the measured time."""
    return sum(row.covered for row in chosen) / len(chosen)


def grouped(chosen: list[TimedCall], key: Callable[[TimedCall], str]) -> dict[str, list[TimedCall]]:
    found = defaultdict(list)
    for row in chosen:
        found[key(row)].append(row)
    return dict(sorted(found.items()))
