"""A sequence in words, for a message."""

from __future__ import annotations

from grader.contract.step import Sequence, Step

MOST = 3  # calls that are told one by one
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
}
MASKS = {
    "one": "a mask with one coefficient that is not 0",
    "zero": "a mask of zeros",
    "missing": "a mask with one coefficient that is 0",
    "average": "a mask of sum 1",
    "faint": "a mask of tiny coefficients",
    "strong": "a mask of large coefficients",
    "scaled": "a mask with very large or very small coefficients",
}


def sequence(steps: Sequence, refused: str = "radius") -> str:
    """Such as "radius 2 on a 5x1 image, zero border, on the second call, after one with radius 3 on
    a 5x1 image". refused: the argument that a step with `refuse` gets a wrong value for."""
    several = len({step.part for step in steps}) > 1
    last = _step(steps[-1], several, refused)
    if len(steps) == 1:
        return last
    number = ORDINALS[len(steps) - 1] if len(steps) <= len(ORDINALS) else f"{len(steps)}th"
    if len(steps) == 2:
        return f"{last}, on the {number} call, after one with {_step(steps[0], several, refused)}"
    if len(steps) > MOST:
        return f"{last}, on the {number} call, after {len(steps) - 1} other calls"
    before = "; ".join(_step(step, several, refused) for step in steps[:-1])
    return f"{last}, on the {number} call, after: {before}"


def _step(step: Step, several: bool, refused: str) -> str:
    parts = [_size(step)]
    if step.mask not in ("none", "depthwise", "weights"):
        parts.insert(0, f"radius {step.radius}")
    text = (f"part {step.part}, " if several else "") + " on ".join(parts)
    more = []
    if step.mask in ("depthwise", "weights"):
        more.append("double" if step.type == "f8" else "float")
    if step.border:
        more.append(f"{step.border} border")
    if step.mask_content in MASKS and step.mask not in ("none", "weights", "depthwise"):
        more.append(MASKS[step.mask_content])
    if step.weights:
        more.append(f"weights {step.weights}")
    if step.threads:
        more.append(f"{step.threads} thread{'s' * (step.threads > 1)}")
    more += [f"{name.replace('_', ' ')} {value}" for name, value in step.settings]
    if step.refuse:
        more.append(f"{refused.lower()} = {step.refuse}, which lab.h does not allow")
    if step.inseparable:
        more.append("a mask that is not separable")
    if step.kept:
        more.append("without setting the mask again")
    if step.held:
        more.append("in the memory of the call before")
    if step.shared:
        more.append(f"on a device with {step.shared >> 10} KiB of shared memory for a block")
    if step.failing:
        more.append("with a call of the CUDA runtime that fails")
    return ", ".join([text, *more])


def _size(step: Step) -> str:
    content = CONTENTS.get(step.image_content, "")
    channels = f"{step.channels} x " if step.mask in ("depthwise", "weights") else ""
    size = f"a {channels}{step.width}x{step.height} image"
    if step.mask == "weights":
        size += f" with {step.masks} mask{'s' * (step.masks > 1)}"
    return f"{size} {content}".strip()
