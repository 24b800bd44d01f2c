"""What the parts of the labs compute: their input arrays, their output array, the right result.

A part of a lab.toml names its operation. inputs.py makes the arrays that the operation asks for,
execute/case.py reads an output of its shape and type, and compare.py compares that with `expected`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle import correlation, grayscale, multichannel
from grader.oracle.correlation import F32, Expected

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
Settings = Mapping[str, str]  # what the driver gets with --set


@dataclass(frozen=True)
class Operation:
    """One computation that a part may ask for."""

    inputs: Mapping[str, str]  # the driver's name of each array, and its key in inputs.MAKERS
    axes: tuple[str, ...]  # of the output, slowest first: "y", "x", "n" (mask), "c" (channel)
    shape: Callable[[Arrays], tuple[int, ...]]  # of the output, from the input arrays
    expected: Callable[[Arrays, Settings], Expected]
    taps: Callable[[Arrays], int]  # floating-point multiply-adds for one element of the output
    kind: str | None = None  # element type of the output: f4, f8 or u1; None: that of the image

    def output(self, arrays: Arrays) -> tuple[str, tuple[int, ...]]:
        """Element type and shape of the output."""
        image = arrays["image"].dtype
        return self.kind or f"{image.kind}{image.itemsize}", self.shape(arrays)

    def rows_axis(self) -> int:
        """The axis of the image that counts rows: channels come before it, colours after it."""
        return len(self.axes) - 2

    def things(self) -> str:
        """What a message calls the output's elements."""
        return "pixels" if self.axes == ("y", "x") else "values"

    def subscript(self, index: tuple[int, ...]) -> str:
        """An index as a message shows it, such as "[y=3][x=4]"."""
        return "".join(f"[{axis}={i}]" for axis, i in zip(self.axes, index, strict=True))


# Multiply-adds for one pixel, from the mask; a separable filter takes one row and one column of it.
TAPS: dict[str, Callable[[Array], int]] = {
    "correlate": lambda mask: mask.size,
    "polyphase": lambda bank: bank[0].size,
    "separable": lambda mask: sum(mask.shape),
    "lines": lambda lines: lines.size,
}


def plane(
    correlate: Callable[[F32, F32, str], Expected], taps: Callable[[Array], int]
) -> Operation:
    """A filter of one float32 plane by a mask, or several masks: labs 1 to 6."""
    return Operation(
        inputs={"image": "plane", "mask": "mask"},
        axes=("y", "x"),
        shape=lambda arrays: arrays["image"].shape,
        expected=lambda arrays, settings: correlate(
            arrays["image"], arrays["mask"], settings["border"]
        ),
        taps=lambda arrays: taps(arrays["mask"]),
        kind="f4",
    )


OPERATIONS: dict[str, Operation] = {
    **{name: plane(correlate, TAPS[name]) for name, correlate in correlation.OPERATIONS.items()},
    "depthwise": Operation(
        inputs={"image": "planes", "mask": "weights"},
        axes=("c", "y", "x"),
        shape=lambda arrays: arrays["image"].shape,
        expected=lambda arrays, _: multichannel.depthwise(arrays["image"], arrays["mask"]),
        taps=lambda arrays: arrays["mask"].size,
    ),
    "layers": Operation(
        inputs={"image": "planes", "mask": "weights"},
        axes=("n", "y", "x"),
        shape=lambda arrays: (len(arrays["mask"]), *arrays["image"].shape[1:]),
        expected=lambda arrays, _: multichannel.convolution(arrays["image"], arrays["mask"]),
        taps=lambda arrays: arrays["mask"][0].size,
    ),
    "grey": Operation(
        inputs={"image": "colours"},
        axes=("y", "x"),
        shape=lambda arrays: arrays["image"].shape[:2],
        expected=lambda arrays, settings: _bytes(
            grayscale.grey(arrays["image"], grayscale.weights_of(settings["weights"]))
        ),
        taps=lambda _: 0,  # integers of 16 bits or less; their peak rate is not measured
        kind="u1",
    ),
}


def _bytes(value: npt.NDArray[np.int64]) -> Expected:
    return Expected(value.astype(np.float64), np.broadcast_to(0.0, value.shape))


def expected(operation: str, exact: str | None, arrays: Arrays, settings: Settings) -> Expected:
    """The right result of a case. `exact` is the spec's: None, or "float32 row-major"."""
    if exact is None:
        return OPERATIONS[operation].expected(arrays, settings)
    return correlation.float32_row_major(arrays["image"], arrays["mask"], settings["border"])
