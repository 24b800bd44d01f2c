"""The samples of rows that a timed program leaves (grader/timing/row_samples.py)."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from grader.oracle.inputs import Inputs
from grader.tests.fuzz import scratch
from grader.tests.lab_operations import named
from grader.timing import row_samples

FILE = scratch.folder() / "samples"
HEIGHT, WIDTH = 11, 5
RECORD = 12 + row_samples.SAMPLE_ROWS * WIDTH * 4


@cache
def inputs() -> Inputs:
    random = np.random.default_rng(1)
    image = random.random((HEIGHT, WIDTH), dtype=np.float32)
    return Inputs(image, random.random((3, 3), dtype=np.float32))


def record(number: int, plane: int, first: int, value: float) -> bytes:
    rows = np.full((row_samples.SAMPLE_ROWS, WIDTH), value, dtype="<f4")
    return np.array([number, plane, first], dtype="<i4").tobytes() + rows.tobytes()


def seeds() -> Iterator[bytes]:
    yield record(0, 0, 0, 0.5)
    yield record(0, 0, 3, float("nan")) + record(1, 0, 1, float("inf"))
    yield record(2**31 - 1, 0, 3, 1e38)
    yield record(-1, 0, 0, 0.5) + record(0, 1, 0, 0.5)[:-1]
    yield record(0, 0, 4, 0.5)


def check(data: bytes) -> None:
    FILE.write_bytes(data)
    samples = row_samples.read_row_samples(FILE, named("correlate"), inputs(), seed=7)
    assert len(samples) in (0, len(data) / RECORD)
    for sample in samples:
        assert sample.plane == 0 and sample.rows.shape == (row_samples.SAMPLE_ROWS, WIDTH)
        assert sample.first >= 0 and sample.first + row_samples.SAMPLE_ROWS <= HEIGHT
    problems = row_samples.wrong(named("correlate"), {"border": "zero"}, inputs(), samples)
    assert all(text.isprintable() for text in problems)
    assert samples or problems, "a run without samples passes"
