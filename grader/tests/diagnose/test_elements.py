"""Outputs that are no images: what is left out, twice, or at another place."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from datasets import values
from grader.diagnose import location
from grader.diagnose.explain import Hypothesis
from grader.model.lab import Case, Computation, GivenArray, OutputArray
from grader.oracle import compare
from grader.oracle.expected import Expected, exact, rounded, summed
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation

Array = npt.NDArray[Any]
CASE = Case(name="c", part="A")
N = 1000
X = values.values("whole", "f4", (N,), 7)


def scan(x: Array) -> Expected:
    return exact(np.concatenate([[0], np.cumsum(x[:-1], dtype=np.float64)]))


def product(a: Array, b: Array) -> Expected:
    f, g = a.astype(np.float64), b.astype(np.float64)
    return rounded(f @ g, np.abs(f) @ np.abs(g), len(b))


LINE = {"x": GivenArray(["n"])}
SUM = Operation("sum", Computation(LINE, OutputArray([1])), {None: lambda x: summed(x[None, :])})
SCAN = Operation("scan", Computation(LINE, OutputArray(["n"])), {None: scan})
FACTORS = {"a": GivenArray(["m", "k"]), "b": GivenArray(["k", "n"])}
PRODUCT = Operation("product", Computation(FACTORS, OutputArray(["m", "n"])), {None: product})
ONE = Inputs(x=X)
TWO = Inputs(
    a=values.values("signed", "f4", (9, 70), 1), b=values.values("signed", "f4", (70, 12), 2)
)


def told(operation: Operation, inputs: Inputs, got: Array) -> tuple[str, str]:
    """The name and the text of what is said of a wrong output."""
    right = operation.expected(inputs.arrays, {})
    comparison = compare.compare(np.asarray(got).astype(np.float32), right)
    assert not comparison.right()
    found = Hypothesis(CASE, operation, inputs, comparison).diagnosis()
    return (found.name, found.text) if found else ("", "")


def without(kept: Callable[[Array], Array]) -> Array:
    return np.array([X[kept(np.arange(N))].sum(dtype=np.float64)])


@pytest.mark.parametrize(
    ("got", "name", "said"),
    [
        (without(lambda i: i < 768), "left-out", "the last 232 of 1000 elements of x, behind"),
        (without(lambda i: i > 0), "left-out", "the first one of the 1000"),
        (without(lambda i: i % 32 != 31), "left-out", "number 31 of every 32"),
        (without(lambda i: i < 256), "left-out", "all but the first 256"),
        (np.array([2 * X.sum()]), "counted-twice", "all elements of x"),
        (np.array([X.sum() + 5]), "", ""),
    ],
)
def test_a_wrong_sum_is_explained(got: Array, name: str, said: str) -> None:
    found, text = told(SUM, ONE, got)
    assert found == name and said in text


def test_a_scan_that_is_inclusive_is_shifted() -> None:
    name, text = told(SCAN, ONE, np.cumsum(X))
    assert name == "shifted" and "before its own" in text
    right = scan(X).value
    assert told(SCAN, ONE, right[::-1])[0] == "reversed"
    assert told(SCAN, ONE, np.where(np.arange(N) < 256, right, 0))[0] == ""


def test_a_product_is_transposed_or_lacks_terms() -> None:
    a, b = (array.astype(np.float64) for array in TWO.arrays.values())
    assert told(PRODUCT, TWO, (a @ b).T.reshape(9, 12))[0] == "transposed"
    name, text = told(PRODUCT, TWO, a[:, :64] @ b[:64])
    assert name == "left-out" and "terms along k, behind the last whole group of 64" in text


def test_what_was_not_written_is_a_fact() -> None:
    right = SCAN.expected(ONE.arrays, {})
    untouched = np.array([compare.SIGNALLING[4]], np.uint32).view(np.float32)
    got = np.where(np.arange(N) >= 768, untouched, right.value.astype(np.float32))
    comparison = compare.compare(got.astype(np.float32), right)
    hypothesis = Hypothesis(CASE, SCAN, ONE, comparison)
    fact = hypothesis.fact()
    assert fact and fact.name == "not-all-written" and fact.text.endswith("values 768..999")
    assert location.wrong_elements(SCAN, ONE, comparison) == "values 768..999"


def test_ints_that_nobody_wrote_are_seen() -> None:
    before = compare.bytes_before(40).view(np.int32)
    comparison = compare.compare(before, exact(np.arange(10)))
    assert comparison.unwritten.all() and compare.number(3.0, np.dtype("i4")) == "3"


@pytest.mark.parametrize("content", values.CONTENTS)
@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "u1"])
def test_values_are_the_same_for_a_seed_and_of_their_type(content: str, kind: str) -> None:
    made = values.values(content, kind, (3, 50), 5)
    assert made.shape == (3, 50) and made.dtype == np.dtype(kind) and np.isfinite(made).all()
    assert (made == values.values(content, kind, (3, 50), 5)).all()
    if content == "whole" and kind != "u1":
        assert (made != 0).all() and (np.abs(made) <= 99).all() and (made == np.rint(made)).all()


def test_a_sum_of_whole_numbers_has_one_right_value() -> None:
    assert summed(X[None, :]).bound[0] == 0
    assert summed((X + 0.5)[None, :]).bound[0] > 0
    assert summed(np.full((1, 4), 2.0**23)).bound[0] > 0
