"""Which mask and channel does a weight of a bank belong to?"""

import msgspec
import numpy as np

from grader.ask.impulse import name, pixel_of
from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.ask.words import count
from grader.oracle.inputs import Inputs

OF_IMAGES = True
AT_ONCE = True


def ask(program: AskedPart, draw: Random) -> Draft:
    if program.operation.name != "layers":
        raise CannotTell("no bank of masks")
    masks, channels = draw.sample(range(3, 7), 2)
    size = program.inputs(program.wide).mask.shape[-1]
    case = msgspec.structs.replace(program.wide, channels=channels, mask=f"bank{masks}x{size}")
    given, taps = program.inputs(case), size * size
    place = draw.randrange(masks * channels)
    number = place * taps + taps // 2  # the weight in the middle of a mask
    n, c = divmod(place, channels)
    m = draw.choice([n, place % masks])  # its mask, or what another order of the bank would give
    weights = np.zeros_like(given.mask)
    weights.flat[number] = 1
    inputs = Inputs(**{**given.arrays, "mask": weights})
    width, height = program.widest
    y, x = draw.randrange(height), draw.randrange(width)
    return Draft(
        line=program.first_line,
        text=f"{runs(program, case)}. Weight {number} of the bank, counted from 0, is 1, and all "
        f"others are 0. What is in out[n={m}][y={y}][x={x}]?",
        answer=name(program, y, x, c) if m == n else "0",
        second=lambda: pixel_of(program, program.right_output(case, inputs)[m, y, x]),
        why=f"The bank holds mask after mask, and a mask {count(taps, 'weight')} for each of its "
        f"{channels} channels: weight {number} belongs to mask {n} and channel {c}. A run of your "
        "program gives the same.",
        mistakes=[
            ("0", "the mask of this output has the weight"),
            (name(program, y, x, place // masks), "as if a channel's weights were contiguous"),
            (name(program, y, x, c), "the weight is in another mask"),
            (name(program, y, x, m % channels), "as if each mask had a channel of its own"),
            (name(program, y, x, (c + 1) % channels), "channels are counted from 0"),
        ],
    )
