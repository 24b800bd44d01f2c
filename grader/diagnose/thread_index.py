"""Was an output left out because x and y are made from the wrong index of the thread?"""

import numpy as np
import numpy.typing as npt

from grader.diagnose.mistake import Diagnosis

Mask = npt.NDArray[np.bool_]
NAME = "threadidx-exchanged"


def explain(missing: Mask, count: str, block: tuple[int, int] | None) -> Diagnosis | None:
    """`missing`: which pixels were never written, `count` in words. `block`: its width and height;
    None where they are not known."""
    if not block:
        return None
    return _exchanged(missing, count, *block) or (
        _the_other(~missing, count, block[0], ("x", "y", "column", "row"))
        or _the_other(~missing.T, count, block[1], ("y", "x", "row", "column"))
    )


def _exchanged(missing: Mask, count: str, wide: int, high: int) -> Diagnosis | None:
    """Are as many columns, or rows, of each block written as it has in the other direction?"""
    name, every, written = ("columns", wide, high) if wide > high else ("rows", high, wide)
    y, x = np.indices(missing.shape)
    left_out = (x if wide > high else y) % every >= written
    if not left_out.any() or (missing != left_out).any():
        return None
    return Diagnosis(
        NAME,
        f"{count} were never written: of every {every} {name} only the first {written} are, and "
        f"your blocks are {wide} threads wide and {high} high: x and y are exchanged; x takes "
        "threadIdx.x and blockIdx.x, and y takes threadIdx.y and blockIdx.y",
    )


def _the_other(
    written: Mask, count: str, size: int, names: tuple[str, str, str, str]
) -> Diagnosis | None:
    """Is one column of a block written in each row, and another one in other rows? Then all threads
    of a row of the block have the same x. One that is the same everywhere is another mistake: one
    thread of each row works."""
    x, y, column, row = names
    whole = written.shape[1] // size * size
    parts = written[:, :whole].reshape(len(written), -1, size)
    if size == 1 or not parts.size or (parts.sum(axis=2) != 1).any():
        return None
    if not np.ptp(parts.argmax(axis=2)):
        return None
    return Diagnosis(
        NAME,
        f"{count} were never written: in each {row} only one of every {size} {column}s is, as "
        f"where {x} is made from threadIdx.{y}: {x} takes threadIdx.{x}, and {y} takes "
        f"threadIdx.{y}",
    )
