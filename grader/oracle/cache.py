"""What a check's program is given and what it must give, computed once for many submissions.

A case has the same input and the same right result whoever is graded. Who grades one submission
needs each of them once; who grades a class, or the zoo, in one process needs them again and again,
and the oracle then costs more than the students' programs.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from grader.model.spec import Case, Input, Lab
from grader.oracle import inputs as cases
from grader.oracle import operations
from grader.oracle.correlation import Expected
from grader.oracle.inputs import Inputs

MOST_BYTES = 256 << 20  # kept by one process; what does not fit is computed anew each time


class Truth:
    """The inputs of one check, and what is right. Nobody may write to either."""

    def __init__(self, lab: Lab, check: Input) -> None:
        self._operation = lab.part_of(check).operation
        self._exact = check.exact if isinstance(check, Case) else None
        self._settings = check.settings()
        self.given: Inputs = cases.inputs(lab, check, check.seed)
        for array in self.given.arrays.values():
            array.setflags(write=False)

    @cached_property
    def expected(self) -> Expected:
        """Not before it is asked for: a program that crashed needs none."""
        right = operations.expected(self._operation, self._exact, self.given.arrays, self._settings)
        right.value.setflags(write=False)
        right.bound.setflags(write=False)
        return right

    def bytes(self) -> int:
        """Its size once the right result is there: value and bound have 8 bytes an element each."""
        _, shape = operations.OPERATIONS[self._operation].output(self.given.arrays)
        inputs = sum(array.nbytes for array in self.given.arrays.values())
        return inputs + 16 * int(np.prod(shape))


_kept: dict[tuple[str, str, str, int], Truth] = {}


def of(lab: Lab, check: Input) -> Truth:
    """The truth of a check, perhaps from an earlier submission. Raises DatasetMissing."""
    exact = check.exact if isinstance(check, Case) else None
    key = (lab.id, check.signature(), str(exact), check.seed)
    if key in _kept:
        return _kept[key]
    truth = Truth(lab, check)
    if truth.bytes() + sum(kept.bytes() for kept in _kept.values()) <= MOST_BYTES:
        _kept[key] = truth
    return truth
