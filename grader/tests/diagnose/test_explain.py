"""A diagnosis never costs a grade: what it cannot explain has no name."""

import pytest

from grader.diagnose import explain, values
from grader.diagnose.explain import Hypothesis
from grader.model import spec
from grader.model.lab import Case
from grader.oracle.compare import compare
from grader.oracle.correlation import correlate
from grader.oracle.inputs import inputs

LAB = spec.load("lab3")
CASE = Case(name="c", part="A", image="noise", points=1, size=(9, 9), mask="ando3", border="zero")
GIVEN = inputs(LAB, CASE, 8)
RIGHT = correlate(GIVEN.image, GIVEN.mask, "zero")
WRONG = compare(RIGHT.value.astype("f4") + 1, RIGHT)


def test_new_operation_has_no_diagnoses() -> None:
    assert Hypothesis(CASE, "median", GIVEN, WRONG).diagnosis() is None


def test_an_error_in_a_diagnosis_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise KeyError("of ours")

    monkeypatch.setattr(values, "by_themselves", fails)
    assert Hypothesis(CASE, "correlate", GIVEN, WRONG).diagnosis() is None
    assert "KeyError: 'of ours'" in explain.LOG.read_text()
