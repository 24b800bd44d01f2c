"""Which grey value does a pixel get?"""

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.oracle.grayscale import weights_of
from grader.oracle.inputs import Inputs

AT_ONCE = True
HALF, SHIFT = 1 << 14, 15


def ask(program: AskedPart, draw: Random) -> Draft:
    if program.lab.part_of(program.base).operation != "grey":
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
    other = b * pixel[0] + g * pixel[1] + r * pixel[2]
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
            (total >> SHIFT, "cut off, not rounded: 16384 is one half in these units"),
            ((other + HALF) >> SHIFT, "red and blue are exchanged"),
            (sum(pixel) // 3, "the mean of the three bytes: the weights differ"),
            (max(pixel), "the largest of the three bytes"),
            (pixel[1], "the green byte alone"),
            (answer + 1, "rounded up always"),
        ],
    )
