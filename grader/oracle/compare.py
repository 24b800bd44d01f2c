"""Is an output right? Arrays in, a comparison out; no process, no file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle.correlation import Expected

POISON = np.uint32(0xFFFFFFFF)  # what device memory holds before it is written, in each word
# What a float or a double of the output holds before the call: a signalling NaN. Arithmetic makes
# it a quiet one, all ones, which tells "added to what was there" from "never written".
SIGNALLING = {4: 0xFFBFFFFF, 8: 0xFFF7FFFFFFFFFFFF}  # by the bytes of an element

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Comparison:
    """Where an output differs from what it must be, in the output's shape."""

    wrong: npt.NDArray[np.bool_]
    unwritten: npt.NDArray[np.bool_]  # of bytes nothing is known: 255 is a value like another
    untouched: npt.NDArray[np.bool_]  # of those, where not even arithmetic took place
    got: Array
    expected: Expected

    def right(self) -> bool:
        return not self.wrong.any()

    def count(self) -> int:
        return int(self.wrong.sum())

    def first(self) -> tuple[int, ...]:
        """Where the first wrong element is, (y, x) in a plane."""
        return tuple(int(i) for i in np.argwhere(self.wrong)[0])

    def times_bound(self, place: tuple[int, ...]) -> float:
        """The error at a place as a multiple of the rounding bound there (inf where it is 0)."""
        want = self.expected.value[place]
        error = abs(float(self.got[place].astype(want.dtype) - want))
        bound = float(self.expected.bound[place])
        if error == 0:
            return 0.0
        return error / bound if bound else float("inf")


def bits(array: Array) -> npt.NDArray[Any]:
    """The elements as unsigned integers of their size."""
    return array.view(f"u{array.dtype.itemsize}")


def unwritten(got: Array) -> npt.NDArray[np.bool_]:
    """Where a float is what it was before the call, or that after arithmetic: every bit set, which
    is also what device memory and timed outputs hold at first. A byte tells nothing."""
    if got.dtype.kind != "f":
        return np.zeros(got.shape, dtype=np.bool_)
    words = bits(got)
    return np.asarray(_untouched(got) | (words == np.iinfo(words.dtype).max))


def number(value: float, kind: np.dtype[Any]) -> str:
    """A value of an element type so that its bits can be told."""
    return f"{value:.17g}" if kind.itemsize == 8 else f"{value:.9g}"


def compare(got: Array, expected: Expected) -> Comparison:
    """Every element within its bound? NaN and infinity are wrong whatever the bound."""
    with np.errstate(invalid="ignore"):
        close = np.abs(got.astype(expected.value.dtype) - expected.value) <= expected.bound
    untouched = _untouched(got)
    poisoned = unwritten(got)
    if untouched.any():
        got = np.where(untouched, np.array(np.nan, dtype=got.dtype), got)  # one that is quiet
    return Comparison(~close, poisoned, untouched, got, expected)


def _untouched(got: Array) -> npt.NDArray[np.bool_]:
    if got.dtype.kind != "f":
        return np.zeros(got.shape, dtype=np.bool_)
    return np.asarray(bits(got) == SIGNALLING[got.dtype.itemsize])
