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
from typing import ParamSpec

import numpy as np

from grader import paths
from grader.diagnose import source_text, unwritten, values
from grader.diagnose.known import filter as filters
from grader.diagnose.known import grayscale, mask, mistakes
from grader.diagnose.known.filter import Filter
from grader.diagnose.mistake import Diagnosis, Mistake, reproduces
from grader.model.lab import Case
from grader.oracle import operations
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs

LOG = paths.BUILD / "diagnosis-fault.log"
TOO_FEW = 16  # values; so few may be what a mistake gives by chance
TURNED = ("copied", "mask-transposed")  # what exchanged lines of a separable mask look like
LINES_EXCHANGED = "lines-exchanged"
OF_UNWRITTEN = frozenset((
    "accumulated", "apron-missing", "one-load-a-thread", "mask-offset", "row-pitch",
    "threadidx-exchanged", "last-block-missing", "vector-tail", "left-before-loading",
    "border-skipped",
))  # fmt: skip
LARGE = 300_000  # elements; larger outputs are only located: a small case shows the same mistake


P = ParamSpec("P")


def _never_costs_a_grade(tried: Callable[P, Diagnosis | None]) -> Callable[P, Diagnosis | None]:
    """An error in a diagnosis goes to build/diagnosis-fault.log, and the mistake has no name."""

    @functools.wraps(tried)
    def explained(*args: P.args, **options: P.kwargs) -> Diagnosis | None:
        try:
            return tried(*args, **options)
        except Exception:  # noqa: BLE001
            with contextlib.suppress(OSError):
                LOG.write_text(traceback.format_exc())
            return None

    return explained


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
    operation: str
    inputs: Inputs
    comparison: Comparison
    on_host: bool = False
    reads: str | None = None
    threads: tuple[int, int] | None = None
    block: tuple[int, int] | None = None
    left_early: bool = False
    source: str = ""

    def diagnosis(self, name: str = "") -> Diagnosis | None:
        """The mistake of that name, or without a name the likeliest one, that reproduces the
        output; None if none does."""
        return _diagnosis(self, name)

    def can_refute(self, name: str) -> bool:
        """Would the mistake of that name show in this output, if it were the cause?"""
        missing = self.comparison.unwritten
        if missing.all():
            return False
        return bool(name in OF_UNWRITTEN or missing.any()) or self.comparison.got.size <= LARGE


@_never_costs_a_grade
@np.errstate(all="ignore")  # an output may hold anything
def _diagnosis(this: Hypothesis, name: str) -> Diagnosis | None:
    case, comparison = this.case, this.comparison
    if this.operation not in filters.COMPUTE and this.operation != "grey":
        return None  # an operation whose mistakes nobody has described yet
    if this.operation == "grey":
        if comparison.got.size > LARGE:
            return None
        if grayscale.is_saturated(comparison):
            seen = source_text.reversed_indices(this.source)
            if seen and name in ("", seen.name):
                return seen
        return _named(grayscale.mistakes(case, this.inputs, comparison), comparison, name)
    f = filters.of(this.operation, this.inputs, case.border)
    if comparison.unwritten.any():
        lacking = unwritten.explain(
            f,
            comparison,
            this.on_host,
            this.reads,
            this.threads,
            this.left_early,
            block=this.block,
            source=this.source,
        )
        return lacking if name in ("", lacking.name) else None
    found = values.by_themselves(comparison)
    if not found and case.exact:
        found = _not_exact(case, this.operation, this.inputs, comparison)
    if found and name in ("", found.name):
        return found
    if comparison.got.size > LARGE or (not name and comparison.got.size < TOO_FEW):
        return None
    return _of_filter(f, comparison, this.source, name)


def _of_filter(f: Filter, comparison: Comparison, source: str, name: str) -> Diagnosis | None:
    """Of a filter whose output was written as a whole."""
    exchanged = source_text.exchanged_lines(source) if name in ("", LINES_EXCHANGED) else None
    if name == LINES_EXCHANGED and exchanged:
        both = (_named(mistakes.of_filter(f, comparison, n), comparison, n) for n in TURNED)
        return exchanged if any(both) else None
    found = _named(mistakes.of_filter(f, comparison, name), comparison, name)
    if found and found.name in TURNED:
        return exchanged or found if not name else found
    others: list[Callable[[], Diagnosis | None]] = [
        lambda: found,
        lambda: values.scaled(f, comparison),
        lambda: _named(mask.single_taps(f, comparison), comparison, name),
        lambda: mask.read_too_early(f, comparison),
    ]
    tried = (other() for other in others)
    return next((d for d in tried if d and name in ("", d.name)), None)


def _named(tried: Iterator[Mistake], comparison: Comparison, name: str) -> Diagnosis | None:
    """The first mistake, of that name if there is one, that reproduces the output."""
    for mistake in tried:
        if name in ("", mistake.name) and reproduces(mistake.output(), comparison):
            return Diagnosis(mistake.name, mistake.text)
    return None


def _not_exact(
    case: Case, operation: str, inputs: Inputs, comparison: Comparison
) -> Diagnosis | None:
    """The case asks for every bit. Is the output right up to rounding?"""
    right = operations.expected(operation, None, inputs.arrays, case.settings())
    if not reproduces(right, comparison):
        return None
    return Diagnosis(
        "not-bit-for-bit",
        "right up to rounding, but not bit for bit: round each product and each sum separately (no "
        "fused multiply-add), and take the taps row by row",
    )
