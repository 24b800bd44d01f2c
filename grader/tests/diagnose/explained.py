"""The grader's diagnosis of an output, given the right one for the same inputs."""

from typing import Any

import numpy as np

from grader.diagnose.explain import Hypothesis
from grader.diagnose.mistake import Diagnosis
from grader.model.lab import Case
from grader.oracle import operations
from grader.oracle.compare import Comparison, compare
from grader.oracle.inputs import Inputs


def compared(case: Case, operation: str, inputs: Inputs, out: np.ndarray) -> Comparison:
    kind, _ = operations.OPERATIONS[operation].output(inputs.arrays)
    right = operations.expected(operation, case.exact, inputs.arrays, case.settings())
    return compare(out.astype(kind), right)


def explained(
    case: Case, operation: str, inputs: Inputs, out: np.ndarray, **seen: Any
) -> Diagnosis:
    """What is said of a wrong output; without a name and a text where that is nothing."""
    comparison = compared(case, operation, inputs, out)
    assert not comparison.right()
    hypothesis = Hypothesis(case, operation, inputs, comparison, **seen)
    return hypothesis.diagnosis() or Diagnosis("", "")
