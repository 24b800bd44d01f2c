"""Why is an output wrong, and where? For every operation; diagnose.py knows those of one plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from grader.diagnose import channel_mistakes, grayscale_mistakes, plane, tile_mistakes
from grader.diagnose.mistake import Diagnosis, Mistake, reproduces
from grader.diagnose.plane import LARGE
from grader.model.spec import Case
from grader.oracle import correlation
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS

Mask = npt.NDArray[np.bool_]

# The known mistakes of an operation, the likeliest first.
KNOWN: dict[str, Callable[[Case, Inputs, Comparison], Iterator[Mistake]]] = {
    "depthwise": channel_mistakes.depthwise,
    "layers": channel_mistakes.convolution,
    "grey": grayscale_mistakes.mistakes,
}
PLURALS = {"n": "masks", "c": "channels", "y": "rows", "x": "columns"}


@np.errstate(all="ignore")  # an output may hold anything
def explain(
    case: Case, operation: str, given: Inputs, seen: Comparison, on_host: bool = False
) -> Diagnosis | None:
    """The known mistake that reproduces the student's output, or None. `on_host`: no kernel has
    computed it, but a function that was given the output itself."""
    if operation in correlation.OPERATIONS:
        return plane.explain(case, operation, given, seen, on_host)
    if seen.unwritten.all():
        text = f"none of the output's {OPERATIONS[operation].things()} was written"
        if not seen.untouched.all():
            text += ", or each was computed from memory that nobody had written"
        return Diagnosis("nothing-written", text)
    if seen.unwritten.any():
        return _unwritten(operation, seen)
    if seen.got.dtype.kind == "f" and (found := plane.by_values(seen)):
        return found
    if seen.got.size > LARGE or operation not in KNOWN:
        return None
    for mistake in KNOWN[operation](case, given, seen):
        if reproduces(mistake.output(), seen):
            return Diagnosis(mistake.name, mistake.text)
    return plane.scaled(seen) if seen.got.dtype.kind == "f" else None


def location(operation: str, given: Inputs, seen: Comparison) -> str:
    """Where the wrong elements lie, in words."""
    if operation in correlation.OPERATIONS:
        return plane.location(seen, given.radius)
    return _place(operation, given.radius, seen.wrong)


def in_tile(operation: str, seen: Comparison) -> str:
    """Where the first wrong element lies in its tile, in words; "" when nothing repeats."""
    axes = OPERATIONS[operation].axes
    if seen.wrong.mean() > 0.9:
        return ""
    others = tuple(i for i, axis in enumerate(axes) if axis not in ("y", "x"))
    *_, y, x = seen.first()
    found = tile_mistakes.place(np.asarray(seen.wrong.any(axis=others)), y, x)
    return f", {found}" if found else ""


def _place(operation: str, radius: int, wrong: Mask) -> str:
    out = OPERATIONS[operation]
    if wrong.all():
        return f"every {out.things()[:-1]}"
    inner = tuple(
        slice(radius, size - radius) if axis in ("y", "x") else slice(None)
        for axis, size in zip(out.axes, wrong.shape, strict=True)
    )
    if radius and wrong[inner].size and not wrong[inner].any():
        near = "1 pixel" if radius == 1 else f"{radius} pixels"
        return f"all within {near} of the image's border, where the mask reaches outside"
    parts = [_along(axis, name, wrong) for axis, name in enumerate(out.axes)]
    known = [part for part in parts if part]
    if wrong.mean() > 0.9:
        return "nearly everywhere"
    if wrong.ndim == 2 and (repeating := tile_mistakes.pattern(np.asarray(wrong))):
        return repeating
    return f"in {', '.join(known)}" if known else "here and there"


def _along(axis: int, name: str, wrong: Mask) -> str:
    """Such as "rows 3..7"; "" when all along this axis have some."""
    others = tuple(i for i in range(wrong.ndim) if i != axis)
    hit = np.flatnonzero(wrong.any(axis=others))
    if len(hit) == wrong.shape[axis]:
        return ""
    if len(hit) == 1:
        return f"{PLURALS[name][:-1]} {hit[0]}"
    if len(hit) == hit[-1] - hit[0] + 1:
        return f"{PLURALS[name]} {hit[0]}..{hit[-1]}"
    shown = ", ".join(str(i) for i in hit[:6])
    return f"{PLURALS[name]} {shown}" + (", ..." if len(hit) > 6 else "")


def _unwritten(operation: str, seen: Comparison) -> Diagnosis:
    """Poison is left in the output: say which part the kernel never reached."""
    missing = seen.unwritten
    out = OPERATIONS[operation]
    text = f"{int(missing.sum())} of {missing.size} {out.things()} were never written"
    ends, tail = [], np.zeros_like(missing)
    for axis, name in enumerate(out.axes):
        others = tuple(i for i in range(missing.ndim) if i != axis)
        whole: Mask = np.asarray(missing.all(axis=others))
        if whole.any() and whole[np.argmax(whole) :].all():
            first = int(np.argmax(whole))
            if name in ("y", "x") and first % 4:
                continue  # no block ends there
            tail[(slice(None),) * axis + (slice(first, None),)] = True
            ends.append(f"{PLURALS[name]} {first}..{missing.shape[axis] - 1}")
    if ends and (tail == missing).all():
        return Diagnosis(
            "last-block-missing",
            f"{text}: {' and '.join(ends)}; the grid does not cover all of the output or a loop "
            "ends too soon (round divisions up: (n + block - 1) / block), or they come from memory "
            "that nobody had written",
        )
    return Diagnosis(
        "not-all-written",
        f"{text}, or were computed from memory that nobody had written: "
        f"{_place(operation, 0, missing)}",
    )
