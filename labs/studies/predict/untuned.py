"""Calls that nobody tuned the model to: python -m labs.studies.predict.untuned [--freeze]

untuned/ has their programs: NAME.diff is what changes of a lab's solution, general.cu has kernels
that no lab has. --freeze writes untuned/predictions.csv; it refuses once untuned/times.csv has what
a GPU took. Without it, the command prints how near those predictions come to those times.
"""

import csv
import os
import sys
from collections.abc import Iterator
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
# Which functions of a lab's solution a program changes, where each is timed with its size above.
_PROGRAMS = {
    "lab2-forty-blocks": ("correlate_device", "correlate_identical"),
    "lab2-oversized-grid": ("correlate_device",),
    "lab2-blocks-33-by-7": ("correlate_device", "correlate_identical"),
    "lab2-blocks-1024-by-1": ("correlate_device",),
    "lab2-thread-a-row": ("correlate_device",),
    "lab2-strip-of-five": ("correlate_device",),
    "lab2-mask-in-shared": ("correlate_device",),
    "lab2-tap-called": ("correlate_device",),
    "lab3-rows-of-four": ("correlate_constant",),
    "lab3-blocks-of-96": ("correlate_constant", "correlate_polyphase"),
    "lab3-radius-in-a-template": ("correlate_constant",),
    "lab3-sixty-blocks": ("correlate_constant",),
    "lab3-four-phases-a-thread": ("correlate_polyphase",),
    "lab4-small-blocks": ("correlate_idle", "correlate_tile", "correlate_register"),
    "lab4-patch-of-eight": ("correlate_tile", "correlate_register"),
    "lab4-barrier-each-row": ("correlate_tile",),
    "lab4-two-pixels-a-thread": ("correlate_tile",),
    "lab5-narrow-and-high": ("correlate_columns", "correlate_fused"),
    "lab5-four-warps": ("correlate_rows", "correlate_fused"),
    "lab5-loops-over-the-radius": ("correlate_rows",),
    "lab5-window-in-registers": ("correlate_rows", "correlate_columns"),
    "lab6-four-warps": ("filter_conflict_free", "filter_vectorised"),
    "lab6-more-rows-each": ("filter_conflict_free", "filter_vectorised"),
    "lab6-row-by-row": ("filter_coalesced",),
    "lab7-small-patches": ("pointwise_float", "convolution_float"),
    "lab7-wide-patches": ("pointwise_double", "convolution_float"),
    "lab7-eight-warps": ("depthwise_float",),
    "lab7-square-product": ("pointwise_float",),
    "lab7-no-tile": ("depthwise_float",),
    "lab8-grid-stride": ("grey_device",),
    "lab8-sixteen-pixels": ("grey_device",),
    "lab8-two-quads": ("grey_device",),
    "lab8-bytes-through-shared": ("grey_device",),
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


def calls() -> list[Call]:
    general = {name: size for size, names in _GENERAL.items() for name in names}
    found = [Call(GENERAL, name, size) for name, size in general.items()]
    return found + [Call(p, name, _SIZES[name]) for p, names in _PROGRAMS.items() for name in names]


def sources(program: str) -> list[Path]:
    """The files of a program besides calls/once.cu; a changed solution is written first."""
    if program == GENERAL:
        return [FOLDER / "general.cu"]
    lab = program.partition("-")[0]
    calls_of_lab, solution, *others = programs.sources(f"{lab}-{programs.SOLUTION}")
    solution = paths.SOLUTIONS / spec.load(lab).folder / solution.name
    file = paths.BUILD / "untuned" / program / solution.name
    file.parent.mkdir(parents=True, exist_ok=True)
    change = (FOLDER / f"{program}.diff").read_text()
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
        print("\n".join(table(PREDICTIONS, TIMES)))
    elif TIMES.exists():
        sys.exit(f"{TIMES} exists: predictions made now would not be from before it")
    else:
        os.environ["CONVLABS_NVCC"] = "own"
        freeze()


if __name__ == "__main__":
    main()
