"""How many taps of a pixel are inside the image?"""

from grader.ask.impulse import ones, out_name, window
from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.words import count, image

AT_ONCE = True


def ask(program: AskedPart, draw: Random) -> Draft:
    across, down, width, height = window(program)
    # A pixel whose window leaves the image on one side, or on two.
    places = [(u, v) for u in range(across + 1) for v in range(down + 1) if u < across or v < down]
    u, v = draw.choice(places)
    x, y = draw.choice([u, width - 1 - u]), draw.choice([v, height - 1 - v])
    columns = min(x + across, width - 1) - max(x - across, 0) + 1
    rows = min(y + down, height - 1) - max(y - down, 0) + 1
    inputs = ones(program)
    channels = inputs.mask.shape[1] if inputs.mask.ndim == 4 else 1
    answer = rows * columns * channels
    wide, high = 2 * across + 1, 2 * down + 1
    shown, at = out_name(program, y, x)

    each = f" for each of {channels} channels" if channels > 1 else ""
    said = " with BORDER_ZERO" if program.base.border else ""
    return Draft(
        line=program.first_line,
        text=f"{program.name} runs on {image(program.widest)}{said}. Every pixel is 1, and so "
        f"is each of the {wide} x {high} coefficients{each}. What is in {shown}?",
        answer=answer,
        second=lambda: round(float(program.right_output(program.wide, inputs)[at])),
        why=f"Each tap inside the image adds 1. Of the window around that pixel, "
        f"{count(columns, 'column')} and {count(rows, 'row')} are inside"
        + (f", in {channels} channels" if channels > 1 else "")
        + f": {answer}.",
        mistakes=[
            (wide * high * channels, "all coefficients, but some taps are outside the image"),
            (columns * high * channels, "columns were cut off, but not rows"),
            (rows * wide * channels, "rows were cut off, but not columns"),
            ((wide * high - 1) * channels, "only one tap is left out"),
            (rows + columns, "rows and columns are multiplied, not added"),
            (1, "only the pixel itself"),
        ],
    )
