"""A filter of labs 1 to 7 whose output can be computed again from other inputs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.oracle import borders, correlation, multichannel
from grader.oracle.expected import Expected
from grader.oracle.inputs import Inputs

Array = npt.NDArray[Any]
Output = Callable[[], Expected]
Compute = Callable[[Array, Array, str], Expected]  # from image, mask and border

COMPUTE: dict[str, Compute] = {
    **correlation.OPERATIONS,
    "depthwise": multichannel.depthwise,
    "layers": multichannel.convolution,
}


@dataclass(frozen=True)
class Filter:
    """An operation with its inputs.

    image    height x width, or channels x height x width
    mask     rows x columns; n x k x k, of which column x takes mask x mod n ("polyphase"); or
             n x channels x k x k ("layers")
    border   a key of BORDERS

    A mistake changes the last two axes of an input, whatever axes come before them. So one list of
    mistakes serves one plane with one mask as well as many channels with many masks.
    """

    operation: str
    image: Array
    mask: Array
    border: str

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the image."""
        return self.image.shape[-2], self.image.shape[-1]

    @property
    def output_shape(self) -> tuple[int, ...]:
        planes = (len(self.mask),) if self.operation == "layers" else self.image.shape[:-2]
        return (*planes, *self.shape)

    @property
    def reach(self) -> tuple[int, int]:
        """How many rows and columns the mask reaches from its centre."""
        return self.mask.shape[-2] // 2, self.mask.shape[-1] // 2

    @property
    def radius(self) -> int:
        return max(self.reach)

    @property
    def phases(self) -> int:
        """After how many columns the same mask is used again."""
        return len(self.mask) if self.operation == "polyphase" else 1

    @property
    def masks(self) -> str:
        """What a message calls the mask, or the masks."""
        return "the mask" if self.mask.ndim == 2 else "each mask"

    def output(
        self, image: Array | None = None, mask: Array | None = None, border: str | None = None
    ) -> Output:
        """Computes the result with one of the inputs replaced."""
        image = self.image if image is None else image
        mask = self.mask if mask is None else mask
        return lambda: COMPUTE[self.operation](image, mask, border or self.border)

    def taps(self) -> Iterator[tuple[int, int, Expected]]:
        """Each tap that adds something: its offsets b and a from the centre, and what it adds.

        That is the result of a mask of one coefficient on the image shifted by (a, b); the bound is
        that of these products alone.
        """
        rows, columns = self.reach
        height, width = self.shape
        compute = COMPUTE["correlate" if self.operation == "separable" else self.operation]
        padded = borders.pad(self.image, rows, columns, self.border)
        for row, column in np.ndindex(self.mask.shape[-2:]):
            shifted = padded[..., row : row + height, column : column + width]
            coefficient = self.mask[..., row : row + 1, column : column + 1]
            if coefficient.any() and shifted.any():
                yield row - rows, column - columns, compute(shifted, coefficient, self.border)

    @property
    def frame(self) -> tuple[int, int]:
        """Rows above and below, and columns left and right, that surround an image so that no
        window reaches outside; as many columns as keep the phase of each."""
        rows, columns = self.reach
        return rows, -(-columns // self.phases) * self.phases

    def inside(self, framed: Array) -> Expected:
        """The result for an image that is larger by a frame on every side, without that frame."""
        rows, columns = self.frame
        height, width = self.shape
        whole = self.output(framed)()
        middle = (..., slice(rows, rows + height), slice(columns, columns + width))
        return Expected(whole.value[middle], whole.bound[middle])

    def multiply_adds(self, image: Array) -> int:
        """How many one computation takes with an image of that size."""
        channels = self.mask.shape[1] if self.operation == "layers" else 1
        return image.size * self.mask.size // channels


def of(operation: str, inputs: Inputs, border: str) -> Filter:
    """The filter of a case. A column and a row of taps ("lines") become the mask that they make:
    the mistakes are the same."""
    mask = inputs.mask
    if operation == "lines":
        operation, mask = "separable", correlation.outer(mask).astype(np.float32)
    return Filter(operation, inputs.image, mask, border or "zero")


def kept(mask: Array, rows: slice, columns: slice) -> Array:
    """The mask, or the masks, with 0 for all but these rows and columns."""
    part = np.zeros_like(mask)
    part[..., rows, columns] = mask[..., rows, columns]
    return part


def continued(f: Filter, mask: Array, more: int) -> Expected:
    """The result with that mask, continued by `more` rows and columns below and on the right."""
    rows, columns = mask.shape[-2] // 2, mask.shape[-1] // 2
    wide = borders.pad(f.image, rows + more, columns + more, f.border)[..., more:, more:]
    whole = f.output(wide, mask)()
    inside = (..., slice(rows, -rows or None), slice(columns, -columns or None))
    return Expected(whole.value[inside], whole.bound[inside])
