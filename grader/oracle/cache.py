"""The inputs of a check and the right result, computed once for many submissions.

They are the same whoever is graded. Grading one submission needs each of them once; grading a
class or the known submissions in one process needs them again and again, and computing them would
then take longer than running the students' programs.
"""

from functools import cached_property

import numpy as np

from grader.model import spec
from grader.model.lab import Case, Input, Lab
from grader.oracle import inputs as cases
from grader.oracle import operations
from grader.oracle.expected import Expected
from grader.oracle.inputs import Inputs

MOST_BYTES = 256 << 20  # kept by one process; what does not fit is computed again each time


class Prepared:
    """The inputs of one check and the right result. Both are read-only."""

    def __init__(self, lab: Lab, check: Input) -> None:
        self._lab, self._check = lab, check
        self._operation = operations.of(lab, check.part)
        self._exact = check.exact if isinstance(check, Case) else None
        self._settings = check.settings()
        self.inputs: Inputs = cases.inputs(lab, check, check.seed)
        for array in self.inputs.arrays.values():
            array.setflags(write=False)

    @cached_property
    def expected(self) -> Expected:
        """The right result. Computed when first asked for: a program that crashed needs none.

        Raises SpecError where the operation needs a setting that the check has not, or another."""
        try:
            expected = self._operation.expected(self.inputs.arrays, self._settings, self._exact)
        except (KeyError, ValueError) as problem:
            why = f"{self._operation.name} cannot be computed: {problem}"
            raise spec.mistake_in(self._lab, self._check, why) from problem
        expected.value.setflags(write=False)
        expected.bound.setflags(write=False)
        return expected

    def bytes(self) -> int:
        """Its size with the right result: value and bound have 8 bytes an element each."""
        _, shape = self._operation.output(self.inputs.arrays)
        inputs = sum(array.nbytes for array in self.inputs.arrays.values())
        return inputs + 16 * int(np.prod(shape))


_kept: dict[tuple[str, str, str, int], Prepared] = {}


def prepared(lab: Lab, check: Input) -> Prepared:
    """The inputs and right result of a check, computed now or for an earlier submission.

    Raises DatasetMissing when a photograph has not been fetched.
    """
    exact = check.exact if isinstance(check, Case) else None
    key = (lab.id, check.signature(), str(exact), check.seed)
    if key in _kept:
        return _kept[key]
    new = Prepared(lab, check)
    if new.bytes() + sum(kept.bytes() for kept in _kept.values()) <= MOST_BYTES:
        _kept[key] = new
    return new
