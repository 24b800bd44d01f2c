"""Is an output right? Compares two arrays; starts no process and opens no file."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle.expected import Expected

POISON = np.uint32(0xFFFFFFFF)  # each word of device memory that has not been written
# Each float or double of the output before the call, by the bytes of an element: a signalling NaN.
# Arithmetic turns it into a quiet NaN, which tells "added to the old value" from "never written".
# Neither is the NaN of any other memory or of any other computation.
SIGNALLING = {4: 0xFFB5C3A7, 8: 0xFFF5C3A7E1D2B496}
QUIET = {4: 1 << 22, 8: 1 << 51}  # the bit that arithmetic sets
SIGN = {4: 1 << 31, 8: 1 << 63}

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Comparison:
    """An output beside the right result. All arrays have the output's shape."""

    wrong: npt.NDArray[np.bool_]  # further from the right value than its bound
    output: Array
    expected: Expected

    @cached_property
    def got(self) -> Array:
        """The output with a quiet NaN where it is untouched: a signalling one raises warnings."""
        if self.output.dtype.kind != "f":
            return self.output
        quiet = np.array(np.nan, dtype=self.output.dtype) if self.untouched.any() else None
        return self.output if quiet is None else np.where(self.untouched, quiet, self.output)

    @cached_property
    def unwritten(self) -> npt.NDArray[np.bool_]:
        """Holds the value of memory that was never written, or a sum with it: of the output, or of
        any other memory. Never true for a byte: 255 is valid."""
        return unwritten(self.output)

    @cached_property
    def untouched(self) -> npt.NDArray[np.bool_]:
        """Holds exactly the output's bits from before the call."""
        return _untouched(self.output)

    @cached_property
    def added_to(self) -> npt.NDArray[np.bool_]:
        """Was computed from the output's value from before the call."""
        return _added_to(self.output)

    def right(self) -> bool:
        return not self.wrong.any()

    def count(self) -> int:
        """How many elements are wrong."""
        return int(self.wrong.sum())

    def first(self) -> tuple[int, ...]:
        """The index of the first wrong element: (y, x) in a plane."""
        return tuple(int(i) for i in np.unravel_index(self.wrong.argmax(), self.wrong.shape))

    def times_bound(self, index: tuple[int, ...]) -> float:
        """The error of one element as a multiple of its rounding bound (inf where that is 0)."""
        want = self.expected.value[index]
        error = abs(float(self.got[index].astype(want.dtype) - want))
        bound = float(self.expected.bound[index])
        if error == 0:
            return 0.0
        return error / bound if bound else float("inf")


def bits(array: Array) -> npt.NDArray[Any]:
    """The elements as unsigned integers of their size."""
    return array.view(f"u{array.dtype.itemsize}")


def unwritten(got: Array) -> npt.NDArray[np.bool_]:
    """Where a float still holds its value from before the call, or that value after arithmetic.

    Every bit is set in other memory of the device and in timed outputs before they are written.
    Bytes are never called unwritten: 255 is a valid value.
    """
    if got.dtype.kind != "f":
        return _untouched(got)
    words = bits(got)
    poison = np.asarray(words == np.iinfo(words.dtype).max)
    return np.asarray(_untouched(got) | _added_to(got) | poison)


def bytes_before(size: int) -> npt.NDArray[np.uint8]:
    """What the bytes of an output of that many hold before the call: labs/runtime/runner/runner.c.
    Each holds another value, so that one which may also be right is no sign by itself."""
    i = np.arange(size, dtype=np.int64)
    return ((i * 0x9D ^ i >> 8 ^ 0x5B) & 255).astype(np.uint8)


def number(value: float, kind: np.dtype[Any]) -> str:
    """A value with enough digits to tell its bits, for an element type."""
    if kind.kind == "i":
        return f"{value:.0f}"
    return f"{value:.17g}" if kind.itemsize == 8 else f"{value:.9g}"


def compare(got: Array, expected: Expected) -> Comparison:
    """Is every element within its bound? NaN and infinity are wrong whatever the bound."""
    with np.errstate(invalid="ignore"):
        close = np.abs(got.astype(expected.value.dtype) - expected.value) <= expected.bound
    return Comparison(~close, got, expected)


def _untouched(got: Array) -> npt.NDArray[np.bool_]:
    """Where a float or an int holds exactly the bits from before the call."""
    if got.dtype.kind == "i":  # of four bytes that all are as they were, chance gives few
        before = bytes_before(got.nbytes).view(got.dtype).reshape(got.shape)
        return np.asarray(got == before)
    if got.dtype.kind != "f":
        return np.zeros(got.shape, dtype=np.bool_)
    return np.asarray(bits(got) == SIGNALLING[got.dtype.itemsize])


def _added_to(got: Array) -> npt.NDArray[np.bool_]:
    """Where a float holds these bits after arithmetic, of either sign."""
    if got.dtype.kind != "f":
        return np.zeros(got.shape, dtype=np.bool_)
    size = got.dtype.itemsize
    words, sign = bits(got), bits(got).dtype.type(SIGN[size])
    return np.asarray(words | sign == SIGNALLING[size] | QUIET[size])
