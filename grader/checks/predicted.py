"""Predicts how long the function of a speed check would take on a GPU.

The instrumented program runs once more at the size of the check, in the sandbox, with one block of
each launch: the one in the middle of the grid. What it counts there, times the number of blocks, is
what the launch asks of a GPU (grader/predict). The output of that run is incomplete and is not
looked at. Where a prediction earns points, the same program also runs whole at a small size with a
right output, and must do as much there for each pixel (`doubt`): otherwise it could do less work
where it is counted than where it is judged.
"""

import math
import platform
import re
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from grader.diagnose import source_text
from grader.execute.case import Outcome, run_case
from grader.execute.modes import COUNTED_BLOCK, COUNTED_WHOLE, Mode
from grader.execute.profile import Launch, read_launches
from grader.model import plain_text
from grader.model.prediction import Line, PredictedTime, Prediction, Ratio
from grader.model.spec import Input, Lab, Limits, Speed
from grader.model.submission import Submission
from grader.oracle import cache, compare
from grader.oracle.inputs import Inputs, inputs
from grader.oracle.operations import OPERATIONS
from grader.predict import counts, model, references
from grader.predict.counts import Counts
from grader.predict.gpu import Gpu, gpu

SECONDS = 5.0  # of processor time for one run
TILE = 64  # pixels: the side of the noise that an image is made of, again and again
# Of the run whose output is compared: images of whole tiles; at most so many channels, masks and
# multiply-adds. Fewer masks rather than fewer channels: with one channel, a kernel that does much
# for each product stores nearly as often as it multiplies.
SIZES = ((512, 256), (256, 256), (256, 128), (128, 128), (64, 64), (32, 32))
CHANNELS, MASKS, MOST_MACS = (200, 128, 32, 16, 4, 1), 192, 3e7
MOST_LAUNCHES, MOST_SITES = 64, 20_000  # that are looked at
FAR = 0.1  # a source line below this share of a term is not named
LESS = 0.85  # of what a multiply-add takes there: the least at the size of the check
IDLE = 0.25  # of the output's bytes: more that the host sees is work of the host


class NotPredicted(Exception):  # noqa: N818 (it need not be an error)
    """There is no prediction; the message completes a sentence: "not predicted: ..."."""


@dataclass(frozen=True)
class Program:
    """An instrumented program, and where it runs."""

    submission: Submission
    binary: Path
    work: Path


def predict_speed(program: Program, speed: Speed, strict: bool) -> Prediction:
    """What is predicted of a speed check. strict: it may earn points, so look for doubts. Raises
    OSError for a fault of the machine."""
    lab = program.submission.lab
    device = gpu()
    known = references.references().checks.get(lab.id_of(speed))
    prediction = Prediction(
        check=lab.id_of(speed),
        gpu=device.name,
        against="baseline" if speed.against == "baseline" else "solution",
    )
    try:
        given = _tiled(lab, speed)
        launched = _read(_run(program, speed, given, COUNTED_BLOCK))
        found = counts.of_launches(program.binary, launched)
        time = predicted_time(found, device)
        prediction = msgspec.structs.replace(
            prediction,
            time=time,
            line=_line(found, time.bound, device),
        )
        if known is not None:
            prediction = _compared(prediction, known)
            advice = _advice(program, speed, prediction, launched)
            prediction = msgspec.structs.replace(prediction, advice=advice)
        if not strict:
            return prediction
    except NotPredicted as why:
        return msgspec.structs.replace(prediction, reason=plain_text.line(str(why)))
    try:
        doubt = _doubt(program, speed, given, launched)
    except NotPredicted as why:  # what cannot be checked earns nothing
        doubt = plain_text.line(str(why))
    return msgspec.structs.replace(prediction, doubt=doubt)


def predicted_time(launches: list[Counts], device: Gpu) -> PredictedTime:
    """The time of a call that makes these launches."""
    found = model.predict_time(launches, device)
    terms = {name: 1e6 * t for name, t in found.terms.items() if t > 0}
    # Rounded, so that a page and a file have the same figures.
    return PredictedTime(
        us=_digits(1e6 * found.seconds),
        low_us=_digits(1e6 * found.low),
        high_us=_digits(1e6 * found.high),
        terms={name: _digits(t) for name, t in terms.items()},
    )


def _digits(value: float) -> float:
    return float(f"{value:.4g}")


def _compared(prediction: Prediction, known: references.Reference) -> Prediction:
    """The prediction beside those of the course's functions, made in the same way."""
    assert prediction.time is not None
    down, up = references.references().spread
    other = known.baseline if prediction.against == "baseline" else known.solution
    ratio = None
    if other is not None:
        middle = other.us / prediction.time.us
        ratio = Ratio(_digits(middle), _digits(middle * down), _digits(middle * up))
    return msgspec.structs.replace(
        prediction, ratio=ratio, solution=known.solution, baseline=known.baseline
    )


def _advice(program: Program, speed: Speed, prediction: Prediction, launched: list[Launch]) -> str:
    """What would make the largest term smaller, where the solution's is; else ""."""
    time, best, line = prediction.time, prediction.solution, prediction.line
    if time is None or best is None:
        return ""
    if time.terms[time.bound] <= model.WORSE * best.terms.get(time.bound, 0.0):
        return ""
    loop = None
    if time.bound == "blocks":
        return f"{_largest_grid(launched)}: {model.CHANGES['blocks']}"
    if line is not None and time.bound in model.UNROLLED:
        file = program.submission.lab.file_of(speed)
        loop = source_text.rolled_loop(program.submission.text(file), line.line)
    rolled = f" No `#pragma unroll` stands above the loop at line {loop}." if loop else ""
    return model.CHANGES[time.bound] + rolled


def _largest_grid(launched: list[Launch]) -> str:
    """Such as "the grid of tile_kernel is 128x128 blocks of 256 threads"."""
    most = max(launched, key=lambda each: math.prod(each.grid))
    name = plain_text.name(most.name)
    return f"the grid of {name} is {_size(most)} blocks of {math.prod(most.block)} threads"


def _size(launch: Launch) -> str:
    """Of its grid, such as "128x128"."""
    return "x".join(map(str, launch.grid)).removesuffix("x1").removesuffix("x1")


def launches(program: Program, speed: Speed) -> list[Launch]:
    """What one block of each launch counts. Raises NotPredicted, OSError."""
    return _read(_run(program, speed, _tiled(program.submission.lab, speed), COUNTED_BLOCK))


def _run(program: Program, speed: Input, given: Inputs, mode: Mode) -> Outcome:
    if platform.machine() != "x86_64":
        raise NotPredicted(f"that needs an x86-64 processor, and this one is {platform.machine()}")
    lab = msgspec.structs.replace(program.submission.lab, limits=Limits(seconds=SECONDS))
    outcome = run_case(lab, speed, program.binary, given, program.work, mode)
    if outcome.end == "timeout":
        blocks = "one block" if mode == COUNTED_BLOCK else "all blocks"
        raise NotPredicted(f"counting {blocks} of each launch takes more than {SECONDS:g} s")
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
                f"{each.name}: the block in the middle, which stands for all of a grid of "
                f"{_size(each)}, stores nothing: are there too many blocks?"
            )
    return launches


def _line(launches: list[Counts], bound: str, device: Gpu) -> Line | None:
    """The line that causes most of the largest term, of the launch where that term is largest."""
    terms = [model.predict_time([each], device).terms.get(bound, 0.0) for each in launches]
    share = max(terms) / max(sum(terms), 1e-12)
    source = launches[int(np.argmax(terms))].sources.get(bound)
    if source is None or not source.file or source.share * share < FAR:
        return None
    return Line(plain_text.name(source.file), source.line, round(source.share * share, 3))


def _tiled(lab: Lab, speed: Speed) -> Inputs:
    """Inputs of the check's size whose image repeats one tile of noise: to draw all of it would
    take longer than the run, and so would to write and copy it. A function sees them on the device
    alone."""
    assert speed.size is not None
    width, height = speed.size
    side = min(width, TILE), min(height, TILE)
    small = inputs(lab, msgspec.structs.replace(speed, size=side), speed.seed)
    tile = small.image
    planes = tile.shape[:1] if tile.shape[1:] == side[::-1] else ()  # one after the other
    tile = tile[0] if planes else tile
    shape = (*planes, height, width, *tile.shape[2:])
    return small.with_band(tile.take(np.arange(width) % side[0], axis=1), shape)


# ---------------------------------------------------------------- points


def _doubt(
    program: Program,
    speed: Speed,
    given: Inputs,
    launches: list[Launch],
) -> str:
    """Why the prediction is not to be trusted; "" where nothing speaks against it."""
    lab = program.submission.lab
    case = _smaller(lab, speed)
    prepared = cache.prepared(lab, case)
    whole = _run(program, case, prepared.inputs, COUNTED_WHOLE)
    if whole.output is None or not compare.compare(whole.output, prepared.expected).right():
        return "the output is wrong when all blocks are counted"
    seen = whole.status.seen_by_host if whole.status else None
    if seen is not None and seen > IDLE * whole.output.nbytes:
        return "your function lets the host see the image or the output"
    here = _work(launches) / _macs(lab, speed, given)
    there = _work(_read(whole)) / _macs(lab, case, prepared.inputs)
    if here < LESS * there:
        assert case.size is not None
        return (
            f"your kernels do {here / there:.2g} times as much for each multiply-add as at "
            f"{case.size[0]}x{case.size[1]}, where their output is compared"
        )
    return ""


def _smaller(lab: Lab, speed: Speed) -> Speed:
    """The check with a smaller image of fewer channels and masks, so that all blocks can be counted
    and the output be compared."""
    bank = re.fullmatch(r"bank(\d+)(x\d+)", speed.mask)
    fewer = f"bank{min(int(bank[1]), MASKS)}{bank[2]}" if bank else speed.mask
    for channels in dict.fromkeys(min(speed.channels, few) for few in CHANNELS):
        for size in SIZES:
            smaller = msgspec.structs.replace(speed, size=size, channels=channels, mask=fewer)
            if _macs(lab, smaller, inputs(lab, smaller, speed.seed)) <= MOST_MACS:
                return smaller
    return smaller


def _macs(lab: Lab, check: Input, given: Inputs) -> float:
    """The multiply-adds of a call; the values of the output where the operation has no taps."""
    operation = OPERATIONS[lab.part_of(check).operation]
    shape = operation.output(given.arrays)[1]
    return float(math.prod(shape) * max(1, operation.taps(given.arrays)))


def _work(launches: list[Launch]) -> float:
    """What the warps of all launches do: their steps from one mark of the program to the next."""
    return float(sum(number for each in launches for _, number in each.passes))
