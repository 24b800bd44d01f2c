"""Mistakes with the two passes of a separable filter: one of them missing, or its border wrong."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from grader.diagnose.known.filter import Filter
from grader.diagnose.known.indexing import MAX_RADIUS
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.correlation import correlate64
from grader.oracle.expected import F64, Expected
from grader.oracle.rounding_bound import gamma

# The mistakes that only an image of several rows and columns shows.
NAMES = frozenset(("one-pass", "one-line-twice", "lines-not-centred"))
FEW = 16  # pixels: any mistake explains fewer, or a single line, when its factor is free


def mistakes(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """The mask is a column times a row. How the program shares a constant factor between the two is
    unknown; least squares finds the factor in the student's output."""
    border = f.border
    if f.operation != "separable" or not applies(f):
        return
    b, a = np.unravel_index(int(np.abs(f.mask).argmax()), f.mask.shape)
    row = f.mask[b : b + 1, :].astype(np.float64)
    column = f.mask[:, a : a + 1].astype(np.float64)
    if min(np.count_nonzero(row), np.count_nonzero(column)) > 1:
        for what, line in (("row", row), ("column", column)):
            yield Mistake(
                "one-pass",
                f"your output is what the {what} pass gives alone: one pass must read what the "
                "other has written",
                partial(_scaled, f, comparison, [(line, border)]),
            )
        if row.size == column.size:
            for what, line in (("row", row), ("column", column.T)):
                yield Mistake(
                    "one-line-twice",
                    f"both passes use the coefficients of the {what}: the row pass needs the "
                    "row's, and the column pass the column's",
                    partial(_scaled, f, comparison, [(line, border), (line.T, border)]),
                )
    for late in dict.fromkeys((MAX_RADIUS - row.size // 2, 1)):
        if row.size == column.size and 0 < late < row.size:
            lines = [(_read_late(row, late), border), (_read_late(column.T, late).T, border)]
            yield Mistake(
                "lines-not-centred",
                f"each coefficient of both lines is read {late} too late: where the line begins in "
                "its array and where the kernel looks for its first tap must be the same",
                partial(_scaled, f, comparison, lines),
            )
    other = "replicate" if border == "zero" else "zero"
    for what, in_rows, in_columns in (("column", border, other), ("row", other, border)):
        yield Mistake(
            "wrong-border",
            f"your output is what a {other} border in the {what} pass gives; this case asks for a "
            f"{border} border in both passes",
            partial(_scaled, f, comparison, [(row, in_rows), (column, in_columns)]),
        )


def applies(f: Filter) -> bool:
    """Can the image and the mask tell the two passes apart?"""
    return min(f.shape) > 1 and f.image.size >= FEW and f.radius > 0


def _read_late(line: F64, late: int) -> F64:
    """The line from its coefficient number `late` on, and zeros behind it."""
    return np.pad(line[:, late:], ((0, 0), (0, late)))


def _scaled(f: Filter, comparison: Comparison, passes: list[tuple[F64, str]]) -> Expected:
    """The result of the passes, each with its line and border, times the factor that comes closest
    to the student's output."""
    value = f.image.astype(np.float64)
    for line, border in passes:
        value = correlate64(value, line, border)
    square = float((value * value).sum())
    value = value * (float((comparison.got * value).sum()) / square if square else 0.0)
    bound = np.full(value.shape, gamma(2 * f.mask.size) * np.abs(value).max())
    return Expected(value, bound)
