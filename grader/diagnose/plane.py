"""Why is an output wrong? Tries to reproduce it from known mistakes.

Each known mistake says what the oracle would give if it had been made. The one that reproduces the
student's output within the rounding bound is reported by name; when none does, only what is known
is said: where the wrong pixels lie and by how much the first one misses.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import numpy.typing as npt

from grader.diagnose import plane_mistakes, tile_mistakes, unwritten
from grader.diagnose.mistake import Diagnosis, reproduces
from grader.model.spec import Case
from grader.oracle import correlation
from grader.oracle.compare import Array, Comparison
from grader.oracle.correlation import F64
from grader.oracle.inputs import Inputs

WORK = 10**9  # multiply-adds, some seconds: on a large input only the likeliest are tried
SMALL = 20_000  # pixels; taps are tried one by one in no larger output
MODES = {"zero": "constant", "replicate": "edge"}  # of a border, numpy's
SLOWER = 8  # times, where most taps of most pixels lie outside the image
LARGE = 300_000  # pixels; larger outputs are located, not explained: a small case shows the same


def explain(
    case: Case, operation: str, given: Inputs, seen: Comparison, on_host: bool = False
) -> Diagnosis | None:
    """The known mistake that reproduces the student's output, or None. `on_host`: no kernel has
    computed it, but a function that was given the output itself."""
    if operation == "lines":  # a mistake with a line is one with the mask that the lines make
        operation = "separable"
        given = Inputs(given.image, correlation.outer(given.mask).astype(np.float32))
    if seen.unwritten.any():
        return unwritten.explain(given, seen, on_host)
    if found := by_values(seen):
        return found
    if case.exact is not None and (found := _not_exact(case, operation, given, seen)):
        return found
    if seen.got.size > LARGE:
        return None
    work = seen.got.size * given.mask.size * (SLOWER if given.mask.size > seen.got.size else 1)
    tried = max(1, WORK // work)
    for mistake in islice(plane_mistakes.mistakes(case, operation, given, seen), tried):
        if reproduces(mistake.output(), seen):
            return Diagnosis(mistake.name, mistake.text)
    return scaled(seen, given.mask) or _single_tap(case, operation, given, seen)


def _not_exact(case: Case, operation: str, given: Inputs, seen: Comparison) -> Diagnosis | None:
    """Every bit was asked for. Is it right up to rounding?"""
    right = correlation.OPERATIONS[operation](given.image, given.mask, case.border)
    if not reproduces(right, seen):
        return None
    return Diagnosis(
        "not-bit-for-bit",
        "right up to rounding, but not bit for bit: product and sum must be rounded apart, and the "
        "taps taken row by row",
    )


def location(seen: Comparison, radius: int) -> str:
    """Where the wrong pixels lie, in words."""
    wrong = seen.wrong
    height, width = wrong.shape
    if wrong.all():
        return "every pixel"
    ys, xs = np.nonzero(wrong)
    inside = wrong[radius : height - radius, radius : width - radius]
    top, bottom, left, right = ys.min(), ys.max(), xs.min(), xs.max()
    if end := _end(wrong):
        return end
    if height > 2 * radius and width > 2 * radius and not inside.any():
        near = "1 pixel" if radius == 1 else f"{radius} pixels"
        return f"all within {near} of the image's border, where the mask reaches outside"
    if wrong.mean() > 0.9:
        return "nearly everywhere"
    if repeating := tile_mistakes.pattern(wrong):
        return repeating
    rows = f"rows {top}..{bottom}" if height > 1 else ""
    columns = f"columns {left}..{right}" if width > 1 else ""
    return f"in {' and '.join(part for part in (rows, columns) if part)}"


def _end(wrong: npt.NDArray[np.bool_]) -> str:
    """Which end of the image is wrong, whole, and nothing else is; "" when that is not so."""
    for name, axis, ends in (
        ("column", 1, ("left end", "right end")),
        ("row", 0, ("top", "bottom")),
    ):
        hit = np.flatnonzero(wrong.any(axis=1 - axis))
        first, last, size = int(hit[0]), int(hit[-1]), wrong.shape[axis]
        whole = wrong.all(axis=1 - axis).sum() == len(hit) == last - first + 1 < size
        if whole and (first == 0 or last == size - 1):
            lines = f"{name}s {first}..{last}" if first < last else f"{name} {first}"
            return f"all of {lines}, the {ends[first > 0]} of the image"
    return ""


def by_values(seen: Comparison) -> Diagnosis | None:
    """Outputs that give themselves away by their values alone."""
    got = seen.got
    if np.isnan(got[seen.wrong]).all():
        return Diagnosis(
            "nan", "every wrong pixel is NaN: a value was used before it was written, or 0/0"
        )
    if not got.any():
        small = not np.trunc(seen.expected.value).any()
        integer = ", it is kept as an integer" if small else ""
        return Diagnosis(
            "all-zero",
            "every pixel is 0: nothing is added to the sum, the sum never reaches the output"
            f"{integer}, or the mask was read as all 0",
        )
    if (np.abs(got[seen.wrong]) > 1e37).all():
        return Diagnosis(
            "uninitialised-value",
            "every wrong pixel is enormous: its sum begins with, or adds, a value that nobody has "
            "set; a sum begins at 0",
        )
    if (got == np.trunc(seen.expected.value).astype(got.dtype)).all():
        return Diagnosis("truncated", "each value is cut to an integer; the output is float")
    return None


def scaled(seen: Comparison, mask: Array | None = None) -> Diagnosis | None:
    """A constant factor, within rounding; that of a mask that was normalised is known."""
    value, got = seen.expected.value, seen.got.astype(np.float64)
    large = np.abs(value) > 1e-3 * max(float(np.abs(value).max()), 1e-30)
    if large.sum() < 8 or not np.isfinite(got).all():
        return None
    ratio = got[large] / value[large]
    middle = float(np.median(ratio))
    if abs(middle - 1) <= 1e-3 or (np.abs(ratio - middle) > 1e-4 * abs(middle)).any():
        return None
    if mask is not None:
        for divisor, what in (
            (float(mask.sum(dtype=np.float64)), "the sum of the mask's coefficients"),
            (float(mask.size), "the number of taps"),
        ):
            if abs(middle * divisor - 1) < 1e-4:
                return Diagnosis(
                    "normalised",
                    f"every value was divided by {divisor:.6g}, {what}; the mask is used as it is",
                )
    if mask is not None and min(seen.got.shape) <= max(mask.shape[-2:]) // 2:
        return None  # nearly every tap reads the same pixels: any mistake looks like a factor
    return Diagnosis(
        "scaled", f"every value is {middle:.6g} times what it must be: a factor is wrong"
    )


def _single_tap(case: Case, operation: str, given: Inputs, seen: Comparison) -> Diagnosis | None:
    """One coefficient missed or counted twice: the error is that tap times the shifted image."""
    rows, columns = given.mask.shape[-2:]
    if operation == "polyphase" or case.border not in MODES or seen.got.size > SMALL:
        return None
    error: F64 = seen.got.astype(np.float64) - seen.expected.value
    frame = ((rows // 2, rows // 2), (columns // 2, columns // 2))
    wide = np.pad(given.image.astype(np.float64), frame, mode=MODES[case.border])  # type: ignore[call-overload]
    height, width = seen.got.shape
    for row, column in np.ndindex(rows, columns):
        term = wide[row : row + height, column : column + width] * float(given.mask[row, column])
        if not term.any():
            continue
        for sign, word in ((-1, "is left out"), (1, "is counted twice")):
            if (np.abs(error - sign * term) <= 2 * seen.expected.bound).all():
                return Diagnosis(
                    "single-tap",
                    f"the tap at a={column - columns // 2}, b={row - rows // 2} of the mask {word}",
                )
    return None
