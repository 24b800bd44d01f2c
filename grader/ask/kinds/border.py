"""What does a tap outside the image give?"""

import msgspec

from grader.ask.impulse import impulse, name, out_name, pixel_of, said, window
from grader.ask.kinds import AskedPart, Draft, Random
from grader.ask.setting import runs

OF_IMAGES = True
AT_ONCE = True


def ask(program: AskedPart, draw: Random) -> Draft:
    across, down, width, height = window(program)
    border = draw.choice(["zero", "replicate"] if program.base.border else [""])
    # A pixel in a corner or at a side, and a tap that leaves the image there, or seems to.
    left, top = draw.choice([True, False]), draw.choice([True, False])
    x = draw.randrange(across) if across else draw.randrange(width)
    y = draw.randrange(down) if down else draw.randrange(height)
    a = -draw.randint(x + 1, across) if across else 0
    b = -draw.randint(y + 1, down) if down and draw.random() < 0.5 else 0
    if not a and not b:
        b = -down
    if draw.random() < 0.4:
        a, b = -a, -b
    if not left:
        x, a = width - 1 - x, -a
    if not top:
        y, b = height - 1 - y, -b
    shown, at = out_name(program, y, x)

    def nearest(v: int, u: int) -> str:
        return name(program, min(max(v, 0), height - 1), min(max(u, 0), width - 1))

    inside = 0 <= x + a < width and 0 <= y + b < height
    case = msgspec.structs.replace(program.wide, border=border)
    given = impulse(program, case, a, b)
    replicates = border == "replicate"
    is_rotated_inside = 0 <= y - b < height and 0 <= x - a < width
    rotated = "that is the pixel that a mask rotated by 180 degrees would read"
    mirrored = name(program, _mirrored(y + b, height), _mirrored(x + a, width))
    around = name(program, (y + b) % height, (x + a) % width)
    reads = "There, BORDER_REPLICATE reads the nearest pixel."
    rule = f"outside the image. {reads if replicates else 'Pixels there count as 0.'}"
    return Draft(
        line=program.first_line,
        text=f"{runs(program, case)}. {said(program, a, b)} What is in {shown}?",
        answer=nearest(y + b, x + a) if inside or replicates else "0",
        second=lambda: pixel_of(program, program.right_output(case, given)[at]),
        why=f"The tap is at x = {x + a}, y = {y + b}, "
        + ("inside the image: the border does not matter." if inside else rule)
        + " A run of your program gives the same.",
        mistakes=[
            ("0", "the tap is inside the image" if inside else "that is so for BORDER_ZERO"),
            *([(nearest(y - b, x - a), rotated)] if is_rotated_inside or replicates else []),
            (nearest(y + b, x + a), "that is the nearest pixel, which BORDER_REPLICATE would read"),
            (mirrored, "no border of these labs mirrors the image"),
            (around, "the image does not begin again at its other side"),
            (name(program, y, x), "that is the pixel in the middle, whose coefficient is 0"),
        ],
    )


def _mirrored(at: int, size: int) -> int:
    return -at if at < 0 else 2 * (size - 1) - at if at >= size else at
