"""A separable filter with one of its two passes missing, or with a border of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from grader.oracle.correlation import F32, F64, Expected, correlate64, gamma

FEW = 16  # pixels; with a factor of its own, anything explains fewer, or a single line of them


def mistakes(
    image: F32, mask: F32, border: str, got: F32
) -> Iterator[tuple[str, str, Callable[[], Expected]]]:
    """Name, text and output of each. Where the factor between the student's column and row lies is
    not known; least squares finds it in `got`."""
    if image.size < FEW or min(image.shape) == 1:
        return
    b, a = np.unravel_index(int(np.abs(mask).argmax()), mask.shape)
    row, column = mask[b : b + 1, :].astype(np.float64), mask[:, a : a + 1].astype(np.float64)

    def scaled(value: F64) -> Expected:
        size = float((value * value).sum())
        value = value * (float((got * value).sum()) / size if size else 0.0)
        bound = np.full(image.shape, gamma(2 * mask.size) * np.abs(value).max())
        return Expected(value, bound)

    both = min(np.count_nonzero(row), np.count_nonzero(column)) > 1
    for what, line in (("row", row), ("column", column)) if both else ():
        yield (
            "one-pass",
            f"this is what the {what} pass alone gives: its result must go through the other pass",
            lambda line=line: scaled(correlate64(image, line, border)),  # type: ignore[misc]
        )
    other = "replicate" if border == "zero" else "zero"
    for what, first, second in (("column", border, other), ("row", other, border)):
        yield (
            "wrong-border",
            f"this is what a {other} border in the {what} pass gives; this case asks for {border}, "
            "in both",
            lambda first=first, second=second: scaled(  # type: ignore[misc]
                correlate64(correlate64(image, row, first), column, second)
            ),
        )
