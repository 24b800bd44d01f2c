"""A known mistake, the output that it gives, and whether the student's output is that one."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected

MOST = 0.95  # of the elements that a mistake must reproduce to be named
NO_RESULT = ("nothing-written", "not-all-written", "uninitialised-result")
# What an output shows by itself, whatever the cause: it holds for its own check.
FACTS = frozenset({*NO_RESULT, "not-bit-for-bit", "nan", "uninitialised-value"})


@dataclass(frozen=True)
class Diagnosis:
    """The mistake's name ("mask-flipped"), and its message to the student."""

    name: str
    text: str


@dataclass(frozen=True)
class Wanted:
    """A mistake that is looked for, by its name. text: what is said of it, numbers apart; "": any
    text."""

    name: str
    text: str = ""

    def fits(self, found: "Diagnosis | Mistake") -> bool:
        return found.name == self.name and self.text in ("", without_numbers(found.text))


def without_numbers(text: str) -> str:
    """The text of a mistake, the same for images and masks of any size."""
    return re.sub(r"-?\d+", "#", text)


@dataclass(frozen=True)
class Mistake:
    """A known mistake and the output that it gives, in the shape of the right output.

    NaN in that output marks an element of which the mistake says nothing, such as one that was
    computed from memory of unknown content.
    """

    name: str
    text: str
    output: Callable[[], Expected]


def reproduces(mistake: Expected, comparison: Comparison) -> bool:
    """Does the mistake give the student's output where that is wrong, and where the mistake is?"""
    right = comparison.expected
    with np.errstate(invalid="ignore"):
        same = np.abs(comparison.got.astype(np.float64) - mistake.value) <= mistake.bound
        differs = np.abs(mistake.value - right.value) > mistake.bound + right.bound
    known = ~np.isnan(mistake.value)
    wrong = comparison.wrong & known
    if 2 * known.sum() < known.size or 2 * wrong.sum() < comparison.wrong.sum():
        return False
    concerned = wrong | (differs & known)
    return bool(same[known].mean() >= MOST and same[concerned].mean() >= MOST)


def contradicts(mistake: Expected, comparison: Comparison) -> bool:
    """Does the mistake give something else than the student's output, where it says anything?"""
    known = ~np.isnan(mistake.value)
    with np.errstate(invalid="ignore"):
        same = np.abs(comparison.got.astype(np.float64) - mistake.value) <= mistake.bound
    return bool(known.any() and same[known].mean() < MOST)
