"""Is an output right? Arrays in, a comparison out; no process, no file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grader.oracle import F32, Expected

POISON = np.uint32(0xFFFFFFFF)  # what an output holds before the student's code writes it


@dataclass(frozen=True)
class Comparison:
    """Where an output (height x width) differs from what it must be."""

    wrong: npt.NDArray[np.bool_]
    unwritten: npt.NDArray[np.bool_]
    got: F32
    expected: Expected

    def right(self) -> bool:
        return not self.wrong.any()

    def count(self) -> int:
        return int(self.wrong.sum())

    def first(self) -> tuple[int, int]:
        """(y, x) of the first wrong pixel, row by row."""
        y, x = np.argwhere(self.wrong)[0]
        return int(y), int(x)

    def times_bound(self, y: int, x: int) -> float:
        """The error at a pixel as a multiple of the rounding bound there (inf where it is 0)."""
        error = abs(float(self.got[y, x]) - float(self.expected.value[y, x]))
        bound = float(self.expected.bound[y, x])
        if error == 0:
            return 0.0
        return error / bound if bound else float("inf")


def compare(got: F32, expected: Expected) -> Comparison:
    """Every pixel within its bound? NaN and infinity are wrong whatever the bound."""
    with np.errstate(invalid="ignore"):
        close = np.abs(got.astype(np.float64) - expected.value) <= expected.bound
    return Comparison(~close, got.view(np.uint32) == POISON, got, expected)
