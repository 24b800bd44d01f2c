"""Masks with a single 1, and masks of ones: what the result then is, is known without a sum."""

import numpy as np

from grader.ask.draft import CannotTell
from grader.ask.program import AskedPart
from grader.model.lab import Case
from grader.oracle.inputs import Inputs

FILTERS = ("correlate", "separable", "polyphase", "lines", "depthwise", "layers")


def reach(program: AskedPart) -> tuple[int, int]:
    """How far the mask reaches to the right and down. Raises CannotTell where there is none."""
    operation = program.operation.name
    if operation not in FILTERS:
        raise CannotTell("no mask")
    shape = program.inputs(program.wide).mask.shape
    return shape[-1] // 2, shape[-1 if operation == "lines" else -2] // 2


def window(program: AskedPart) -> tuple[int, int, int, int]:
    """The reach of the mask, and the size of the image, which is larger than two masks. Raises
    CannotTell where it is not, and where the mask has one coefficient."""
    across, down = reach(program)
    width, height = program.widest
    if not (across or down) or width < 4 * across + 3 or height < 4 * down + 3:
        raise CannotTell("the mask has one coefficient, or the image is too small")
    return across, down, width, height


def impulse(program: AskedPart, case: Case, a: int, b: int) -> Inputs:
    """The inputs of a case with a mask that is 1 at (a, b) and 0 elsewhere; of a bank of masks over
    all channels, for the first channel alone."""
    given = program.inputs(case)
    across, down = reach(program)
    mask = np.zeros_like(given.mask)
    operation = program.operation.name
    if operation == "lines":
        mask[0, b + down] = mask[1, a + across] = 1
    elif operation == "layers":
        mask[:, 0, b + down, a + across] = 1
    else:
        mask[..., b + down, a + across] = 1
    return Inputs(**{**given.arrays, "mask": mask})


def said(program: AskedPart, a: int, b: int) -> str:
    """The mask of impulse(), as a sentence of a question."""
    operation = program.operation.name
    what, rest = {
        "lines": ("The outer product of the 2 lines", "and 0 elsewhere"),
        "layers": ("Of each mask, the coefficient of channel 0", "and all others are 0"),
        "polyphase": ("Of each mask, the coefficient", "and all others are 0"),
    }.get(operation, ("The coefficient", "and all others are 0"))
    return f"{what} at a = {a} (column), b = {b} (row), counted from the middle, is 1, {rest}."


def ones(program: AskedPart) -> Inputs:
    """Inputs with 1 everywhere, in the image and in the mask."""
    given = program.inputs(program.wide)
    return Inputs(image=np.ones_like(given.image), mask=np.ones_like(given.mask))


def pixel_of(program: AskedPart, value: float) -> str:
    """The pixel of the image that has a value, as a question names it; "0" for none."""
    width, height = program.widest
    number = int(value) - 1
    rest, x = divmod(number, width)
    return "0" if number < 0 else name(program, rest % height, x, rest // height)


def name(program: AskedPart, y: int, x: int, c: int = 0) -> str:
    """A pixel of the image; of channel c where there are several."""
    planes = f"[c={c}]" if program.inputs(program.wide).image.ndim > 2 else ""
    return f"image{planes}[y={y}][x={x}]"


def out_name(program: AskedPart, y: int, x: int) -> tuple[str, tuple[int, ...]]:
    """A pixel of the output, in words and as an index; of the first channel or mask."""
    at = (*(0 for _ in program.operation.output(program.inputs(program.wide).arrays)[1][:-2]), y, x)
    return f"out{program.operation.subscript(at)}", at
