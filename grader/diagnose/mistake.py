"""A known mistake, the output that it gives, and whether that is the student's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grader.oracle.compare import Comparison
from grader.oracle.correlation import Expected

MOST = 0.95  # of the pixels that a mistake must reproduce to be named


@dataclass(frozen=True)
class Diagnosis:
    """`name` is the mistake's ("mask-flipped"), `text` says it to the student."""

    name: str
    text: str


@dataclass(frozen=True)
class Mistake:
    """A known mistake and the output that it gives, in the output's shape.

    NaN in that output is a place of which the mistake says nothing, such as one that was read from
    memory of no known content.
    """

    name: str
    text: str
    output: Callable[[], Expected]


def reproduces(mistake: Expected, seen: Comparison) -> bool:
    """Does the mistake give the student's output where that is wrong, and where the mistake is?"""
    right = seen.expected
    with np.errstate(invalid="ignore"):
        same = np.abs(seen.got.astype(np.float64) - mistake.value) <= mistake.bound
        differs = np.abs(mistake.value - right.value) > mistake.bound + right.bound
    told = ~np.isnan(mistake.value)
    wrong = seen.wrong & told
    if 2 * told.sum() < told.size or 2 * wrong.sum() < seen.wrong.sum():
        return False
    concerned = wrong | (differs & told)
    return bool(same[told].mean() >= MOST and same[concerned].mean() >= MOST)
