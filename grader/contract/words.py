"""Tells a sequence in words, for a message."""

from collections.abc import Collection
from typing import Literal

from grader.contract.step import Sequence, Step

MOST = 3  # calls that are listed one by one
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
CONTENTS = {
    "signed": "with negative values",
    "sparse": "of zeros with a few large values",
    "flat": "of one value",
    "wide": "with values of very different sizes",
    "huge": "with huge values",
    "tiny": "with tiny values",
    "lowest": "with values near the smallest normal float",
    "extreme": "of bytes that are 0 or 255",
    "close": "of bytes that are nearly equal",
    "dark": "of bytes that are 0 or 1",
    "zero": "of zeros",
    "ramp": "of rising values",
}
MASKS = {
    "one": "a mask with one coefficient that is not 0",
    "zero": "a mask of zeros",
    "missing": "a mask with one coefficient that is 0",
    "average": "a mask of sum 1",
    "symmetric": "a symmetric mask",
    "uneven": "a symmetric mask with one coefficient changed",
    "faint": "a mask of tiny coefficients",
    "faintest": "a mask of the tiniest coefficients",
    "strong": "a mask of large coefficients",
    "scaled": "a mask with very large or very small coefficients",
    "nearly": "a mask with one coefficient off by almost 12 u",
    "barely": "a mask with one coefficient off by just more than 20 u",
    "apart": "a mask of zeros between two rows or columns",
}

# What a step has beside its sizes, its radius and its type.
Property = Literal[
    "failing", "refuse", "inseparable", "kept", "held", "shared", "threads", "settings", "border",
    "image", "mask", "weights",
]  # fmt: skip

WEIGHTS = {"709": "of BT.709", "601": "of BT.601"}


def tell_smallest(
    steps: Sequence, refused: str, needed: Collection[tuple[int, Property]] | None
) -> str:
    """The line of a contract that is broken; the arguments are those of tell_sequence()."""
    return f"smallest case that fails: {tell_sequence(steps, refused, needed)}"


def tell_sequence(
    steps: Sequence,
    refused: str = "radius",
    needed: Collection[tuple[int, Property]] | None = None,
) -> str:
    """Such as "radius 2 on a 5x1 image, zero border, on the second call, after one with radius 3 on
    a 5x1 image". refused: the argument that a step with `refuse` gets a wrong value for. needed:
    the properties to name, with the index of their step; None: all of them."""
    several = len({step.part for step in steps}) > 1
    described = [
        _step(step, several, refused, None if needed is None else _of(index, needed))
        for index, step in enumerate(steps)
    ]
    last = described[-1]
    if len(steps) == 1:
        return last
    number = ORDINALS[len(steps) - 1] if len(steps) <= len(ORDINALS) else _ordinal(len(steps))
    if len(steps) == 2:
        return f"{last}, on the {number} call, after one with {described[0]}"
    if len(steps) > MOST:
        return f"{last}, on the {number} call, after {len(steps) - 1} other calls"
    return f"{last}, on the {number} call, after: {'; '.join(described[:-1])}"


def _of(index: int, needed: Collection[tuple[int, Property]]) -> set[Property]:
    """The properties of one step."""
    return {name for position, name in needed if position == index}


def _step(step: Step, several: bool, refused: str, needed: set[Property] | None) -> str:
    def names(name: Property) -> bool:
        return needed is None or name in needed

    parts = [_given(step, names("image")) if step.given else _size(step, names("image"))]
    if step.mask not in ("none", "depthwise", "weights"):
        parts.insert(0, f"radius {step.radius}")
    if step.huge:
        width, height = step.huge
        parts[-1] = (
            f"{article(width)} {width}x{height} image, with more pixels than an int can count"
        )
    text = (f"part {step.part}, " if several else "") + " on ".join(parts)
    more = []
    if step.mask in ("depthwise", "weights"):
        more.append("double" if step.type == "f8" else "float")
    if step.border and names("border"):
        more.append(f"{step.border} border")
    if (
        names("mask")
        and step.mask_content in MASKS
        and step.mask not in ("none", "weights", "depthwise")
    ):
        more.append(MASKS[step.mask_content])
    if step.weights and names("weights"):
        more.append(f"weights {WEIGHTS.get(step.weights, step.weights)}")
    if step.threads and names("threads"):
        more.append(f"{step.threads} thread{'s' * (step.threads > 1)}")
    if names("settings"):
        more += [f"{name.replace('_', ' ')} {value}" for name, value in step.settings]
    if step.refuse and names("refuse"):
        more.append(f"{refused.lower()} = {step.refuse}, which lab.h does not allow")
    if step.inseparable and names("inseparable"):
        more.append("a mask that is not separable")
    if step.kept and names("kept"):
        more.append("without setting the mask again")
    if step.nudged == "order":
        more.append("with the coefficients of the previous call in reverse order")
    elif step.nudged:
        more.append(f"with one {step.nudged} changed since the previous call")
    if step.held and names("held"):
        more.append("in the memory of the previous call")
    if step.shifted:
        more.append("arrays at addresses that are not multiples of 16")
    if step.shared and names("shared"):
        more.append(f"on a device with {step.shared >> 10} KB of shared memory for a block")
    if step.failing and not step.huge and names("failing"):
        more.append("with a CUDA runtime call that fails")
    return ", ".join([text, *more])


def _given(step: Step, with_content: bool) -> str:
    """Such as "n = 33, x of zeros with a few large values"."""
    sizes = ", ".join(f"{axis} = {size}" for axis, size in step.sizes)
    told = [
        f"{each.name} {CONTENTS[each.content]}"
        for each in step.given
        if with_content and each.content in CONTENTS
    ]
    return ", ".join([sizes, *told])


def _size(step: Step, with_content: bool) -> str:
    content = CONTENTS.get(step.image_content, "") if with_content else ""
    channels = f"{step.channels} x " if step.mask in ("depthwise", "weights") else ""
    size = f"{channels}{step.width}x{step.height} image"
    size = f"{article(step.channels if channels else step.width)} {size}"
    if step.mask == "weights":
        size += f" with {step.masks} mask{'s' * (step.masks > 1)}"
    return f"{size} {content}".strip()


def article(number: int) -> str:
    """The indefinite article of a number as it is spoken: an 8, an 11, an 18, an 80; a 110."""
    text = str(number)
    eleven = len(text) % 3 == 2 and text[:2] in ("11", "18")
    return "an" if text[0] == "8" or eleven else "a"


def _ordinal(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"} if number % 100 not in (11, 12, 13) else {}
    return f"{number}{ends.get(number % 10, 'th')}"
