"""Where does a mask with a single 1 take its pixel from?"""

from itertools import product

from grader.ask.impulse import impulse, name, out_name, pixel_of, said, window
from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.setting import runs
from grader.ask.words import plus

OF_IMAGES = True
AT_ONCE = True


def ask(program: AskedPart, draw: Random) -> Draft:
    across, down, width, height = window(program)
    taps = product(range(-across, across + 1), range(-down, down + 1))
    a, b = draw.choice([tap for tap in taps if tap != (0, 0)])
    x = draw.randrange(2 * across + 1, width - 2 * across - 1)
    y = draw.randrange(2 * down + 1, height - 2 * down - 1)
    shown, at = out_name(program, y, x)

    given = impulse(program, program.wide, a, b)
    from_corner = name(program, y + b + down, x + a + across)
    rotated = "that would be a convolution, which rotates the mask by 180 degrees; your program "
    return Draft(
        line=program.first_line,
        text=f"{runs(program, program.wide)}. {said(program, a, b)} Which pixel does {shown} "
        "equal?",
        answer=name(program, y + b, x + a),
        second=lambda: pixel_of(program, program.right_output(program.wide, given)[at]),
        why=f"Eq. 1 multiplies the coefficient at (a, b) with the pixel at (x + a, y + b): "
        f"x = {plus(x, a)} = {x + a}, y = {plus(y, b)} = {y + b}. A run of your program with "
        f"this mask gives this pixel.",
        mistakes=[
            (name(program, y - b, x - a), rotated + "computes a correlation"),
            (name(program, y + a, x + b), "a counts columns and b counts rows: they are exchanged"),
            (name(program, y, x), "that is the pixel in the middle, whose coefficient is 0"),
            (from_corner, "a and b are counted from the middle of the mask, not from its corner"),
            (name(program, y - b, x + a), "b counts rows downwards"),
        ],
    )
