"""Calls that nobody tuned the model to: python -m labs.studies.predict.untuned [--freeze]

untuned/ has their programs. submissions.diff: what each changes of its lab's solution, after a line
`=== PROGRAM FUNCTION ...` with the functions that are timed. general.cu: kernels that no lab has.
--freeze writes untuned/predictions.csv; it refuses once untuned/times.csv has what a GPU took.
Without it, the command prints how near those predictions come to those times.
"""

import csv
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from grader import paths
from grader.model import spec
from grader.predict import estimate, gpu
from grader.predict.estimate import Estimate
from grader.tests.known_submissions import entries as known_submissions
from labs.studies.predict import collect, errors, programs
from labs.studies.predict.collect import Counted
from labs.studies.predict.errors import TimedCall
from labs.studies.predict.programs import GENERAL, HERE, Call, Size

FOLDER = HERE / "untuned"
SUBMISSIONS = FOLDER / "submissions.diff"
PREDICTIONS, TIMES = FOLDER / "predictions.csv", FOLDER / "times.csv"
KINDS = ("with nvcc", "without")
PAIRS = (1.2, 1.05)  # the ratios from which on two times are to be ranked

_SIZES: dict[str, Size] = {
    "correlate_device": (1024, 1024, 6, 0),
    "correlate_identical": (2048, 2048, 3, 0),
    "correlate_constant": (2048, 2048, 4, 0),
    "correlate_polyphase": (2048, 2048, 5, 0),
    "correlate_idle": (1920, 1080, 5, 0),
    "correlate_tile": (2048, 2048, 7, 0),
    "correlate_register": (4096, 4096, 5, 0),
    "correlate_rows": (4096, 4096, 8, 0),
    "correlate_columns": (4096, 4096, 8, 0),
    "correlate_fused": (3000, 2000, 8, 0),
    "filter_coalesced": (2048, 2048, 8, 0),
    "filter_conflict_free": (2048, 2048, 8, 0),
    "filter_vectorised": (4096, 4096, 8, 0),
    "depthwise_float": (300, 224, 0, 0),
    "pointwise_double": (64, 112, 100, 0),
    "pointwise_float": (200, 112, 400, 0),
    "convolution_float": (64, 112, 128, 0),
    "grey_device": (8192, 8192, 0, 0),
}
_GENERAL: dict[Size, tuple[str, ...]] = {
    (1024, 1024, 0, 0): (
        "matmul__strip", "matmul__patch8", "matmul__patch16", "matmul__buffers", "matmul__cached",
    ),
    (4096, 4096, 0, 0): (
        "sum__called", "sum__vector", "scan__steps", "scan__warps", "stencil__global",
        "stencil__down", "gather",
    ),
    (2048, 2048, 0, 0): (
        "histogram__one", "histogram__of_warps", "transpose__bare", "transpose__padded",
        "transpose__warp", "sort",
    ),
    (2048, 2048, 50, 0): ("relax", "branches", "ring"),
    (2048, 2048, 256, 0): ("escape",),
}  # fmt: skip


@cache
def _changes() -> dict[tuple[str, ...], str]:
    """The diff of each submission, by its name and its functions."""
    _, *parts = re.split(r"^=== ", SUBMISSIONS.read_text(), flags=re.MULTILINE)
    cut = (part.partition("\n") for part in parts)
    return {tuple(title.split()): change for title, _, change in cut}


def calls() -> list[Call]:
    found = [Call(GENERAL, name, size) for size, names in _GENERAL.items() for name in names]
    return found + [Call(name, f, _SIZES[f]) for name, *of_it in _changes() for f in of_it]


def sources(program: str) -> list[Path]:
    """The files of a program besides calls/once.cu; a changed solution is written first."""
    if program == GENERAL:
        return [FOLDER / "general.cu"]
    lab = program.partition("-")[0]
    calls_of_lab, solution, *others = programs.sources(f"{lab}-{programs.SOLUTION}")
    solution = paths.SOLUTIONS / spec.load(lab).folder / solution.name
    file = paths.BUILD / "untuned" / program / solution.name
    file.parent.mkdir(parents=True, exist_ok=True)
    change = next(text for (name, *_), text in _changes().items() if name == program)
    file.write_text(known_submissions.changed(solution.read_text(), change))
    return [calls_of_lab, file, *others]


def freeze() -> None:
    """Writes PREDICTIONS. It counts all calls, which takes some minutes."""
    every = calls()
    with PREDICTIONS.open("w") as file:
        print("call,code,followed,predicted_us,low_us,high_us,bound", file=file)
        for program in dict.fromkeys(call.program for call in every):
            own = [call for call in every if call.program == program]
            folders = programs.folders(program)
            for one in collect.count_calls(sources(program), folders, own):
                print(*_lines(one), sep="\n", file=file, flush=True)


def _lines(one: Counted) -> Iterator[str]:
    """Two lines of PREDICTIONS: with nvcc, which is as without where its code was not followed."""
    for kind, launches in zip(KINDS, (one.by_nvcc, one.launches), strict=True):
        time = estimate.predict_time(launches, gpu.gpu("h200"))
        followed = "yes" if all(counts.by_nvcc for counts in launches) else "no"
        figures = ",".join(f"{1e6 * t:.4g}" for t in (time.seconds, time.low, time.high))
        yield f"{one.call.name},{kind},{followed},{figures},{time.bound}"


def rows(predictions: Path, times: Path, kind: str) -> list[TimedCall]:
    """The predictions of a kind beside the measured times, cold."""
    with times.open() as file:
        measured = {collect.name_of(row): float(row["cold_us"]) for row in csv.DictReader(file)}
    with predictions.open() as file:
        frozen = [row for row in csv.DictReader(file) if row["code"] == kind]
    return [_timed(row, measured[row["call"]]) for row in frozen if row["call"] in measured]


def _timed(row: dict[str, str], measured: float) -> TimedCall:
    program, function, size = row["call"].split()
    a, b, c, d = map(int, size.split("x"))
    seconds, low, high = (float(row[key]) * 1e-6 for key in ("predicted_us", "low_us", "high_us"))
    time = Estimate(seconds, low, high, {row["bound"]: seconds}, {})
    return TimedCall(Call(program, function, (a, b, c, d)), time, measured, held_out=True)


def table(predictions: Path, times: Path) -> list[str]:
    """How near the predictions come, a row for each kind."""
    lines = [
        "| | calls | median error | within 30 % | in the interval | pairs ranked right: 20 % apart "
        "| 5 % apart |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        found = rows(predictions, times, kind)
        shares = (errors.median_error(found), errors.within(found, 0.3), errors.covered(found))
        ranked = (errors.ranked_pairs(found, differ) for differ in PAIRS)
        figures = [f"{100 * share:.1f} %" for share in shares]
        figures += [f"{right} of {pairs}" for right, pairs in ranked]
        lines.append(f"| {kind} | {len(found)} | {' | '.join(figures)} |")
    return lines


def main() -> None:
    if "--freeze" not in sys.argv:
        if not TIMES.exists():
            sys.exit(f"{TIMES} is missing: nothing was timed yet")
        print("\n".join(table(PREDICTIONS, TIMES)))
        return
    if TIMES.exists():
        sys.exit(f"{TIMES} exists: predictions made now would not be from before it")
    os.environ["CONVLABS_NVCC"] = "own"
    freeze()


if __name__ == "__main__":
    main()
