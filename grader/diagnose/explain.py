"""Why is an output wrong? Finds the known mistake that gives the same output.

Each known mistake says what the oracle would give if it had been made. The one that reproduces the
student's output within the rounding bound is reported by name. If none does, no cause is given:
location.py still says where the wrong elements lie.
"""

import contextlib
import functools
import traceback
from collections.abc import Callable, Iterator
from typing import ParamSpec

import numpy as np

from grader import paths
from grader.diagnose import source_text, unwritten, values
from grader.diagnose.known import filter as filters
from grader.diagnose.known import grayscale, mask, mistakes
from grader.diagnose.mistake import Diagnosis, Mistake, reproduces
from grader.model.lab import Case
from grader.oracle import operations
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs

LOG = paths.BUILD / "diagnosis-fault.log"
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


@_never_costs_a_grade
@np.errstate(all="ignore")  # an output may hold anything
def explain(
    case: Case,
    operation: str,
    inputs: Inputs,
    comparison: Comparison,
    on_host: bool = False,
    *,
    reads: str | None = None,
    threads: tuple[int, int] | None = None,
    block: tuple[int, int] | None = None,
    left_early: bool = False,
    source: str = "",
) -> Diagnosis | None:
    """The known mistake that reproduces the student's output, or None.

    `on_host`: the function was given the output array itself. `reads`: the memory of unknown
    content that a run with all checks on reads, in words; "": none; None: not known. `threads`: of
    the largest grid of that run, across and down; None: not known. `block`: of one of its blocks.
    `left_early`: in that run threads wait at a barrier for others that have left the kernel.
    `source`: the text of the student's file, for mistakes that the output alone does not show.
    """
    if operation not in filters.COMPUTE:
        if operation != "grey":
            return None  # an operation whose mistakes nobody has described yet
        if comparison.got.size > LARGE:
            return None
        if grayscale.is_saturated(comparison) and (seen := source_text.reversed_indices(source)):
            return seen
        return _named(grayscale.mistakes(case, inputs, comparison), comparison)
    f = filters.of(operation, inputs, case.border)
    if comparison.unwritten.any():
        return unwritten.explain(
            f, comparison, on_host, reads, threads, left_early, block=block, source=source
        )
    if diagnosis := values.by_themselves(comparison):
        return diagnosis
    if case.exact is not None and (diagnosis := _not_exact(case, operation, inputs, comparison)):
        return diagnosis
    if comparison.got.size > LARGE:
        return None
    diagnosis = _named(mistakes.of_filter(f, comparison), comparison)
    if diagnosis and diagnosis.name in ("copied", "mask-transposed"):
        return source_text.exchanged_lines(source) or diagnosis
    return (
        diagnosis
        or values.scaled(f, comparison)
        or _named(mask.single_taps(f, comparison), comparison)
        or mask.read_too_early(f, comparison)
    )


def _named(tried: Iterator[Mistake], comparison: Comparison) -> Diagnosis | None:
    """The first mistake that reproduces the output."""
    for mistake in tried:
        if reproduces(mistake.output(), comparison):
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
