"""What the parts of the labs compute: the arrays that go in, the one that comes out, what is right.

A part of a lab.toml names its operation. cases.py makes the inputs that it declares, run.py reads
an output of its shape and type, and judge.py compares that with `expected`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle import correlation, grayscale, multichannel
from grader.oracle.correlation import F32, Expected

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
Settings = Mapping[str, str]  # what the driver is told with --set


@dataclass(frozen=True)
class Operation:
    """One thing that a part may compute."""

    inputs: Mapping[str, str]  # the driver's name of each, and what cases.py makes for it
    axes: tuple[str, ...]  # of the output, slowest first: "y", "x", "n" (mask), "c" (channel)
    shape: Callable[[Arrays], tuple[int, ...]]  # of the output
    expected: Callable[[Arrays, Settings], Expected]
    taps: Callable[[Arrays], int]  # multiply-adds of floats for each element of the output
    kind: str | None = None  # element type of the output: f4, f8 or u1; None: that of the image

    def output(self, given: Arrays) -> tuple[str, tuple[int, ...]]:
        """Element type and shape of the output."""
        image = given["image"].dtype
        return self.kind or f"{image.kind}{image.itemsize}", self.shape(given)

    def rows_axis(self) -> int:
        """Which axis of the image goes from row to row; planes come before it, colours after."""
        return len(self.axes) - 2

    def things(self) -> str:
        """What its elements are called."""
        return "pixels" if self.axes == ("y", "x") else "values"

    def subscript(self, index: tuple[int, ...]) -> str:
        """Such as "[y=3][x=4]"."""
        return "".join(f"[{axis}={i}]" for axis, i in zip(self.axes, index, strict=True))


# Of the planes' operations; a separable one takes a row and a column of the mask.
TAPS: dict[str, Callable[[Array], int]] = {
    "correlate": lambda mask: mask.size,
    "polyphase": lambda bank: bank[0].size,
    "separable": lambda mask: sum(mask.shape),
    "lines": lambda lines: lines.size,
}


def plane(right: Callable[[F32, F32, str], Expected], taps: Callable[[Array], int]) -> Operation:
    """A filter of a float32 image by a mask, or masks: labs 1 to 6."""
    return Operation(
        inputs={"image": "plane", "mask": "mask"},
        axes=("y", "x"),
        shape=lambda given: given["image"].shape,
        expected=lambda given, settings: right(given["image"], given["mask"], settings["border"]),
        taps=lambda given: taps(given["mask"]),
        kind="f4",
    )


OPERATIONS: dict[str, Operation] = {
    **{name: plane(right, TAPS[name]) for name, right in correlation.OPERATIONS.items()},
    "depthwise": Operation(
        inputs={"image": "planes", "mask": "weights"},
        axes=("c", "y", "x"),
        shape=lambda given: given["image"].shape,
        expected=lambda given, _: multichannel.depthwise(given["image"], given["mask"]),
        taps=lambda given: given["mask"].size,
    ),
    "layers": Operation(
        inputs={"image": "planes", "mask": "weights"},
        axes=("n", "y", "x"),
        shape=lambda given: (len(given["mask"]), *given["image"].shape[1:]),
        expected=lambda given, _: multichannel.convolution(given["image"], given["mask"]),
        taps=lambda given: given["mask"][0].size,
    ),
    "grey": Operation(
        inputs={"image": "colours"},
        axes=("y", "x"),
        shape=lambda given: given["image"].shape[:2],
        expected=lambda given, settings: _bytes(
            grayscale.grey(given["image"], grayscale.WEIGHTS[settings["weights"]])
        ),
        taps=lambda _: 0,  # integers of 16 bits and less: how fast those can be is not measured
        kind="u1",
    ),
}


def _bytes(value: npt.NDArray[np.int64]) -> Expected:
    return Expected(value.astype(np.float64), np.zeros(value.shape))


def expected(operation: str, exact: str | None, given: Arrays, settings: Settings) -> Expected:
    """What a case must give. `exact` is the spec's: None, or "float32 row-major"."""
    if exact is None:
        return OPERATIONS[operation].expected(given, settings)
    return correlation.float32_row_major(given["image"], given["mask"], settings["border"])


def bytes_near(value: npt.NDArray[np.float64], error: float | npt.NDArray[np.float64]) -> Expected:
    """The bytes that a value may be rounded to when it was computed to within `error`: one, or two
    neighbours where k + 1/2 is that near. The bound then is 1/2 around k + 1/2, and else 0."""
    low = np.clip(np.floor(value - error + 0.5), 0, 255)
    high = np.clip(np.floor(value + error + 0.5), 0, 255)
    return Expected((low + high) / 2, (high - low) / 2)
