"""A diagnosis never costs a grade: what it cannot explain has no name."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from grader.diagnose import explain
from grader.diagnose.explain import Hypothesis
from grader.diagnose.known import filter as filters
from grader.diagnose.mistake import Wanted
from grader.model import spec
from grader.model.lab import Case
from grader.oracle.compare import compare
from grader.oracle.correlation import correlate
from grader.oracle.inputs import inputs
from grader.tests.lab_operations import named

LAB = spec.load("lab3")
CASE = Case(name="c", part="A", image="noise", points=1, size=(9, 9), mask="ando3", border="zero")
GIVEN = inputs(LAB, CASE, 8)
RIGHT = correlate(GIVEN.image, GIVEN.mask, "zero")
WRONG = compare(RIGHT.value.astype("f4") + 1, RIGHT)
UNSET = np.full_like(WRONG.output, -1, dtype="i4").view("f4")  # every bit is set
PART = compare(np.where(np.eye(9), UNSET, RIGHT.value.astype("f4")), RIGHT)


def test_new_operation_has_no_diagnoses() -> None:
    median = replace(named("correlate"), name="median")
    assert Hypothesis(CASE, median, GIVEN, WRONG).diagnosis() is None


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (Hypothesis.diagnosis, None),
        (Hypothesis.fact, None),
        (lambda this: this.refutes(Wanted("mask-flipped")), True),
    ],
)
def test_an_error_in_a_diagnosis_is_written_down_and_names_no_cause(
    asked: Callable[[Hypothesis], object], answer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise KeyError("of ours")

    monkeypatch.setattr(filters, "of", fails)
    explain.LOG.unlink(missing_ok=True)
    assert asked(Hypothesis(CASE, named("correlate"), GIVEN, PART)) is answer
    assert "KeyError: 'of ours'" in explain.LOG.read_text()
