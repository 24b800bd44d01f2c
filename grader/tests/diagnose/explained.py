"""The grader's diagnosis of an output, given the right one for the same inputs."""

from typing import Any

import numpy as np

from grader.diagnose.explain import Hypothesis
from grader.diagnose.mistake import Diagnosis
from grader.model.lab import Case
from grader.oracle.compare import Comparison, compare
from grader.oracle.inputs import Inputs
from grader.tests.lab_operations import named


def compared(case: Case, operation: str, inputs: Inputs, out: np.ndarray) -> Comparison:
    kind, _ = named(operation).output(inputs.arrays)
    right = named(operation).expected(inputs.arrays, case.settings(), case.exact)
    return compare(out.astype(kind), right)


def explained(
    case: Case, operation: str, inputs: Inputs, out: np.ndarray, **seen: Any
) -> Diagnosis:
    """What is said of a wrong output; without a name and a text where that is nothing."""
    comparison = compared(case, operation, inputs, out)
    assert not comparison.right()
    hypothesis = Hypothesis(case, named(operation), inputs, comparison, **seen)
    return hypothesis.diagnosis() or Diagnosis("", "")
