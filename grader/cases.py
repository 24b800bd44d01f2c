"""From a case of the spec to arrays: what the student's program is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datasets import generate
from grader.oracle import F32
from grader.spec import Input


@dataclass(frozen=True)
class Inputs:
    """image: height x width; mask: (2r+1) x (2r+1), or a bank of n of them."""

    image: F32
    mask: F32


def inputs(case: Input, seed: int) -> Inputs:
    """The arrays of a case, the same on every machine.

    Raises generate.DatasetMissing when a photograph has not been fetched.
    """
    image = generate.image(case.image, case.size, seed)
    mask = generate.mask(case.mask, seed)
    return Inputs(np.ascontiguousarray(image), np.ascontiguousarray(mask))
