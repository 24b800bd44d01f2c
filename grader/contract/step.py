"""One call of a sequence: a value that a seed draws, and that the shrinker makes smaller."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod

ERRORS = {
    2: "cudaErrorMemoryAllocation",
    214: "cudaErrorECCUncorrectable",
    719: "cudaErrorLaunchFailure",
    999: "cudaErrorUnknown",
}
FIRST_LAUNCH = 0  # whatever the number of the call is


@dataclass(frozen=True)
class Failing:
    """A call of the CUDA runtime that is made to fail: its number from 1, or FIRST_LAUNCH, and its
    error code."""

    call: int
    error: int

    def name(self) -> str:
        return ERRORS.get(self.error, f"error {self.error}")


@dataclass(frozen=True)
class Given:
    """An input of a call that is no image: its element type, its axes, its content
    (datasets/values.py)."""

    name: str
    type: str
    axes: tuple[str | int, ...]
    content: str

    def shape(self, sizes: dict[str, int]) -> tuple[int, ...]:
        return tuple(axis if isinstance(axis, int) else sizes[axis] for axis in self.axes)


@dataclass(frozen=True)
class Step:
    """A call, by its arguments. The arrays follow from it: arrays.py.

    mask: its shape; phases: the masks of a bank. image_content, mask_content, mask: of arrays.py.
    seed: of the random numbers of both. threads: of OpenMP; 0: as many as it chooses. refuse: the
    value of the setting `refuse`; 0: none. kept: the mask that an earlier call set is used again.
    own_mask: no other part sets it.
    held: the call gets the memory of the call before, where the sizes are the same. shared: the
    shared memory that the device allows a block; 0: an H200's. at_end, out_at_end: where inputs and
    outputs lie between their forbidden pages. shifted: those that lie at the start begin one
    element later, so that their address is a multiple of no more than an element's size. nudged:
    "pixel", "row", "byte" or "coefficient": one of them has another value; "order": the
    coefficients are in the opposite one. huge: the width and height that the function gets, of an
    image that no memory is large enough for; else None. counted: the calls of the CUDA runtime are
    reported. given: the inputs, where they are no images, and the sizes of their axes.
    """

    part: str
    width: int
    height: int
    radius: int = 0
    border: str = ""
    mask: str = "plane"
    image_content: str = "noise"
    mask_content: str = "signed"
    type: str = "f4"
    channels: int = 1
    masks: int = 1
    phases: int = 4
    seed: int = 0
    weights: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    threads: int = 0
    refuse: int = 0
    inseparable: bool = False
    kept: bool = False
    own_mask: bool = False
    held: bool = False
    shared: int = 0
    failing: Failing | None = None
    at_end: bool = True
    out_at_end: bool = True
    shifted: bool = False
    nudged: str = ""
    huge: tuple[int, int] | None = None
    counted: bool = False
    given: tuple[Given, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()

    def elements(self) -> int:
        """How many the image has, or the largest input."""
        sizes = dict(self.sizes)
        return max(
            (prod(each.shape(sizes)) for each in self.given), default=self.width * self.height
        )

    def driver_settings(self) -> dict[str, str]:
        """What the lab's driver gets."""
        given = dict(self.settings)
        if self.border:
            given["border"] = self.border
        if self.weights:
            given["weights"] = self.weights
        if self.threads:
            given["threads"] = str(self.threads)
        if self.refuse:
            given["refuse"] = str(self.refuse)
        if self.inseparable:
            given["separable"] = "no"
        if self.kept:
            given["mask"] = "kept"
        if self.huge:
            given["size"] = "{}x{}".format(*self.huge)
        return given

    def with_the_mask_of(self, before: Step) -> Step:
        """The step with the mask of the one before, which is not set again."""
        return replace(
            self,
            mask=before.mask,
            radius=before.radius,
            mask_content=before.mask_content,
            seed=before.seed,
            type=before.type,
            kept=True,
        )


Sequence = tuple[Step, ...]


def consistent(steps: Iterable[Step]) -> Sequence:
    """The steps, without what needs a step that is not there: only the step before can leave a mask
    or memory; a mask of one coefficient is separable. The products of scaled coefficients and
    pixels stay in float's range."""
    result: list[Step] = []
    for step in steps:
        if step.mask_content == "scaled" and step.image_content in ("wide", "huge", "tiny"):
            step = replace(step, image_content="signed")
        if step.inseparable and step.radius == 0:
            step = replace(step, radius=1)
        if step.held and not result:
            step = replace(step, held=False)
        if step.kept and not _mask_is_set(result, step):
            step = replace(step, kept=False)
        result.append(step)
    return tuple(result)


def _mask_is_set(before: list[Step], step: Step) -> bool:
    """Did the last call that set a mask in the same place set the one that `step` needs?"""
    for earlier in reversed(before):
        if earlier.part == step.part or not (step.own_mask or earlier.own_mask):
            same = ("mask", "radius", "mask_content", "seed", "type")
            usable = not (earlier.failing or earlier.refuse or earlier.inseparable)
            return usable and all(getattr(earlier, name) == getattr(step, name) for name in same)
    return False
