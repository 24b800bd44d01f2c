"""Rows of timed outputs: what the timing program left of them, and whether they are right.

Each timed call has an input of its own, noise from a key (fresh.py). What a few rows of its output
must be follows from a strip of that input, so that a check costs little whatever the size.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader.execute.case import read_regular
from grader.oracle import compare
from grader.oracle.correlation import Expected
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS, Array, Settings
from grader.timing import noise

BAND = 8  # BENCH_BAND of bench.h
MOST = 1 << 30  # bytes of bands
JUDGED = 40  # bands of one launch that the oracle computes


@dataclass(frozen=True)
class Band:
    """Some rows of a plane of the student's output of one round."""

    plane: int
    first: int
    key: int  # of the round's input
    rows: Array


def image_rows(operation: str, image: Array) -> int:
    """The rows of an image, those of all its channels together."""
    return int(np.prod(image.shape[: OPERATIONS[operation].rows_axis() + 1]))


def rows_of(operation: str, given: Inputs) -> int:
    """How many rows a band has."""
    return min(OPERATIONS[operation].output(given.arrays)[1][-2], BAND)


def read(path: Path, operation: str, given: Inputs, seed: int) -> list[Band]:
    """What the file holds, a record a round; [] for one that is not there, cut off or made up."""
    kind, shape = OPERATIONS[operation].output(given.arrays)
    rows = rows_of(operation, given)
    head = [("round", "<i4"), ("plane", "<i4"), ("first", "<i4")]
    record = np.dtype([*head, ("rows", f"<{kind}", (rows, shape[-1]))])
    data = read_regular(path, MOST) or b""
    if len(data) % record.itemsize:
        return []
    records = np.frombuffer(data, dtype=record)
    planes, height = int(np.prod(shape[:-2])), shape[-2]
    for name, end in (("round", 1 << 31), ("plane", planes), ("first", height - rows + 1)):
        if ((records[name] < 0) | (records[name] >= end)).any():
            return []
    return [
        Band(int(r["plane"]), int(r["first"]), noise.key_of(int(r["round"]), seed), r["rows"])
        for r in records
    ]


def wrong(operation: str, settings: Settings, given: Inputs, bands: list[Band]) -> list[str]:
    """What is wrong with the outputs of timed calls, in words; [] when nothing is."""
    if not bands:
        return ["the outputs of the timed calls are missing"]
    out = OPERATIONS[operation]
    chosen = random.SystemRandom().sample(bands, min(JUDGED, len(bands)))
    for number, band in enumerate([*chosen, *bands]):
        if compare.unwritten(band.rows).any():
            return ["when it was timed, your function left a part of its output unwritten"]
        if number >= len(chosen):
            continue
        seen = compare.compare(band.rows, expected(operation, settings, given, band))
        if not seen.right():
            y, x = seen.first()
            place = out.subscript((band.plane, y + band.first, x)[-len(out.axes) :])
            got = compare.number(float(seen.got[y, x]), seen.got.dtype)
            want = compare.number(float(seen.expected.value[y, x]), seen.got.dtype)
            return [
                "right when it was checked, wrong when it was timed: in a timed call, on another "
                f"input, {seen.count()} of {seen.got.size} {out.things()} that were looked at "
                "differ",
                f"out{place} = {got}, want {want}",
            ]
    return []


def expected(operation: str, settings: Settings, given: Inputs, band: Band) -> Expected:
    """The rows of the oracle's result: from the rows of the input that they depend on."""
    out = OPERATIONS[operation]
    axis = out.rows_axis()
    height = given.image.shape[axis]
    low = max(band.first - given.radius, 0)
    high = min(band.first + len(band.rows) + given.radius, height)
    wanted = np.arange(low, high)
    if axis == 1:  # planes: the output's own in a filter of each, else all of them
        planes = [band.plane] if out.axes[0] == "c" else range(given.image.shape[0])
        wanted = np.array(planes)[:, np.newaxis] * height + wanted
    line = given.image.shape[axis + 1 :]
    kind = noise.kind_of(given.image)
    image = noise.lines(kind, band.key, wanted, int(np.prod(line)))
    part = {**given.arrays, "image": image.reshape(*wanted.shape, *line)}
    if out.axes[0] == "n":
        part["mask"] = given.mask[band.plane : band.plane + 1]
    whole = out.expected(part, settings)
    rows = slice(band.first - low, band.first - low + len(band.rows))
    place = (0, rows) if axis == 1 else rows
    return Expected(whole.value[place], whole.bound[place])
