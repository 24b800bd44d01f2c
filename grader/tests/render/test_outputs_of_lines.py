"""The pictures and the samples of timed calls of outputs that are no images."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from grader.model.lab import Case, Computation, GivenArray, OutputArray
from grader.oracle import compare
from grader.oracle.expected import Expected, exact
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation
from grader.render import images
from grader.session import report_data
from grader.session.report_data import Failure, Wrong
from grader.timing import row_samples, timed_inputs
from grader.timing.row_samples import RowSample


def scan(x: np.ndarray) -> Expected:
    value = np.cumsum(x, dtype=np.float64)
    return Expected(value, np.full(value.shape, 0.5))


def outer(x: np.ndarray) -> Expected:
    return exact(np.outer(x, x[:5]).astype(np.float64))


LINE = {"x": GivenArray(["n"])}
SCAN = Operation("scan", Computation(LINE, OutputArray(["n"])), {None: scan})
TABLE = Operation("outer", Computation(LINE, OutputArray(["n", 5], unit="bin")), {None: outer})


def failure(operation: Operation, n: int, wrong_at: int) -> Failure:
    given = Inputs(x=np.arange(1, n + 1, dtype=np.float32))
    right = operation.expected(given.arrays, {})
    got = right.value.astype(np.float32)
    got.reshape(-1)[wrong_at] += 1
    wrong = Wrong(Case(name="c", part="A"), operation, given, compare.compare(got, right))
    submission = cast(Any, SimpleNamespace(lab=SimpleNamespace(id="lab9")))
    return report_data._failure(submission, wrong, [])


@pytest.mark.parametrize(("n", "wrong_at"), [(1, 0), (7, 6), (64, 0), (65, 64), (1000, 999)])
def test_a_line_is_shown_in_rows_and_named_by_its_index(n: int, wrong_at: int) -> None:
    found = failure(SCAN, n, wrong_at)
    assert found.at(*found.first) == f"[{wrong_at}]"
    assert found.wrong.sum() == 1 or wrong_at == n - 1  # the last one again ends its row
    shown = images.figures(found)
    assert shown[0].title == "Input x" and len(shown) == 5
    assert not any("pixel" in figure.title + figure.note for figure in shown)


def test_a_table_has_rows_and_columns() -> None:
    found = failure(TABLE, 30, 13)
    assert found.first == (2, 3) and found.at(2, 3) == "[2][3]" and found.unit == "bin"
    assert images.figures(found)[0].title == "Your output"


@pytest.mark.parametrize("n", [5, 1024, 1500, 16384])
def test_samples_of_timed_calls_are_compared_with_the_whole_result(n: int) -> None:
    given = Inputs(x=np.zeros(n, np.float32))
    rows, width = row_samples.output(SCAN, given)[1]
    assert rows * width == n
    x = timed_inputs.rows("f4", 3, np.arange(1), n).reshape(-1)
    lines = np.cumsum(x, dtype=np.float64).astype(np.float32).reshape(rows, width)
    first = rows - row_samples.sample_rows(SCAN, given)
    want = row_samples.expected(SCAN, {}, given, RowSample(0, first, 3, lines[first:]))
    assert np.allclose(want.value, lines[first:], rtol=1e-6)
    wrong = lines[first:].copy()
    wrong[-1, -1] += 1
    said = row_samples.wrong(SCAN, {}, given, [RowSample(0, first, 3, wrong)])
    assert said[1].startswith(f"out[{n - 1}] = ")
