"""What a report shows beyond the grade: planes of a wrong output, traced runs, times of rounds.

A grading collects it only for a report, and no verdict depends on it: what cannot be kept is left
out. Everything is reduced to the size at which it is shown, so that it stays below about ten
megabytes whatever a lab's images are. It holds nothing of hidden cases.
"""

import math
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from datasets.missing import DatasetMissing
from grader.execute import accesses
from grader.execute.accesses import WarpAccess
from grader.execute.instrumented import InstrumentedRun, Runner
from grader.execute.profile import Launch, Profile, profile, read_launches
from grader.model.lab import Case, Input, Speed, Technique
from grader.model.submission import Submission
from grader.oracle import inputs, operations
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array, Operation
from grader.timing.statistics import F64, REFERENCE, STUDENT, Timings

MOST_FAILED = 8  # wrong outputs that are kept
MOST_TRACED = 12  # traced runs
FOLD = 64  # elements in a row of the picture of a line
SIDE = 384  # of a plane; a larger one is thinned out
NEAR = (2, 1)  # rows and columns on each side of the first wrong pixel whose values are kept
RETRACED = 1 << 16  # values of a wrong output that is still run once more, traced
MOST_TIMES = 2000  # of a side
LOST = (OSError, MemoryError, DatasetMissing)  # then the report goes without


@dataclass(frozen=True)
class Wrong:
    """The wrong output of a public case, with all that it was made from. is_drawn: a contract drew
    the input, and no check has it."""

    case: Case
    operation: Operation
    inputs: Inputs
    comparison: Comparison
    is_drawn: bool = False


@dataclass(frozen=True)
class Tile:
    """The part of the output that one block computes, derived from a launch."""

    kernel: str
    grid: tuple[int, int]
    block: tuple[int, int]
    width: int
    height: int


@dataclass(frozen=True)
class Near:
    """A value near the first wrong one."""

    y: int
    x: int
    got: str
    want: str
    wrong: bool


@dataclass(frozen=True)
class Failure:
    """A wrong output: the plane with the first wrong value, and what was expected.

    shape: height and width before only every `step`-th pixel was kept. wrong: a pixel is set where
    any of the pixels that it stands for is wrong. error: the difference as a multiple of the
    rounding bound (inf where the bound is 0), 0 where the value is right.
    """

    check: str  # its id
    plane: str  # such as "channel 2"; "" where the output has one plane
    shape: tuple[int, int]
    step: int
    first: tuple[int, int]
    given: Array | None  # height x width, or x 3 for colours; None: it has another shape
    given_is: str
    got: Array
    want: Array
    error: F64
    wrong: npt.NDArray[np.bool_]
    unwritten: npt.NDArray[np.bool_]
    near: list[Near]
    tile: Tile | None
    unit: str = "pixel"
    is_image: bool = True
    fold: int = 0  # elements of a row that the picture of a line of elements has; 0: it is a plane

    def at(self, y: int | None = None, x: int | None = None) -> str:
        """What a message calls a row, a column or an element of the plane."""
        if self.is_image:
            return ", ".join([f"x={x}"] * (x is not None) + [f"y={y}"] * (y is not None))
        if self.fold:
            return f"+{x}" if y is None else f"[{y * self.fold + (x or 0)}]"
        return "".join(f"[{i}]" for i in (y, x) if i is not None)


@dataclass(frozen=True)
class Traced:
    """A traced run. flops: floating-point operations that the taps of its operation need; element:
    the type that they are done in, float32 or float64."""

    checks: list[str]  # names
    part: str
    right: bool
    profile: Profile
    warps: list[WarpAccess]
    pixels: int
    flops: int
    element: str = "float32"


@dataclass(frozen=True)
class Timed:
    """What a speed check measured. times: nanoseconds a call, sorted, by whose function it is;
    mac_rate: of the type `element`."""

    check: str
    times: dict[str, F64]
    copy_ns: float
    mac_rate: float
    macs: float  # of a call
    moved: int  # bytes that a call must read and write at least
    element: str = "float32"


@dataclass
class ReportData:
    """What is kept of one grading."""

    submission: Submission
    failures: list[Failure] = field(default_factory=list)
    runs: dict[str, Traced] = field(default_factory=dict)
    times: list[Timed] = field(default_factory=list)

    def failed(self, wrong: Wrong, runner: Runner | None) -> None:
        """Keeps the wrong output of a public case. Where that is cheap, its input is run once more,
        traced, for its launches and, for the first of a part, the counters of its lines."""
        with suppress(*LOST):
            self._failed(wrong, runner)

    def _failed(self, wrong: Wrong, runner: Runner | None) -> None:
        if len(self.failures) >= MOST_FAILED or wrong.case.hidden:
            return
        launches: list[Launch] = []
        if runner and not wrong.is_drawn and wrong.comparison.got.size <= RETRACED:
            run = runner.forwards(wrong.case)
            if run.outcome.end == "completed" and run.outcome.profile:
                launches = read_launches(run.outcome.profile, strict=False)
                if all(wrong.case.part != other.part for other in self.runs.values()):
                    seen = profile(runner.binary, launches, run.outcome.findings)
                    self._add(wrong.case, seen, run, runner)
        self.failures.append(_failure(self.submission, wrong, launches))

    def counted(
        self, technique: Technique, seen: Profile, run: InstrumentedRun, runner: Runner
    ) -> None:
        """Keeps the traced run of a technique check."""
        with suppress(*LOST):
            self._add(technique, seen, run, runner)

    def timed(self, speed: Speed, timings: Timings) -> None:
        """Keeps the undisturbed rounds of a speed check, if there are any."""
        if len(timings.rounds):
            with suppress(*LOST):
                self._timed(speed, timings)

    def _timed(self, speed: Speed, timings: Timings) -> None:
        lab = self.submission.lab
        given = inputs.for_timing(lab, speed, speed.seed)
        operation = operations.of(lab, speed.part)
        taps = speed.taps or operation.taps(given.arrays)
        kind, shape = operation.output(given.arrays)
        names = {STUDENT: "your file", 1: "baseline", REFERENCE: "solution"}
        columns = {name: np.sort(timings.column(side)) for side, name in names.items()}
        self.times.append(
            Timed(
                check=f"{lab.id}/{speed.part}/{speed.name}",
                times={name: _thinned(column) for name, column in columns.items() if len(column)},
                copy_ns=timings.copy_ns,
                mac_rate=timings.mac_rate,
                macs=float(math.prod(shape) * taps),
                moved=given.image.nbytes + math.prod(shape) * np.dtype(kind).itemsize,
                element=np.dtype(kind).name,
            )
        )

    def _add(self, check: Input, seen: Profile, run: InstrumentedRun, runner: Runner) -> None:
        key = check.signature()
        if key in self.runs:
            self.runs[key].checks.append(check.name)
        elif len(self.runs) < MOST_TRACED and any(k.lines for k in seen.kernels):
            lab = self.submission.lab
            operation = operations.of(lab, check.part)
            given = inputs.inputs(lab, check, check.seed)
            taps = operation.taps(given.arrays)
            self.runs[key] = Traced(
                checks=[check.name],
                part=check.part,
                right=run.right,
                profile=seen,
                warps=accesses.of_warps(runner.binary, run.outcome.steps),
                pixels=run.pixels,
                flops=2 * taps * run.pixels,
                element=np.dtype(operation.output(given.arrays)[0]).name,
            )


def _thinned(column: F64) -> F64:
    """At most MOST_TIMES of a sorted column, evenly spread."""
    if len(column) <= MOST_TIMES:
        return column
    thin: F64 = column[np.linspace(0, len(column) - 1, MOST_TIMES).astype(int)]
    return thin


def _failure(submission: Submission, wrong: Wrong, launches: list[Launch]) -> Failure:
    comparison, out = wrong.comparison, wrong.operation
    first, fold = comparison.first(), 0
    if len(first) < 2:
        fold = min(FOLD, comparison.got.size)
        first = divmod(int(comparison.wrong.reshape(-1).argmax()), fold)
    plane, pixel = first[:-2], (first[-2], first[-1])

    def of_plane(array: Array) -> Array:
        return _folded(array, fold) if fold else array[plane]

    got, bad = of_plane(comparison.got), of_plane(comparison.wrong)
    want, bound = of_plane(comparison.expected.value), of_plane(comparison.expected.bound)
    given: Array | None
    if out.is_image():
        given, given_is = _given(wrong.inputs.image, out.axes, plane)
    else:
        given, given_is = _like(wrong.inputs, got.shape, fold)
    height, width = got.shape
    step = -(-max(height, width) // SIDE)
    thin = (slice(None, None, step), slice(None, None, step))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.abs(got.astype(want.dtype) - want) / bound
    error = np.where(bad, np.nan_to_num(error, nan=np.inf, posinf=np.inf), 0.0).astype(np.float64)
    names = {"c": "channel", "n": "mask"}
    other = "" if out.is_image() else "plane"
    return Failure(
        check=f"{submission.lab.id}/{wrong.case.part}/{wrong.case.name}",
        plane=", ".join(f"{other or names[a]} {i}" for a, i in zip(out.axes, plane, strict=False)),
        shape=(height, width),
        step=step,
        first=pixel,
        given=None if given is None else given[thin].copy(),
        given_is=given_is,
        got=got[thin].copy(),
        want=want[thin].astype(np.float64),
        error=_largest(error, step),
        wrong=_largest(bad, step).astype(np.bool_),
        unwritten=_largest(of_plane(comparison.unwritten), step).astype(np.bool_),
        near=_near(got, want, bad, pixel),
        tile=None if fold else tile((height, width), wrong.inputs.radius, launches),
        unit="pixel" if out.is_image() else out.spec.output.unit,
        is_image=out.is_image(),
        fold=fold,
    )


def _folded(line: Array, width: int) -> Array:
    """A line of elements as rows of `width`; the last row ends with its last element again."""
    flat = line.reshape(-1)
    return np.pad(flat, (0, -flat.size % width), mode="edge").reshape(-1, width)


def _like(given: Inputs, shape: tuple[int, ...], fold: int) -> tuple[Array | None, str]:
    """The first input that has the shape of the output's picture, and its name."""
    for name, array in given.arrays.items():
        plane = _folded(array, fold) if fold and array.ndim == 1 else array
        if plane.shape == shape:
            return plane, f"input {name}"
    return None, ""


def _given(image: Array, axes: tuple[str, ...], plane: tuple[int, ...]) -> tuple[Array, str]:
    """The plane of the input that is shown beside a plane of the output, and its name."""
    if image.ndim == 2 or axes == ("y", "x"):
        return image, "input"
    channel = plane[0] if axes[0] == "c" else 0
    return image[channel], f"input, channel {channel} of {len(image)}"


def _largest(plane: Array, step: int) -> Array:
    """The largest value of each step x step pixels; those at the far edges may be smaller."""
    rows = np.maximum.reduceat(plane, np.arange(0, plane.shape[0], step), axis=0)
    both: Array = np.maximum.reduceat(rows, np.arange(0, plane.shape[1], step), axis=1)
    return both


def _near(
    got: Array, want: Array, bad: npt.NDArray[np.bool_], pixel: tuple[int, int]
) -> list[Near]:
    """The values around a pixel, row by row, as far as the plane reaches."""
    y, x = pixel
    rows = range(max(0, y - NEAR[0]), min(got.shape[0], y + NEAR[0] + 1))
    columns = range(max(0, x - NEAR[1]), min(got.shape[1], x + NEAR[1] + 1))
    return [
        Near(j, i, _short(got[j, i]), _short(want[j, i]), bool(bad[j, i]))
        for j in rows
        for i in columns
    ]


def _short(value: np.generic) -> str:
    return f"{float(value):.4g}" if value.dtype.kind == "f" else f"{value}"


def tile(shape: tuple[int, int], radius: int, launches: list[Launch]) -> Tile | None:
    """The tile of the first launch whose blocks compute tiles, or None.

    A launch has as many blocks as tiles, which leaves several sizes possible. The first one that
    fits is taken: the block itself, the block without an apron, then a few pixels for each
    thread.
    """
    for launch in launches:
        sides = []
        for axis, size in ((0, shape[1]), (1, shape[0])):
            block, grid = launch.block[axis], launch.grid[axis]
            likely = [block, block - 2 * radius, *(block * k for k in (2, 4, 8, 16, 3))]
            fits = [s for s in likely if s > 0 and grid in (-(-size // s), size // s)]
            sides.append(fits[0] if fits else 0)
        if all(sides) and (sides[0] < shape[1] or sides[1] < shape[0]):
            name = launch.name.split("<")[0].split("::")[-1].strip()
            return Tile(name, launch.grid[:2], launch.block[:2], width=sides[0], height=sides[1])
    return None
