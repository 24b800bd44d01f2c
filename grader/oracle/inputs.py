"""The input arrays of a check: made from the spec's case and a seed."""

from collections.abc import Callable

import msgspec
import numpy as np

from datasets import generate, layers, masks
from grader import paths
from grader.model import spec
from grader.model.lab import Input, Lab
from grader.oracle.operations import OPERATIONS, Array, Arrays


class Inputs:
    """The arrays of a case, by the names that the lab's driver asks for.

    image: height x width, channels x height x width or height x width x channels; mask, if the
    operation has one: (2r+1) x (2r+1), a bank of n of them, two lines of 2r+1, or n x channels x
    (2r+1) x (2r+1).

    bands: of arrays whose elements are those of a band again and again, and which are made where
    they are used: here they have only their shape.
    """

    def __init__(self, image: Array, mask: Array | None = None, **others: Array) -> None:
        self.arrays: Arrays = {
            "image": image,
            **({} if mask is None else {"mask": mask}),
            **others,
        }
        self.bands: dict[str, Array] = {}

    def with_band(self, band: Array, shape: tuple[int, ...]) -> "Inputs":
        """The same with an image of that shape, which is the band again and again."""
        nothing = np.broadcast_to(np.zeros((), band.dtype), shape)
        given = Inputs(**{**self.arrays, "image": nothing})
        given.bands["image"] = band
        return given

    @property
    def image(self) -> Array:
        return self.arrays["image"]

    @property
    def mask(self) -> Array:
        return self.arrays["mask"]

    @property
    def radius(self) -> int:
        """How many pixels the mask reaches from its centre; 0 without a mask."""
        return max(self.mask.shape[-2:]) // 2 if "mask" in self.arrays else 0


def _planes(case: Input, seed: int) -> Array:
    return layers.image(case.image, case.size, case.channels, case.type, seed)


# The arrays that an operation may ask for, by their names in Operation.inputs.
MAKERS: dict[str, Callable[[Input, int], Array]] = {
    "plane": lambda case, seed: generate.image(case.image, case.size, seed),
    "mask": lambda case, seed: masks.mask(case.mask, seed),
    "planes": _planes,
    "colours": lambda case, seed: np.moveaxis(
        layers.image(case.image, case.size, 3, "u1", seed), 0, 2
    ),
    "weights": lambda case, seed: layers.weights(case.mask, case.channels, case.type, seed),
}


def require(lab: Lab) -> None:
    """Raises SpecError where a part names an operation that there is not, or a check a mask or an
    image. All are made, but of one pixel and without the photographs."""
    unknown = [part.operation for part in lab.part if part.operation not in OPERATIONS]
    if unknown:
        known = ", ".join(OPERATIONS)
        said = [f"there is no operation '{name}'; the operations are {known}" for name in unknown]
        raise spec.placed_mistake(paths.LABS / lab.folder / "lab.toml", said)
    checks = [*lab.case, *lab.safe, *lab.technique, *lab.speed]
    for check in {(c.part, c.image, c.mask): c for c in reversed(checks)}.values():
        small = msgspec.structs.replace(check, size=check.size and (1, 1), channels=1)
        if check.image in generate.PHOTOS:
            small = msgspec.structs.replace(small, image="noise", size=(1, 1))
        inputs(lab, small, 0)


def inputs(lab: Lab, case: Input, seed: int) -> Inputs:
    """The arrays of a case with the random numbers of `seed`, the same on every machine.

    Raises generate.DatasetMissing when a photograph has not been fetched, SpecError where the case
    has a name that there is not.
    """
    makers = OPERATIONS[lab.part_of(case).operation].inputs
    try:
        arrays = {name: MAKERS[maker](case, seed) for name, maker in makers.items()}
    except ValueError as problem:
        raise spec.mistake_in(lab, case, str(problem)) from problem
    return Inputs(**{name: np.ascontiguousarray(array) for name, array in arrays.items()})


def for_timing(lab: Lab, speed: Input, seed: int) -> Inputs:
    """The arrays of a case whose every call gets an image of its own, made where it is timed: here
    the image has only its type and shape, since to make it takes seconds. Raises as inputs()
    does."""
    if speed.size is None:
        return inputs(lab, speed, seed)
    width, height = speed.size
    small = inputs(lab, msgspec.structs.replace(speed, size=(1, 1)), seed)
    axis = OPERATIONS[lab.part_of(speed).operation].rows_axis()
    shape = [*small.image.shape]
    shape[axis : axis + 2] = height, width
    nothing = np.broadcast_to(np.zeros((), small.image.dtype), shape)
    return Inputs(**{**small.arrays, "image": nothing})
