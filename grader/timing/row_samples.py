"""Samples of rows from the outputs of timed calls, and whether they are right.

Each timed call has its own input, noise made from a key (timed_inputs.py). What a few rows of its
output must be depends only on a strip of that input, so a check costs little whatever the image's
size.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader.oracle import compare
from grader.oracle.expected import Expected
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array, Operation, Settings
from grader.sandbox.workspace import read_output
from grader.timing import timed_inputs

SAMPLE_ROWS = 8  # BENCH_BAND of labs/runtime/bench
MAX_BYTES = 1 << 30  # of all samples of a run
COMPARED = 40  # samples of a run that are compared with the oracle
COMPARED_WHOLE = 4  # where the oracle computes a whole output for each
ROW = 1024  # elements of what is no image that are looked at together


@dataclass(frozen=True)
class RowSample:
    """Consecutive rows of one plane of the student's output of one round.

    first: the number of the first row. key: of the round's input.
    """

    plane: int
    first: int
    key: int
    rows: Array


def image_rows(operation: Operation, image: Array) -> int:
    """The number of rows of an image, those of all its channels together; of what is no image,
    one."""
    if not operation.is_image():
        return 1
    return int(np.prod(image.shape[: operation.rows_axis() + 1]))


def output(operation: Operation, inputs: Inputs) -> tuple[str, tuple[int, ...]]:
    """Element type and shape of the output, in planes of rows. What is no image is one plane, in as
    many rows of ROW elements as it has, or in one row."""
    dtype, shape = operation.output(inputs.arrays)
    if operation.is_image():
        return dtype, shape
    count = int(np.prod(shape))
    return dtype, (count // ROW, ROW) if count % ROW == 0 else (1, count)


def sample_rows(operation: Operation, inputs: Inputs) -> int:
    """How many rows a sample has."""
    return min(output(operation, inputs)[1][-2], SAMPLE_ROWS)


def read_row_samples(
    path: Path, operation: Operation, inputs: Inputs, seed: int
) -> list[RowSample]:
    """The samples that the timing program wrote, one a round; [] when the file is missing, cut off
    or has impossible numbers. seed: of the inputs of the run."""
    dtype, shape = output(operation, inputs)
    rows = sample_rows(operation, inputs)
    head = [("round", "<i4"), ("plane", "<i4"), ("first", "<i4")]
    record = np.dtype([*head, ("rows", f"<{dtype}", (rows, shape[-1]))])
    data = read_output(path, MAX_BYTES)
    if len(data) % record.itemsize:
        return []
    records = np.frombuffer(data, dtype=record)
    planes, height = int(np.prod(shape[:-2])), shape[-2]
    for name, end in (("round", 1 << 31), ("plane", planes), ("first", height - rows + 1)):
        if ((records[name] < 0) | (records[name] >= end)).any():
            return []
    return [
        RowSample(
            int(r["plane"]), int(r["first"]), timed_inputs.key_of(int(r["round"]), seed), r["rows"]
        )
        for r in records
    ]


def wrong(
    operation: Operation, settings: Settings, inputs: Inputs, samples: list[RowSample]
) -> list[str]:
    """What is wrong with the outputs of timed calls, in words; [] when all is right. Looks for
    unwritten values in all samples, and compares a random choice of them with the oracle."""
    if not samples:
        return ["the outputs of the timed calls are missing"]
    out = operation
    most = COMPARED if operation.is_image() else COMPARED_WHOLE
    chosen = random.SystemRandom().sample(samples, min(most, len(samples)))
    for turn, sample in enumerate([*chosen, *samples]):
        if compare.unwritten(sample.rows).any():
            return ["when it was timed, your function left a part of its output unwritten"]
        if turn >= len(chosen):
            continue
        comparison = compare.compare(sample.rows, expected(operation, settings, inputs, sample))
        if not comparison.right():
            y, x = comparison.first()
            at = (sample.plane, y + sample.first, x)[-len(out.axes) :]
            if not out.is_image():
                shape = out.output(inputs.arrays)[1]
                number = (y + sample.first) * sample.rows.shape[1] + x
                at = tuple(int(i) for i in np.unravel_index(number, shape))
            index = out.subscript(at)
            dtype = comparison.got.dtype
            got = compare.number(float(comparison.got[y, x]), dtype)
            want = compare.number(float(comparison.expected.value[y, x]), dtype)
            return [
                "your function was right when it was checked, but wrong when it was timed: in a "
                f"timed call, with another input, {comparison.count()} of the "
                f"{comparison.got.size} {out.things()} that were compared differ",
                f"out{index} = {got}, want {want}",
            ]
    return []


def expected(
    operation: Operation, settings: Settings, inputs: Inputs, sample: RowSample
) -> Expected:
    """What the rows of a sample must be, computed from the input's rows on which they depend."""
    out = operation
    if not out.is_image():
        return _part_of_whole(out, settings, inputs, sample)
    axis = out.rows_axis()
    height = inputs.image.shape[axis]
    low = max(sample.first - inputs.radius, 0)
    high = min(sample.first + len(sample.rows) + inputs.radius, height)
    numbers = np.arange(low, high)  # of the input's rows
    if axis == 1:  # planes: the output's own where each has a filter, else all of them
        planes = [sample.plane] if out.axes[0] == "c" else range(inputs.image.shape[0])
        numbers = np.array(planes)[:, np.newaxis] * height + numbers
    row_shape = inputs.image.shape[axis + 1 :]
    kind = timed_inputs.kind_of(inputs.image)
    image = timed_inputs.rows(kind, sample.key, numbers, int(np.prod(row_shape)))
    strip = {**inputs.arrays, "image": image.reshape(*numbers.shape, *row_shape)}
    if out.axes[0] == "n":
        strip["mask"] = inputs.mask[sample.plane : sample.plane + 1]
    result = out.expected(strip, settings)
    rows = slice(sample.first - low, sample.first - low + len(sample.rows))
    index = (0, rows) if axis == 1 else rows
    return Expected(result.value[index], result.bound[index])


def _part_of_whole(
    operation: Operation, settings: Settings, inputs: Inputs, sample: RowSample
) -> Expected:
    """expected() of what is no image, whose elements may depend on the whole input."""
    first = next(iter(inputs.arrays))
    given = inputs.arrays[first]
    made = timed_inputs.rows(timed_inputs.kind_of(given), sample.key, np.arange(1), int(given.size))
    result = operation.expected({**inputs.arrays, first: made.reshape(given.shape)}, settings)
    rows, width = sample.rows.shape
    part = slice(sample.first * width, (sample.first + rows) * width)
    cut = (array.reshape(-1)[part].reshape(rows, width) for array in (result.value, result.bound))
    return Expected(*cut)
