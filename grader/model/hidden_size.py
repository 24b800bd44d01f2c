"""The size of a technique check that no student knows."""

from __future__ import annotations

import re
import sys

from msgspec.structs import replace

from grader.model.input_seed import seeded
from grader.model.lab import Technique

_BANK = re.compile(r"^bank(\d+)x")  # how many masks
# Masks of any size but 3x3, which layers have and no other.
_ANY_SIDE = re.compile(r"^(random|row|column|outer|lines|bank\d+x)([5-9]|\d\d)$")
LEAST_RADIUS = 3  # a tile saves a smaller mask little, and a program may have another way for that


def resized(check: Technique, seed: int) -> Technique:
    """The check at a size that no student can know: a kernel that is good at the size in lab.toml
    alone earns nothing for it.

    The image gets twice as wide, or higher by up to three tiles of 32, or both: a limit leaves no
    room for tiles that are mostly empty, and some are as wide as the image in lab.toml. It is
    `narrower` by a few pixels, which no tile notices. Of several channels, one or two are missing,
    and one of their masks: so a limit for each result is a little easier. A counter per launch has
    a limit for its own size, which stays. The radius of a second run is one of the smaller ones.
    """
    if check.size is None or check.per == "launch":
        return check
    width, height = check.size
    generated = seeded(check, seed, check.signature()).seed // 7919
    number = generated % 7 + 1
    wide = width * (1 + number % 2) - check.narrower
    size = (wide, height + number // 2 * min(height, 32))
    channels = check.channels - min(1 + number % 2, (check.channels - 1) // 2)
    mask = _BANK.sub(lambda found: f"bank{int(found[1]) - 1}x", check.mask)
    if channels == check.channels:  # of one channel, a bank has a mask for each of lab.h's phases
        mask = check.mask
    least = sys.maxsize if check.near else LEAST_RADIUS
    smaller = _ANY_SIDE.sub(
        lambda found: f"{found[1]}{_smaller(int(found[2]), least, generated // 7)}", mask
    )
    return replace(
        check,
        size=size,
        channels=channels,
        mask=mask,
        smaller_mask=smaller if smaller != mask else "",
        public=check,
    )


def _smaller(side: int, least: int, generated: int) -> int:
    """The side of a mask with a smaller radius, `least` or more if there is one."""
    radius = side // 2
    least = min(least, radius - 1)
    return 2 * (least + generated % (radius - least)) + 1
