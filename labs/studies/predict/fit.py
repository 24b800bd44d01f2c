"""Fits the weights of grader/predict/weights.toml to half of the timed calls: python -m
labs.studies.predict.fit

Half 0 is fitted, half 1 is held out; a hash of program and function decides, so that all sizes of a
function are in one half. The weights of operations are fitted to the instructions that Nsight
Compute counted (h200/counters.csv), and only the few numbers that are left to the times.
"""

import hashlib
import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
from scipy.optimize import linprog

from grader import paths
from grader.predict import estimate, gpu
from grader.predict.counts import Counts
from grader.predict.estimate import Weights
from labs.studies.predict import collect, foreign
from labs.studies.predict.collect import Counted
from labs.studies.predict.foreign import Kernel
from labs.studies.predict.programs import Call

FILE = paths.ROOT / "grader" / "predict" / "weights.toml"
OF_NVCC = FILE.with_name("weights_nvcc.toml")
TAIL = 0.015  # of what is fitted is below the interval, and above it
ROUNDS = 6
# The labs alone gave it. The loss hardly depends on it, and other programs hardly read constants.
KEPT = ("constant",)
LABS = 2  # the labs' calls weigh so much more than other programs
MOST = 2.0  # of a number of the interval
FEW = 1e4  # instructions, up to which a kernel of another program says nothing of their number
LIMIT = 2.5  # a weight stays within this factor of what it begins with
PULL = 0.01  # the price of leaving what it begins with

BEGIN = Weights(
    operations={
        "fma": 1, "fp64": 1, "divide": 9, "alu": 0.7, "convert": 1, "idivide": 14, "imul": 1,
        "move": 0.7, "compare": 0.7, "lea": 0.7, "step": 0.5, "branch": 0.5, "barrier": 1,
        "shuffle": 1, "atomic": 1, "memory": 1.3, "constant": 1.7224,
    },
    warp=15,
    alu_share=1,
    units={"divide": 0.12, "idivide": 0.1},
    issued=0.9,
    power=3,
    power_units=6,
    start=0.4,
    fetch=4,
    parallel_loads=1,
    parallel_shared=8,
    parallel_operations=2,
    held=0,
    apart=(0.1, 0.0),
    down={},
    up={},
)  # fmt: skip
# With nvcc's code, each instruction is one, and goes to the unit that its name says.
BEGIN_NVCC = msgspec.structs.replace(BEGIN, operations={}, warp=0, units={})
_TIMES = [
    "issued",
    "power",
    "power_units",
    "start",
    "fetch",
    "parallel_loads",
    "parallel_shared",
    "parallel_operations",
]


def half(call: Call) -> int:
    return hashlib.sha256(f"{call.program} {call.function}".encode()).digest()[0] % 2


def fit(chosen: list[Counted]) -> Weights:
    """The weights that these calls and half of the other programs' kernels give."""
    outside = [kernel for kernel in foreign.kernels() if not kernel.held_out]
    known = [kernel for kernel in outside if not estimate.unknown(kernel.counts)]
    truth = collect.truth()
    measured = [(one.launches, truth[one.call.name]) for one in chosen]
    measured_outside = [([kernel.counts], kernel.us + foreign.EVENTS) for kernel in known]

    ours, theirs = _Instructions(chosen, []), _Instructions([], outside)
    w = _descend(BEGIN, lambda x: LABS * ours(x) + theirs(x), ["warp"], ["operations"])
    w = msgspec.structs.replace(w, alu_share=_alu_share(chosen, w))
    w = _descend(
        w,
        lambda x: LABS * _mean(_errors(measured, x)) + _mean(_errors(measured_outside, x)),
        _TIMES,
        ["units"],
    )
    return _with_interval(w, measured + measured_outside)


def fit_nvcc(chosen: list[Counted]) -> Weights:
    """The weights that these calls give, of which nvcc's code was counted."""
    truth = collect.truth()
    measured = [
        (one.by_nvcc, truth[one.call.name])
        for one in chosen
        if all(counts.by_nvcc for counts in one.by_nvcc)
    ]
    w = _descend(BEGIN_NVCC, lambda x: _mean(_errors(measured, x)), _TIMES, [])
    return _with_interval(w, measured)


def _errors(measured: list[tuple[list[Counts], float]], w: Weights) -> list[float]:
    device = gpu.gpu("h200")
    return [
        math.log(estimate.predict_time(launches, device, w).seconds * 1e6 / us)
        for launches, us in measured
    ]


def _with_interval(w: Weights, measured: list[tuple[list[Counts], float]]) -> Weights:
    """The ends of the interval, by quantile regression: outside each, TAIL of the calls."""
    device = gpu.gpu("h200")
    found = [estimate.predict_time(launches, device, w) for launches, _ in measured]
    names = list(found[0].strange)
    strange = np.array([[one.strange[name] for name in names] for one in found])
    ratios = np.array(
        [
            math.log(max(1e-6 * us - device.launch, 1e-8) / (one.seconds - device.launch))
            for one, (_, us) in zip(found, measured, strict=True)
        ]
    )
    many = len(found)
    price = np.concatenate([np.zeros(len(names)), np.full(many, 1 - TAIL), np.full(many, TAIL)])
    sums = np.hstack([strange, np.eye(many), -np.eye(many)])
    bounds = [(0.0, MOST)] * len(names) + [(0.0, None)] * 2 * many
    ends = []
    for wanted in (-ratios, ratios):
        best = linprog(price, A_eq=sums, b_eq=wanted, bounds=bounds).x
        pairs = zip(names, best, strict=False)
        ends.append({name: round(float(n), 3) for name, n in pairs if n >= 0.001})
    return msgspec.structs.replace(w, down=ends[0], up=ends[1])


class _Instructions:
    """The error of the instructions of all launches, for some weights. Equal launches of a call
    count once."""

    def __init__(self, chosen: list[Counted], outside: list[Kernel]) -> None:
        counted = collect.counters("instructions")
        rows = {
            (one.call.name, id(counts)): (counts, counted[one.call.name, launch])
            for one in chosen
            for launch, counts in enumerate(one.launches)
        } | {
            (kernel.program, n): (kernel.counts, kernel.instructions)
            for n, kernel in enumerate(outside)
            if kernel.instructions > FEW
        }
        self.kinds = list(BEGIN.operations)
        self.numbers = np.array(
            [[c.operations.get(kind, 0.0) for kind in self.kinds] for c, _ in rows.values()]
        )
        # A kind that has no weight counts as one instruction.
        self.others = np.array(
            [
                sum(n for k, n in c.operations.items() if k not in self.kinds)
                for c, _ in rows.values()
            ]
        )
        self.warps = np.array([c.warps for c, _ in rows.values()])
        self.truth = np.array([truth for _, truth in rows.values()])

    def __call__(self, w: Weights) -> float:
        work = self.numbers @ np.array([w.operations[kind] for kind in self.kinds])
        ratios = (w.warp * self.warps + self.others + work) / self.truth
        return float(np.minimum(np.abs(np.log(ratios)), 1.0).mean())


def _alu_share(chosen: list[Counted], w: Weights) -> float:
    """The share of integer operations that the integer unit executes; nvcc gives the others to the
    units for float arithmetic."""
    counted = collect.counters("alu")
    shares = [
        counted[one.call.name, launch] / estimate.integers(counts, w)
        for one in chosen
        for launch, counts in enumerate(one.launches)
        if estimate.integers(counts, w)
    ]
    return round(sorted(shares)[len(shares) // 2], 3)


def _mean(errors: list[float]) -> float:
    return sum(min(abs(e), 1.0) for e in errors) / len(errors)


def _descend(
    w: Weights, loss: Callable[[Weights], float], names: list[str], tables: list[str]
) -> Weights:
    """Changes one number of these at a time while that lessens the loss."""
    numbers = [(name, "") for name in names]
    numbers += [(table, key) for table in tables for key in getattr(w, table) if key not in KEPT]

    def price(x: Weights) -> float:
        far = sum(abs(math.log(_get(x, n) / _get(BEGIN, n))) for n in numbers)
        return loss(x) + PULL * far / len(numbers)

    best = price(w)
    for _ in range(ROUNDS):
        before = best
        for number in numbers:
            for factor in (0.6, 0.85, 0.95, 1.05, 1.18, 1.6):
                value = _get(w, number) * factor
                if abs(math.log(value / _get(BEGIN, number))) > math.log(LIMIT):
                    continue
                other = _set(w, number, value)
                found = price(other)
                if found < best - 1e-6:
                    w, best = other, found
        if before - best < 1e-4:
            break
    return w


def _get(w: Weights, number: tuple[str, str]) -> float:
    name, key = number
    value = getattr(w, name)
    return float(value[key]) if key else float(value)


def _set(w: Weights, number: tuple[str, str], value: float) -> Weights:
    name, key = number
    new = {**getattr(w, name), key: round(value, 4)} if key else round(value, 4)
    return msgspec.structs.replace(w, **{name: new})


def main() -> None:
    w = fit([one for one in collect.collect() if half(one.call) == 0])
    others = [row.covered for row in foreign.rows(w) if row.kernel.held_out]
    w = msgspec.structs.replace(w, held=round(sum(others) / len(others), 2))
    write(w, FILE)
    by_nvcc = fit_nvcc([one for one in collect.collect() if half(one.call) == 0])
    write(by_nvcc, OF_NVCC)


def write(w: Weights, file: Path) -> None:
    head = ("# Written by `python -m labs.studies.predict.fit` from half of "
            "labs/studies/predict/h200/times.csv;\n"
            "# grader/predict/estimate.py says what each number is.\n")  # fmt: skip
    file.write_bytes(head.encode() + _toml(w))


def _toml(w: Weights) -> bytes:
    lines = []
    fields = msgspec.structs.asdict(w)
    for name, value in fields.items():
        if isinstance(value, tuple):
            lines.append(f"{name} = [{value[0]}, {value[1]}]")
        elif not isinstance(value, dict):
            lines.append(f"{name} = {value}")
    for name, value in fields.items():
        if isinstance(value, dict) and value:
            lines += ["", f"[{name}]", *(f"{key} = {number}" for key, number in value.items())]
    return ("\n".join(lines) + "\n").encode()


if __name__ == "__main__":
    main()
