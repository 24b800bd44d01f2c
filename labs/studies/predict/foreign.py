"""Kernels of programs that were not written for this project, HeCBench's: their times on an H200
beside what is predicted. Half of the programs, by a hash of the name, is held out.

h200/foreign.csv has the launches that Nsight Compute measured (h200/machine.txt) and the counts of
the simulator for the same arguments; h100/foreign.csv the times of the same launches on a card of
which no number was measured. What wrote both from a clone of HeCBench, none of whose code is part
of this project: git show ff347074:labs/studies/predict/foreign.py
"""

import csv
import dataclasses
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grader.predict import estimate, gpu
from grader.predict.counts import Counts
from grader.predict.estimate import Estimate, Weights
from grader.predict.terms import WORDS
from labs.studies.predict.programs import HERE

FILE = HERE / "h200" / "foreign.csv"
# Microseconds that two events around a short kernel measure more than Nsight Compute: the median
# difference of h200/times.csv and h200/counters.csv.
EVENTS = 1.5
# Of Counts, what are no columns.
OTHERS = ("kernel", "operations", "sources", "registers", "by_nvcc")
PARSE: dict[type, Callable[[str], object]] = {
    int: int, float: float, bool: lambda text: text == "True",
}  # fmt: skip


@dataclass(frozen=True)
class Kernel:
    """A kernel of a program, launched so often with one shape; the launch of the median time, in
    microseconds as Nsight Compute measures, and instructions. nan: not measured."""

    program: str
    grid: str
    block: str
    launches: int
    us: float
    instructions: float
    counts: Counts

    @property
    def key(self) -> tuple[str, ...]:
        return self.program, self.counts.kernel, self.grid, self.block

    @property
    def held_out(self) -> bool:
        return hashlib.sha256(self.program.encode()).digest()[0] % 2 == 1


@dataclass(frozen=True)
class TimedKernel:
    kernel: Kernel
    prediction: Estimate

    @property
    def ratio(self) -> float:
        return (1e6 * self.prediction.seconds - EVENTS) / self.kernel.us

    @property
    def covered(self) -> bool:
        measured = self.kernel.us + EVENTS
        return 1e6 * self.prediction.low <= measured <= 1e6 * self.prediction.high


def kernels() -> list[Kernel]:
    """Those of foreign.csv."""
    fields = [f for f in dataclasses.fields(Counts) if f.name not in OTHERS]
    found = []
    with FILE.open() as file:
        for row in csv.DictReader(file):
            values = {f.name: PARSE[f.type](row[f.name]) for f in fields}  # type: ignore[index]
            pairs = (pair.split("=") for pair in row["operations"].split())
            operations = {kind: float(number) for kind, number in pairs}
            counted = Counts(kernel=row["kernel"], operations=operations, sources={}, **values)  # type: ignore[arg-type]
            numbers = int(row["launches"]), float(row["us"]), float(row["instructions"])
            found.append(Kernel(row["program"], row["grid"], row["block"], *numbers, counted))
    return found


def rows(weights: Weights | None = None, card: str = gpu.DEFAULT) -> list[TimedKernel]:
    """Of the kernels for which a time can be told; weights: None takes the committed ones."""
    device = gpu.gpu(card)
    return [
        TimedKernel(kernel, estimate.predict_time([kernel.counts], device, weights))
        for kernel in (kernels() if card == gpu.DEFAULT else _on(card))
        if not estimate.unknown(kernel.counts)
    ]


def _on(card: str) -> list[Kernel]:
    """Those that were timed on another card, too; what a kernel does is the same there."""
    with (HERE / card / "foreign.csv").open() as file:
        times = {tuple(row[:4]): float(row[4]) for row in list(csv.reader(file))[1:]}
    return [dataclasses.replace(k, us=times[k.key]) for k in kernels() if k.key in times]


def table(found: list[TimedKernel], elsewhere: list[TimedKernel]) -> list[str]:
    """Lines of RESULTS.md. elsewhere: on a card of which no number was measured."""
    unknown = Counter(estimate.unknown(k.counts) for k in kernels())
    del unknown[""]
    lines = [
        "| HeCBench | kernels | programs | median error | within 30 % | within a factor of 2 "
        "| in the interval | median of its upper over its lower end |",
        "|---|---|---|---|---|---|---|---|",
    ]
    fitted, held_out = ([r for r in found if r.kernel.held_out == half] for half in (False, True))
    lines += [_line("fitted", fitted), _line("held out", held_out)]
    lines.append(_line("held out, on an H100", [r for r in elsewhere if r.kernel.held_out]))
    errors: dict[str, list[float]] = defaultdict(list)
    for row in held_out:
        errors[row.kernel.program].append(abs(row.ratio - 1))
    once = [np.median(of_program) for of_program in errors.values()]
    lines += ["", f"Of the held-out programs, each counted once, the median error is "
              f"{100 * np.median(once):.1f} %.", ""]  # fmt: skip
    lines += ["For the H100 no number was measured: `grader/predict/gpus/h100.toml` is the H200's "
              "chip with the memory of", "the H100's data sheet.", ""]  # fmt: skip
    lines += ["Kernels for which no time is reported, of both halves:", ""]
    lines += [f"- {number}: {why}" for why, number in unknown.most_common()]
    return lines


def _line(name: str, found: list[TimedKernel]) -> str:
    ratios = np.array([row.ratio for row in found])
    errors = abs(ratios - 1)
    figures = [
        f"{100 * share:.1f} %"
        for share in (
            np.median(errors),
            np.mean(errors <= 0.3),
            np.mean((ratios > 0.5) & (ratios < 2)),
            np.mean([row.covered for row in found]),
        )
    ]
    width = np.median([row.prediction.high / row.prediction.low for row in found])
    programs = len({row.kernel.program for row in found})
    return f"| {name} | {len(found)} | {programs} | {' | '.join(figures)} | {width:.1f} |"


def worst(found: list[TimedKernel], most: int = 12) -> list[str]:
    held_out = [row for row in found if row.kernel.held_out]
    lines = ["| kernel | predicted, µs | measured, µs | bound by |", "|---|---|---|---|"]
    for row in sorted(held_out, key=lambda row: -abs(math.log(max(row.ratio, 1e-9))))[:most]:
        predicted = 1e6 * row.prediction.seconds - EVENTS
        lines.append(
            f"| {row.kernel.program} {row.kernel.counts.kernel} | {predicted:.0f} "
            f"| {row.kernel.us:.0f} | {WORDS[row.prediction.bound]} |"
        )
    return lines
