"""How many taps of a pixel are inside the image?"""

from grader.ask.draft import assuming
from grader.ask.impulse import ones, out_name, window
from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.setting import runs
from grader.ask.words import count

OF_IMAGES = True
AT_ONCE = True


def ask(program: AskedPart, draw: Random) -> Draft:
    across, down, width, height = window(program)
    # A pixel whose window leaves the image on one side, or on two.
    places = [(u, v) for u in range(across + 1) for v in range(down + 1) if u < across or v < down]
    u, v = draw.choice(places)
    x, y = draw.choice([u, width - 1 - u]), draw.choice([v, height - 1 - v])
    columns, rows = inside(x, across, width), inside(y, down, height)
    inputs = ones(program)
    channels = inputs.mask.shape[1] if inputs.mask.ndim == 4 else 1
    wide, high = 2 * across + 1, 2 * down + 1
    terms = {"columns": columns, "rows": rows, "channels": channels}
    answer = product(**terms)
    shown, at = out_name(program, y, x)
    are = "are" if columns + rows > 2 else "is"
    return Draft(
        line=program.first_line,
        text=f"{runs(program, program.wide)}. Every pixel and every coefficient is 1. What is in "
        f"{shown}?",
        answer=answer,
        second=lambda: round(float(program.right_output(program.wide, inputs)[at])),
        why=f"Each tap inside the image adds 1. Of the window around that pixel, "
        f"{count(columns, 'column')} and {count(rows, 'row')} {are} inside"
        + (f", in {count(channels, 'channel')}" if channels > 1 else "")
        + f": {answer}.",
        mistakes=[
            *assuming(
                product,
                terms,
                ({"columns": wide, "rows": high}, "all taps, but some are outside the image"),
                ({"rows": high}, "columns were cut off, but not rows"),
                ({"columns": wide}, "rows were cut off, but not columns"),
                ({"columns": 1, "rows": wide * high - 1}, "only one tap is left out"),
                ({"channels": 1}, "one channel only"),
                ({"columns": across, "rows": down}, "a window is 2r + 1 wide, not r"),
            ),
            ((wide * high - rows * columns) * channels, "those are the taps outside"),
            (rows + columns, "rows and columns are multiplied, not added"),
            (1, "only the pixel itself"),
            (0, "the pixel and its neighbours inside the image are 1"),
        ],
        counts="count the rows and the columns of the window that are inside, and multiply",
    )


def inside(at: int, reach: int, size: int) -> int:
    """The places from at - reach to at + reach that an image has."""
    return min(at + reach, size - 1) - max(at - reach, 0) + 1


def product(columns: int, rows: int, channels: int) -> int:
    """The taps in all channels."""
    return columns * rows * channels
