"""Predicts how long the function of a speed check would take on a GPU.

The instrumented program runs once more at the size of the check, in the sandbox, with one block of
each launch: the one in the middle of the grid. What it counts there, times the number of blocks, is
what the launch asks of a GPU. The output of that run is incomplete and is not looked at.
"""

import math
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from grader.diagnose import source_text
from grader.execute.case import Outcome, run_case
from grader.execute.modes import COUNTED_BLOCK
from grader.execute.profile import Launch, read_launches
from grader.model import plain_text
from grader.model.lab import Lab, Limits, Speed
from grader.model.prediction import LineShare, Prediction, Ratio
from grader.model.submission import Submission
from grader.oracle.inputs import Inputs, for_timing, inputs
from grader.predict import estimate, nvcc, references, terms, times
from grader.predict.counts import Counts
from grader.predict.gpu import Gpu, gpu
from grader.sass.compiled import Code
from grader.timing import timed_inputs

SECONDS = 5.0  # of processor time for one run
TILE = 64  # pixels: the side of the noise that an image is made of, again and again
MOST_LAUNCHES, MOST_SITES = 64, 20_000  # that are looked at


class NotPredicted(Exception):  # noqa: N818 (it need not be an error)
    """There is no prediction; the message completes a sentence: "not predicted: ..."."""


@dataclass(frozen=True)
class CountedProgram:
    """An instrumented program, where it runs, and what nvcc makes of it, if that is known."""

    submission: Submission
    binary: Path
    work: Path
    code: Callable[[], Code | None] = lambda: None

    def counts(self, launched: list[Launch]) -> list[Counts]:
        return nvcc.of_launches(self.binary, launched, self.code())


def predict_speed(program: CountedProgram, speed: Speed) -> Prediction:
    """What is predicted of a speed check. Raises OSError for a fault of the machine."""
    lab = program.submission.lab
    device = gpu()
    prediction = Prediction(
        check=lab.id_of(speed),
        gpu=device.name,
        against="baseline" if speed.against == "baseline" else "solution",
    )
    try:
        launched = launches(program, speed)
        found = program.counts(launched)
        time = times.of_call(found, device)
        with_nvcc = all(each.by_nvcc for each in found)
        spread, checks = references.references().of(with_nvcc)
        prediction = msgspec.structs.replace(
            prediction,
            time=time,
            with_nvcc=with_nvcc,
            line=_line(found, time.bound, device),
        )
        if known := checks.get(lab.id_of(speed)):
            prediction = _compared(prediction, known, spread)
            advice = _advice(program, speed, prediction, launched)
            prediction = msgspec.structs.replace(prediction, advice=advice)
    except NotPredicted as why:
        return msgspec.structs.replace(prediction, reason=plain_text.line(str(why)))
    return prediction


def _compared(
    prediction: Prediction, known: references.Reference, spread: tuple[float, float]
) -> Prediction:
    """The prediction beside those of the course's functions, made in the same way."""
    assert prediction.time is not None
    down, up = spread
    other = known.baseline if prediction.against == "baseline" else known.solution
    ratio = None
    if other is not None:
        middle = other.us / prediction.time.us
        ratio = Ratio(*map(times.four_digits, (middle, middle * down, middle * up)))
    return msgspec.structs.replace(
        prediction, ratio=ratio, solution=known.solution, baseline=known.baseline
    )


def _advice(
    program: CountedProgram, speed: Speed, prediction: Prediction, launched: list[Launch]
) -> str:
    """What would make the largest term smaller, where the solution's is; else ""."""
    time, best, line = prediction.time, prediction.solution, prediction.line
    if time is None or best is None:
        return ""
    if time.terms[time.bound] <= terms.WORSE * best.terms.get(time.bound, 0.0):
        return ""
    if time.bound == "blocks":
        return f"{_largest_grid(launched)}: {terms.CHANGES['blocks']}"
    loop = None
    if line is not None and time.bound in terms.UNROLLED:
        file = program.submission.lab.file_of(speed)
        loop = source_text.rolled_loop(program.submission.text(file), line.line)
    rolled = f" The loop at line {loop} has no `#pragma unroll`." if loop else ""
    return terms.CHANGES[time.bound] + rolled


def _largest_grid(launched: list[Launch]) -> str:
    """Such as "the grid of tile_kernel is 128x128 blocks of 256 threads"."""
    most = max(launched, key=lambda each: math.prod(each.grid))
    name = plain_text.name(most.name)
    return f"the grid of {name} is {_size(most)} blocks of {math.prod(most.block)} threads"


def _size(launch: Launch) -> str:
    """Of its grid, such as "128x128"."""
    return "x".join(map(str, launch.grid)).removesuffix("x1").removesuffix("x1")


def launches(program: CountedProgram, speed: Speed) -> list[Launch]:
    """What one block of each launch counts. Raises NotPredicted, OSError."""
    return _read(_run(program, speed))


def _run(program: CountedProgram, speed: Speed) -> Outcome:
    if platform.machine() != "x86_64":
        raise NotPredicted(f"that needs an x86-64 processor, and this one is {platform.machine()}")
    lab = msgspec.structs.replace(program.submission.lab, limits=Limits(seconds=SECONDS))
    given = _tiled(lab, speed)
    outcome = run_case(lab, speed, program.binary, given, program.work, COUNTED_BLOCK)
    if outcome.end == "timeout":
        raise NotPredicted(f"counting one block of each launch takes more than {SECONDS:g} s")
    if outcome.end != "completed":
        raise NotPredicted(f"your program {outcome.reason}")
    if outcome.status is None or outcome.status.returned != 0:
        said = outcome.status.error if outcome.status else ""
        raise NotPredicted(said or "your function returned an error")
    return outcome


def _read(outcome: Outcome) -> list[Launch]:
    try:
        launches = read_launches(outcome.profile)
    except msgspec.DecodeError as problem:
        raise NotPredicted("its counters cannot be read") from problem
    if not launches:
        raise NotPredicted("your function launches no kernel")
    if len(launches) > MOST_LAUNCHES:
        raise NotPredicted(f"your function launches more than {MOST_LAUNCHES} kernels")
    if any(max(len(each.sites), len(each.passes)) > MOST_SITES for each in launches):
        raise NotPredicted(f"a kernel has more than {MOST_SITES} accesses in its code")
    if not all(each.complete for each in launches):
        raise NotPredicted("this machine has too little memory to count the run")
    for each in launches:
        if each.counted < each.blocks == each.idle_blocks:
            raise NotPredicted(
                f"{each.name}: the block in the middle, which represents the whole grid of "
                f"{_size(each)}, stores nothing: are there too many blocks?"
            )
    return launches


def _line(launches: list[Counts], bound: str, device: Gpu) -> LineShare | None:
    """The line that causes most of the largest term, of the launch where that term is largest."""
    amounts = [estimate.predict_time([each], device).terms.get(bound, 0.0) for each in launches]
    part = max(amounts) / max(sum(amounts), 1e-12)
    line = times.costliest_line(launches[int(np.argmax(amounts))], bound, part)
    return line and LineShare(plain_text.name(line.file), line.line, round(line.share, 3))


def _tiled(lab: Lab, speed: Speed) -> Inputs:
    """Inputs of the check's size whose image repeats one tile of noise: to draw all of it would
    take longer than the run, and so would to write and copy it. A function sees them on the device
    alone."""
    if speed.size is None:
        return _repeated(lab, speed)
    width, height = speed.size
    side = min(width, TILE), min(height, TILE)
    small = inputs(lab, msgspec.structs.replace(speed, size=side), speed.seed)
    tile = small.image
    planes = tile.shape[:1] if tile.shape[1:] == side[::-1] else ()  # one after the other
    tile = tile[0] if planes else tile
    shape = (*planes, height, width, *tile.shape[2:])
    return small.with_band(tile.take(np.arange(width) % side[0], axis=1), shape)


def _repeated(lab: Lab, speed: Speed) -> Inputs:
    """_tiled() for what is no image: some noise, again and again."""
    given = for_timing(lab, speed, speed.seed)
    kind, count = timed_inputs.kind_of(given.image), min(given.image.size, TILE * TILE)
    return given.with_band(
        timed_inputs.rows(kind, speed.seed % 2**32, np.arange(1), count)[0], given.image.shape
    )
