"""The input arrays of a check: made from the spec's case and a seed."""

import zlib
from collections.abc import Callable

import msgspec
import numpy as np

from datasets import generate, layers, masks, values
from grader.model import spec
from grader.model.lab import GivenArray, Input, Lab
from grader.oracle import operations
from grader.oracle.operations import Array, Arrays


class Inputs:
    """The arrays of a case, by the names that the lab's driver asks for: the first one is `image`.

    image of a filter: height x width, channels x height x width or height x width x channels; mask,
    if it has one: (2r+1) x (2r+1), a bank of n of them, two lines of 2r+1, or n x channels x (2r+1)
    x (2r+1).

    bands: of arrays whose elements are those of a band again and again, and which are made where
    they are used: here they have only their shape.
    """

    def __init__(
        self, image: Array | None = None, mask: Array | None = None, **others: Array
    ) -> None:
        filters = {"image": image, "mask": mask}
        self.arrays: Arrays = {**{n: a for n, a in filters.items() if a is not None}, **others}
        self.bands: dict[str, Array] = {}

    def with_band(self, band: Array, shape: tuple[int, ...]) -> "Inputs":
        """The same with an image of that shape, which is the band again and again."""
        nothing = np.broadcast_to(np.zeros((), band.dtype), shape)
        first = next(iter(self.arrays))
        given = Inputs(**{**self.arrays, first: nothing})
        given.bands[first] = band
        return given

    @property
    def image(self) -> Array:
        return next(iter(self.arrays.values()))

    @property
    def mask(self) -> Array:
        return self.arrays["mask"]

    @property
    def radius(self) -> int:
        """How many pixels the mask reaches from its centre; 0 without a mask."""
        is_filter = "image" in self.arrays and "mask" in self.arrays
        return max(self.mask.shape[-2:]) // 2 if is_filter else 0


def _planes(case: Input, seed: int) -> Array:
    return layers.image(case.image, case.size, case.channels, case.type, seed)


# The arrays of images that an operation may ask for, by GivenArray.make.
MAKERS: dict[str, Callable[[Input, int], Array]] = {
    "plane": lambda case, seed: generate.image(case.image, case.size, seed),
    "mask": lambda case, seed: masks.mask(case.mask, seed),
    "planes": _planes,
    "colours": lambda case, seed: np.moveaxis(
        layers.image(case.image, case.size, 3, "u1", seed), 0, 2
    ),
    "weights": lambda case, seed: layers.weights(case.mask, case.channels, case.type, seed),
}


def _made(case: Input, name: str, given: GivenArray, seed: int) -> Array:
    """An input of a case. Raises ValueError where the case does not say what it needs."""
    if given.make in MAKERS:
        return MAKERS[given.make](case, seed)
    missing = [a for a in given.shape if isinstance(a, str) and a not in case.sizes]
    if missing:
        raise ValueError(f"`sizes` has no {missing[0]}, which is an axis of `{name}`")
    shape = tuple(a if isinstance(a, int) else case.sizes[a] for a in given.shape)
    content = case.contents.get(name, given.make)
    own = zlib.crc32(name.encode())  # two inputs of one shape differ
    return values.values(content, given.type or case.type, shape, seed ^ own)


def require(lab: Lab) -> None:
    """Raises SpecError where a part names an operation that there is not, or a check a mask or an
    image. All are made, but of one pixel and without the photographs."""
    for part in lab.part:
        operations.of(lab, part.id)
    checks = [*lab.case, *lab.safe, *lab.technique, *lab.speed]
    for check in {
        (c.part, c.image, c.mask, *c.contents.items()): c for c in reversed(checks)
    }.values():
        sizes = dict.fromkeys(check.sizes, 1)
        small = msgspec.structs.replace(check, size=check.size and (1, 1), channels=1, sizes=sizes)
        if check.image in generate.PHOTOS:
            small = msgspec.structs.replace(small, image="noise", size=(1, 1))
        inputs(lab, small, 0)


def inputs(lab: Lab, case: Input, seed: int) -> Inputs:
    """The arrays of a case with the random numbers of `seed`, the same on every machine.

    Raises generate.DatasetMissing when a photograph has not been fetched, SpecError where the case
    has a name that there is not.
    """
    made = operations.of(lab, case.part).spec.inputs
    try:
        arrays = {name: _made(case, name, given, seed) for name, given in made.items()}
    except ValueError as problem:
        raise spec.mistake_in(lab, case, str(problem)) from problem
    return Inputs(**{name: np.ascontiguousarray(array) for name, array in arrays.items()})


def for_timing(lab: Lab, speed: Input, seed: int) -> Inputs:
    """The arrays of a case whose every call gets an image of its own, made where it is timed: here
    the image has only its type and shape, since to make it takes seconds. Raises as inputs()
    does."""
    if speed.sizes:
        return _sized(lab, speed, seed)
    if speed.size is None:
        return inputs(lab, speed, seed)
    width, height = speed.size
    small = inputs(lab, msgspec.structs.replace(speed, size=(1, 1)), seed)
    axis = operations.of(lab, speed.part).rows_axis()
    shape = [*small.image.shape]
    shape[axis : axis + 2] = height, width
    nothing = np.broadcast_to(np.zeros((), small.image.dtype), shape)
    return Inputs(**{**small.arrays, "image": nothing})


def _sized(lab: Lab, speed: Input, seed: int) -> Inputs:
    """for_timing() of an operation with named axes."""
    given = operations.of(lab, speed.part).spec.inputs
    first, *others = given
    try:
        made = {name: _made(speed, name, given[name], seed) for name in others}
    except ValueError as problem:
        raise spec.mistake_in(lab, speed, str(problem)) from problem
    shape = tuple(a if isinstance(a, int) else speed.sizes[a] for a in given[first].shape)
    nothing = np.broadcast_to(np.zeros((), given[first].type or speed.type), shape)
    return Inputs(**{first: nothing, **made})
