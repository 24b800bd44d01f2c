"""Why is an output wrong? Finds the known mistake that gives the same output.

Each known mistake says what the oracle would give if it had been made. The one that reproduces the
student's output within the rounding bound is reported by name. If none does, no cause is given:
location.py still says where the wrong elements lie.
"""

import contextlib
import functools
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ParamSpec, TypeVar

import numpy as np

from grader import paths
from grader.diagnose import elements, source_text, unwritten, values
from grader.diagnose.known import border, grayscale, mask, mistakes, separable
from grader.diagnose.known import filter as filters
from grader.diagnose.mistake import (
    NO_RESULT,
    Diagnosis,
    Mistake,
    Wanted,
    contradicts,
    reproduces,
)
from grader.model.lab import Case
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation

LOG = paths.BUILD / "diagnosis-fault.log"
TOO_FEW = 6  # values; so few may be what a mistake gives by chance
TURNED = ("copied", "mask-transposed")  # what exchanged lines of a separable mask look like
LINES_EXCHANGED = "lines-exchanged"
SMALL = 64  # elements; some mistakes have no pattern in so few
LARGE = 300_000  # elements; larger outputs are only located: a small case shows the same mistake


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


def _never_costs_a_grade(otherwise: S) -> Callable[[Callable[P, R]], Callable[P, R | S]]:
    """An error in a diagnosis goes to build/diagnosis-fault.log. The answer is then the one after
    which no cause is given. Nor does a calculation warn: an output may hold anything."""

    def guarded(asked: Callable[P, R]) -> Callable[P, R | S]:
        @functools.wraps(asked)
        def answered(*args: P.args, **options: P.kwargs) -> R | S:
            try:
                with np.errstate(all="ignore"):
                    return asked(*args, **options)
            except Exception:  # noqa: BLE001
                with contextlib.suppress(OSError):
                    LOG.write_text(traceback.format_exc())
                return otherwise

        return answered

    return guarded


@dataclass(frozen=True)
class Hypothesis:
    """A wrong output, on which mistakes can be tried by name.

    `on_host`: the function was given the output array itself. `reads`: the memory of unknown
    content that a run with all checks on reads, in words; "": none; None: not known. `threads`: of
    the largest grid of that run, across and down; None: not known. `block`: of one of its blocks.
    `left_early`: in that run threads wait at a barrier for others that have left the kernel.
    `source`: the text of the student's file, for mistakes that the output alone does not show.
    """

    case: Case
    operation: Operation
    inputs: Inputs
    comparison: Comparison
    on_host: bool = False
    reads: str | None = None
    threads: tuple[int, int] | None = None
    block: tuple[int, int] | None = None
    left_early: bool = False
    source: str = ""

    @_never_costs_a_grade(otherwise=None)
    def diagnosis(self, wanted: Wanted | None = None) -> Diagnosis | None:
        """The mistake that is wanted, or else the likeliest one, if it reproduces the output."""
        found = (each for each in self._candidates(wanted) if each)
        return next((each for each in found if not wanted or wanted.fits(each)), None)

    @_never_costs_a_grade(otherwise=None)
    def fact(self) -> Diagnosis | None:
        """What is certain of an output of which some holds no result."""
        if not self.operation.is_image():
            return next(elements.facts(self.operation, self.comparison), None)
        if not self._is_filter() or not self.comparison.unwritten.any():
            return None
        certain = (*NO_RESULT, "accumulated")
        return next((each for each in self._lacking() if each.name in certain), None)

    @_never_costs_a_grade(otherwise=True)
    def refutes(self, wanted: Wanted) -> bool:
        """Would that mistake show in this output, if it were the cause, and does it not?"""
        if not self._would_show(wanted.name) or self.diagnosis(wanted):
            return False
        if self.comparison.unwritten.any():
            return True
        tried = list(self._mistakes(wanted))
        if not tried and self.comparison.got.size <= SMALL:
            return False  # too few for a pattern
        return all(contradicts(mistake.output(), self.comparison) for mistake in tried)

    def _is_filter(self) -> bool:
        """Is it an operation whose mistakes are described?"""
        return self.operation.is_image() and self.operation.name in filters.COMPUTE

    def _would_show(self, name: str) -> bool:
        missing = self.comparison.unwritten
        if missing.all():
            return False
        if missing.any():
            return name != "last-block-missing" or self.threads is not None
        if name in separable.NAMES:
            f = filters.of(self.operation.name, self.inputs, self.case.border)
            if not separable.applies(f):
                return False
        return self.comparison.got.size <= LARGE

    def _mistakes(self, wanted: Wanted) -> Iterator[Mistake]:
        """Those that are wanted, whether they reproduce the output or not."""
        if self.operation.name == "grey":
            by_type = grayscale.narrow(self.source, self.inputs.image, self.case.set["weights"])
            known = grayscale.mistakes(self.case, self.inputs, self.comparison)
            tried: Iterator[Mistake] = chain(by_type, known)
        elif not self._is_filter():
            tried = self._of_elements()
        else:
            f = filters.of(self.operation.name, self.inputs, self.case.border)
            taps = mask.single_taps(f, self.comparison)
            tried = chain(mistakes.of_filter(f, self.comparison, wanted.name), taps)
        return (mistake for mistake in tried if wanted.fits(mistake))

    def _lacking(self) -> Iterator[Diagnosis]:
        return unwritten.explain(
            self.operation,
            filters.of(self.operation.name, self.inputs, self.case.border),
            self.comparison,
            self.on_host,
            self.reads,
            self.threads,
            self.left_early,
            block=self.block,
            source=self.source,
        )

    def _candidates(self, wanted: Wanted | None) -> Iterator[Diagnosis | None]:
        """What reproduces the output, the likeliest first."""
        case, comparison = self.case, self.comparison
        if self.operation.name == "grey":
            if comparison.got.size > LARGE:
                return
            if grayscale.is_saturated(comparison):
                yield source_text.reversed_indices(self.source)
            by_type = grayscale.narrow(self.source, self.inputs.image, case.set["weights"])
            known = grayscale.mistakes(case, self.inputs, comparison)
            yield from _reproducing(chain(by_type, known), comparison, wanted)
            return
        if not self.operation.is_image():
            yield from elements.facts(self.operation, comparison)
            if comparison.got.size <= LARGE and self.inputs.image.size <= LARGE:
                yield from _reproducing(self._of_elements(), comparison, wanted)
            return
        if not self._is_filter():
            return  # an operation whose mistakes nobody has described yet
        if comparison.unwritten.any():
            yield from self._lacking()
            return
        if not comparison.got.any():
            yield source_text.never_copied_to(self.source)
        yield values.by_themselves(comparison)
        if case.exact:
            yield _not_exact(case, self.operation, self.inputs, comparison)
        if comparison.got.size > LARGE or (not wanted and comparison.got.size < TOO_FEW):
            return
        yield from self._of_filter(wanted)

    def _of_elements(self) -> Iterator[Mistake]:
        """Of an output that is no image."""
        if self.operation.is_image():
            return iter(())
        return elements.mistakes(self.operation, self.inputs, self.case.settings(), self.comparison)

    def _of_filter(self, wanted: Wanted | None) -> Iterator[Diagnosis | None]:
        """Of a filter whose output was written as a whole."""
        comparison, f = (
            self.comparison,
            filters.of(self.operation.name, self.inputs, self.case.border),
        )
        if not wanted or wanted.name == LINES_EXCHANGED:
            exchanged = source_text.exchanged_lines(self.source)
            for name in TURNED if exchanged else ():
                tried = mistakes.of_filter(f, comparison, name)
                if next(_reproducing(tried, comparison, Wanted(name)), None):
                    yield exchanged
        tried = mistakes.of_filter(f, comparison, wanted.name if wanted else "")
        if not source_text.has_break(self.source):
            tried = (mistake for mistake in tried if mistake.name != border.BROKEN_OFF)
        yield from _reproducing(tried, comparison, wanted)
        yield values.scaled(f, comparison)
        yield from _reproducing(mask.single_taps(f, comparison), comparison, wanted)
        yield mask.read_too_early(f, comparison)


def _reproducing(
    tried: Iterator[Mistake], comparison: Comparison, wanted: Wanted | None
) -> Iterator[Diagnosis]:
    """The mistakes, of those that are wanted, that reproduce the output."""
    for mistake in tried:
        if (not wanted or wanted.fits(mistake)) and reproduces(mistake.output(), comparison):
            yield Diagnosis(mistake.name, mistake.text)


def _not_exact(
    case: Case, operation: Operation, inputs: Inputs, comparison: Comparison
) -> Diagnosis | None:
    """The case asks for every bit. Is the output right up to rounding?"""
    right = operation.expected(inputs.arrays, case.settings())
    if not reproduces(right, comparison):
        return None
    return Diagnosis(
        "not-bit-for-bit",
        "right up to rounding, but not bit for bit: the kernel that runs must round each product "
        "and each sum separately (no fused multiply-add), and take the taps row by row",
    )
