"""Which grey value does a pixel get?"""

from grader.ask.draft import assuming
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.oracle.grayscale import weights_of
from grader.oracle.inputs import Inputs

OF_IMAGES = True
AT_ONCE = True
HALF, SHIFT = 1 << 14, 15
ONE_BY_ONE = "each product is rounded, but only their sum must be"


def ask(program: AskedPart, draw: Random) -> Draft:
    if program.operation.name != "grey":
        raise CannotTell("no colours")
    case = program.wide
    r, g, b = weights_of(case.settings()["weights"])
    for _ in range(100):
        pixel = (draw.randrange(256), draw.randrange(256), draw.randrange(256))
        total = r * pixel[0] + g * pixel[1] + b * pixel[2]
        if total & ((1 << SHIFT) - 1) >= HALF and len(set(pixel)) == 3:  # rounding shows
            break
    answer = (total + HALF) >> SHIFT
    width, height = program.widest
    y, x = draw.randrange(height), draw.randrange(width)

    image = program.inputs(case).image.copy()
    image[y, x] = pixel
    terms = {"weights": (r, g, b), "pixel": pixel}
    return Draft(
        line=program.first_line,
        text=f"A pixel has R = {pixel[0]}, G = {pixel[1]}, B = {pixel[2]}; the weights are "
        f"r = {r}, g = {g}, b = {b}, in units of 1/32768. Which grey value does {program.name} "
        f"give it?",
        answer=answer,
        second=lambda: int(program.right_output(case, Inputs(image=image))[y, x]),
        why=f"{r} x {pixel[0]} + {g} x {pixel[1]} + {b} x {pixel[2]} = {total}; divided by 32768 "
        f"that is {total / (1 << SHIFT):.3f}, and rounded {answer}. A run of your program gives "
        f"the same.",
        mistakes=[
            *assuming(
                grey,
                terms,
                ({"half": 0}, "cut off, not rounded: 16384 is one half in these units"),
                ({"weights": (b, g, r)}, "red and blue are exchanged"),
                ({"weights": (1, 1, 1), "half": 0, "unit": 3}, "the mean: the weights differ"),
                ({"weights": (0, g, b)}, "red is left out"),
                ({"weights": (r, 0, b)}, "green is left out"),
                ({"weights": (r, g, 0)}, "blue is left out"),
                ({"unit": 2 << SHIFT, "half": 2 * HALF}, "the weights are in units of 1/32768"),
                ({"unit": 1, "half": 0}, "the sum is not divided by 32768"),
                ({"half": (1 << SHIFT) - 1}, "rounded up always"),
            ),
            (sum(grey((w,), (p,)) for w, p in zip((r, g, b), pixel, strict=True)), ONE_BY_ONE),
            (sum(pixel), "the sum of the three bytes: each has a weight"),
            (max(pixel), "the largest of the three bytes"),
            (min(pixel), "the smallest of the three bytes"),
            *((byte, "one of the three bytes alone") for byte in pixel),
        ],
        counts="multiply each byte by its weight, add 16384, and divide by 32768",
    )


def grey(
    weights: tuple[int, ...], pixel: tuple[int, ...], half: int = HALF, unit: int = 1 << SHIFT
) -> int:
    """The grey value of a pixel; weights: in units of 1 / unit. half: added before the division."""
    return (sum(w * p for w, p in zip(weights, pixel, strict=True)) + half) // unit
