"""How many taps of a pixel are inside the image?"""

from random import Random

from grader.ask.draft import Draft, numbers
from grader.ask.impulse import ones, out_name, window
from grader.ask.program import Program
from grader.ask.words import image

ABOUT = "taps inside the image"
REBUILDS = False


def ask(program: Program, draw: Random) -> Draft:
    across, down, width, height = window(program)
    x = draw.choice([draw.randrange(across + 1), width - 1 - draw.randrange(across + 1)])
    y = draw.choice([draw.randrange(down + 1), height - 1 - draw.randrange(down + 1)])
    columns = min(x + across, width - 1) - max(x - across, 0) + 1
    rows = min(y + down, height - 1) - max(y - down, 0) + 1
    inputs = ones(program, program.case())
    channels = inputs.mask.shape[1] if inputs.mask.ndim == 4 else 1
    answer = rows * columns * channels
    wide, high = 2 * across + 1, 2 * down + 1
    shown, at = out_name(program, y, x)

    def second() -> str:
        result = program.right_output(program.case(), ones(program, program.case()))
        return f"{float(result[at]):g}"

    each = f" for each of {channels} channels" if channels > 1 else ""
    said = " and BORDER_ZERO" if program.base.border else ""
    mistakes = [
        (wide * high * channels, "all coefficients, but some taps are outside the image"),
        (rows * high * channels, "only rows were cut off"),
        (columns * wide * channels, "only columns were cut off"),
        ((wide * high - (wide - columns)) * channels, "only one row was cut off"),
        (columns * high * channels, "no rows were cut off"),
        (rows * wide * channels, "no columns were cut off"),
        (rows + columns, "rows and columns are multiplied, not added"),
        (1, "only the pixel itself"),
    ]
    return Draft(
        file=program.shown,
        line=program.result_line,
        text=f"{program.name} runs on {image(program.trace.size)}{said}. Every pixel is 1, and so "
        f"is each of the {wide} x {high} coefficients{each}. What is in {shown}?",
        answer=str(answer),
        second=second,
        ways=("the part of the window inside the image", "a run on an image of ones"),
        why=f"Each tap inside the image adds 1. The window of {wide} columns and {high} rows "
        f"around "
        f"that pixel has {columns} columns and "
        f"{rows} rows inside"
        + (f", in {channels} channels" if channels > 1 else "")
        + f": {answer}.",
        mistakes=numbers(answer, mistakes),
    )
