"""What a function runs on, in words: all that an answer about its run depends on."""

import math

from grader.ask.program import AskedPart
from grader.ask.words import count, image, index
from grader.execute.profile import Launch
from grader.model.lab import Case


def runs(program: AskedPart, case: Case, launch: Launch | None = None) -> str:
    """Such as "f() runs on an image of 98 x 62 pixels with a mask of 3 x 3, BORDER_ZERO and blocks
    of (32, 8) threads", without a full stop. launch: of the kernel that is asked about."""
    has_channels = "mask" in program.inputs(case).arrays and program.inputs(case).image.ndim > 2
    planes = f" and {count(case.channels, 'channel')}" if has_channels else ""
    what = [mask(program, case), f"BORDER_{case.border.upper()}" if case.border else ""]
    what.append(count(int(case.set["threads"]), "thread") if "threads" in case.set else "")
    what.append(f"blocks of {block(launch)}" if launch else "")
    *others, last = [each for each in what if each] or [""]
    those = f"{', '.join(others)} and {last}" if others else last
    if not program.operation.is_image():
        sizes = " and ".join(f"{axis} = {n}" for axis, n in case.sizes.items())
        return f"{program.name} runs on arrays with {sizes}" + (those and f", with {those}")
    size = case.size or program.widest
    return f"{program.name} runs on {image(size)}{planes}" + (those and f" with {those}")


def block(launch: Launch) -> str:
    """Such as "(32, 8) threads"."""
    return f"{index(launch.block, launch.block)} thread{'s' if math.prod(launch.block) > 1 else ''}"


def mask(program: AskedPart, case: Case) -> str:
    """Such as "a mask of 3 x 3" and "4 masks of 3 x 3"; "" where there is none."""
    given = program.inputs(case)
    if "mask" not in given.arrays or not program.operation.is_image():
        return ""
    *many, high, wide = given.mask.shape
    operation = program.operation.name
    if operation == "lines":
        return f"2 lines of {count(wide, 'coefficient')}"
    masks = count(many[0], "mask") if many else "a mask"
    return f"{'a bank of ' if operation == 'layers' else ''}{masks} of {wide} x {high}"
