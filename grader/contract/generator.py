"""Draws the calls of one function from a seed. What lab.h allows, a lab's calls.py says.

Python's random.Random gives the same numbers on every machine and in every version for what is used
here (random(), and choices made from it).
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from grader.contract import arrays
from grader.contract.step import ERRORS, FIRST_LAUNCH, Failing, Step
from grader.model.lab import Contract

MOST_WORK = 400_000  # multiply-adds of one call
LITTLE_WORK = 100_000  # of one that comes on top of others
MOST_PIXELS = 6_000
MOST_CHECKED_RADIUS = 12
CHECKED_COST = 4  # a call under all checks takes so many times as long
FAR_RADIUS = 130  # more than 8 bits count of an offset, with a sign; and 16 bits of an index
SHIFTED = (8, 32, 64, 5)  # widths of images whose rows could all begin at a multiple of 16 bytes
# More columns or rows than 16 bits count.
LONG = ((66_000, 1), (1, 65_535))
# More tiles of 32x32 than two blocks for each multiprocessor of an H200, which has 132, and more
# pixels than 256 blocks of 256 threads with 4 pixels each.
MANY_TILES = (700, 503)
ROW_OF_TILES = (8_500, 3)  # so many tiles with few pixels
# 500 rows of 4352 tiles of 32x32: fewer pixels than an int counts, and more.
VAST, BEYOND_INT = (139_264, 15_360), (139_264, 16_000)
STACK = 8 << 20  # bytes of a thread's stack: what `ulimit -s` says on Linux
EDGES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)

Value = TypeVar("Value")


class Generator:
    """The random numbers of one contract and the calls that they draw. A class in a lab's calls.py
    derives from it, says what lab.h allows and adds calls that only this lab needs.

    Further numbers, as those of far_steps(), come from a generator with another seed, so that a
    new kind of call there leaves the others as they are.
    """

    count = 200  # of free steps
    mask = "plane"  # its shape: arrays.py
    radius = (0, 8)  # the least and the most
    channels = (1, 1)
    masks = (1, 1)
    borders: Sequence[str] = ("zero", "replicate")
    types: Sequence[str] = ("f4",)
    images: Sequence[str] = arrays.IMAGES  # their contents
    coefficients: Sequence[str] = arrays.MASKS  # contents of masks
    threads: Sequence[int] = ()  # of OpenMP: each call is made with several, for the same bits
    fails = 0  # calls of the CUDA runtime that are made to fail: 1 to this
    # Values of the setting `refuse`: the call must be refused. The least above 0 is the first of a
    # range, and so is -1: drawn_refused() are others.
    refused: Sequence[int] = ()
    kept = False  # a call may use the mask of the call before
    own_mask = False  # the part's mask is its own; else all parts of the lab share one
    # Width and height of vast_step(); (): arrays of the host, which would take as much memory.
    vast: tuple[int, ...] = VAST
    timed: tuple[int, int] | None = None  # width and height of what is timed of a function in C

    def __init__(self, contract: Contract, seed: int) -> None:
        self.contract = contract
        self.is_public = seed == contract.seed
        self.random = random.Random(seed)

    def vary(self, numbers: Mapping[str, int]) -> None:
        """Takes a student's values of constants of lab.h."""
        low, high = self.radius
        most = numbers.get("MASK_MAX_RADIUS", high)
        self.radius = (low, most)
        self.refused = [most + 1 if value == high + 1 else value for value in self.refused]

    def number(self, low: int, high: int) -> int:
        """low to high, both included."""
        return low + int(self.random.random() * (high - low + 1))

    def one_of(self, values: Sequence[Value]) -> Value:
        return values[self.number(0, len(values) - 1)]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # ---- one call

    def step(self) -> Step:
        """Any call that the contract allows."""
        radius, shared = self.any_radius()
        channels, masks = self.number(*self.channels), self.number(*self.masks)
        taps = (2 * radius + 1) ** 2 * channels * masks
        width, height = _within(*self.any_size(), taps)
        return Step(
            part=self.contract.part,
            width=width,
            height=height,
            radius=radius,
            channels=channels,
            masks=masks,
            shared=shared,
            own_mask=self.own_mask,
            type=self.one_of(self.types),
            weights=self.any_weights(),
            border=self.one_of(self.borders) if self.borders else "",
            mask=self.any_mask(),
            image_content=self.one_of(self.images),
            mask_content=self.one_of(self.coefficients) if self.chance(0.5) else "signed",
            seed=self.number(0, 2**48),
            settings=tuple((k, self.one_of(v)) for k, v in self.contract.choose.items()),
            threads=self.one_of(self.threads) if self.threads else 0,
            at_end=(at_end := self.chance(0.7)),
            out_at_end=at_end != self.chance(0.3),
        )

    def any_radius(self) -> tuple[int, int]:
        """A radius, and the shared memory of the device; 0: an H200's."""
        return (self.number(*self.radius) if self.chance(0.7) else self.one_of(self.radius)), 0

    def any_size(self) -> tuple[int, int]:
        """Width and height: tiny, narrow, tall, around a multiple of 32 or 4, or any."""
        kind = self.number(0, 6)
        if kind == 0:
            return self.number(1, 5), self.number(1, 5)
        if kind == 1:
            return self.number(1, 3), self.number(30, 300)
        if kind == 2:
            return self.number(30, 300), self.number(1, 3)
        if kind == 3:
            return 32 * self.number(1, 3) + self.number(-1, 1), self.number(1, 40)
        if kind == 4:
            return self.number(1, 40), 32 * self.number(1, 3) + self.number(-1, 1)
        if kind == 5:
            return 4 * self.number(1, 20), self.one_of(EDGES)
        return self.number(1, 70), self.number(1, 70)

    def any_weights(self) -> str:
        """Of colours; "": the part has none."""
        return ""

    def any_mask(self) -> str:
        """The shape of the mask."""
        return self.mask

    def small(self) -> Step:
        """A call on a tiny image."""
        step = self.step()
        width, height = self.number(1, 6), self.number(1, 6)
        return replace(step, width=width, height=height, radius=min(step.radius, 3), shared=0)

    def large(self, width: int, height: int) -> Step:
        """A call with a large image, and as little work for each pixel as the contract allows."""
        return replace(
            self.small(),
            radius=self.radius[0],
            width=width,
            height=height,
            channels=self.channels[0],
            masks=self.masks[0],
            threads=min(self.threads, default=0),
        )

    # ---- calls of one kind after the other

    def steps(self) -> Iterator[Step]:
        """All but the far ones and the endless ones: `count` or a few more."""
        yield from self.failing_steps()
        yield from self.refused_steps()
        yield from self.free_steps()
        yield from self.rare_steps()

    def failing_steps(self, turns: int = 2) -> Iterator[Step]:
        """One call of the CUDA runtime after the other fails; then each again with another error,
        after calls that were right: a program may look for errors in its first calls alone."""
        for turn in range(turns if self.fails else 0):
            for index in range(self.fails):
                error = list(ERRORS)[(index + 2 * turn) % len(ERRORS)]
                yield replace(self.small(), failing=Failing(index + 1, error))
                if index % 4 == 3:
                    yield self.small()
            yield self.small()

    def refused_steps(self) -> Iterator[Step]:
        """Every call that must be refused, each before one that must not."""
        for value in self.refused:
            for _ in range(2):
                yield replace(self.small(), refuse=value, image_content="noise")
                yield self.small()

    def drawn_refused(self) -> list[int]:
        """More values that must be refused, from all that an int can have: close to those that are
        allowed, of the same size with another sign, around powers of 2, and any."""
        if not self.refused:
            return []
        first, most = min(value for value in self.refused if value > 0), 1 << 31
        power = 1 << self.number(first.bit_length() + 1, 30)
        return [
            first + self.number(1, 8),
            -self.number(2, first),
            first + self.number(9, 1 << 10),
            power + self.number(-1, 1),
            -power + self.number(-1, 1),
            self.number(first, most - 1),
            -self.number(2, most),
        ]

    def free_steps(self) -> Iterator[Step]:
        """Calls of any kind. Some resemble the call before: in the same memory with new content,
        with the mask kept, or with more threads."""
        before: Step | None = None
        made = 0
        while made < self.count:
            step = self.step()
            if before and self.chance(0.15):
                step = replace(
                    before, seed=step.seed, image_content=step.image_content, held=True, refuse=0
                )
                if self.chance(0.4):
                    step = replace(step, width=before.height, height=before.width)
            elif before and self.kept and self.chance(0.15):
                step = step.with_the_mask_of(before)
            yield step
            made += 1
            before = step
            if self.threads and self.chance(0.5):
                for threads in self.threads[:2]:
                    yield replace(step, threads=threads)
                    made += 1

    def rare_steps(self) -> Iterator[Step]:
        """A few calls farther out: images of more columns, rows or pixels than 16 bits count, and
        masks of tiny and of huge coefficients."""
        if self.is_public:  # the same sizes again would find nothing more
            for width, height in LONG:  # little work: tiles may be smaller than their blocks
                step = self.large(width, height)
                yield replace(step, radius=min(step.radius + 1, self.radius[1]))
            yield self.large(*MANY_TILES)
        else:
            width = self.number(450, 1000)
            yield self.large(width, MANY_TILES[0] * MANY_TILES[1] // width)
        for content in 2 * arrays.FAR_MASKS if self.mask != "none" else ():
            step = replace(self.small(), mask_content=content)
            yield replace(step, image_content="huge") if content == arrays.FAINTEST else step

    def far_steps(self) -> Iterator[Step]:
        """What a program gets wrong only for one argument in ten thousand: masks that are symmetric
        but for one coefficient, and calls that differ from the one before in a single number or in
        the order of the coefficients: their sum is the same."""
        may_be_even = self.mask in ("plane", "bank")
        for content in 2 * arrays.EVEN_MASKS if may_be_even else ():
            step = self.small()
            yield replace(step, radius=max(step.radius, 1), mask_content=content)
        for nudged in (
            "pixel",
            "pixel",
            *(("coefficient", "order") if may_be_even else ("pixel",)),
        ):
            step = replace(self.small(), width=self.number(3, 9), height=self.number(3, 9))
            if nudged == "order":  # of a mask for which that matters
                step = replace(step, radius=max(step.radius, 1), mask_content="signed")
            yield step
            kept = self.kept and nudged == "pixel"
            yield replace(step, held=True, nudged=nudged, kept=kept)

    def changed_steps(self) -> Iterator[Step]:
        """Calls whose image differs from that of the call before in one pixel, one row or one byte,
        in the same memory: a result that is remembered by some of the pixels shows. A function that
        is timed gets images of that size."""
        size = self.number(240, 400), self.number(200, 300)
        step = replace(self.large(*(self.timed or size)), image_content="noise")
        yield step
        for nudged in sorted(arrays.CHANGED, key=lambda _: self.random.random()):
            yield replace(step, held=True, nudged=nudged)

    def rarely_refused_steps(self) -> Iterator[Step]:
        """Calls with a generated value that must be refused, each before one that must not."""
        for value in self.drawn_refused():
            yield replace(self.small(), refuse=value, image_content="noise")
            yield self.small()

    def resized_steps(self) -> Iterator[Step]:
        """Values that must be refused, as in refused_steps(), with each border and on images of any
        size: a program may look at them where images are small. A right call follows in the same
        step."""
        for value in self.refused:
            for border in self.borders or ("",):
                for step in (self.little(), self.larger()):
                    yield replace(step, border=border, refuse=value, image_content="noise")
            yield self.small()

    def resized(self) -> list[Step]:
        """A call on an image of any size, and two on images that are larger than step() draws, one
        of them with a large radius: for calls in which nothing is computed."""
        low, high = self.radius
        step = self.step()
        wide = [self.larger(), self.larger()]
        radii = self.number(low, high), self.number(min((low + high) // 2 + 1, high), high)
        return [
            replace(step, radius=min(step.radius, high), shared=0),
            *(replace(one, radius=radius) for one, radius in zip(wide, radii, strict=True)),
        ]

    def little(self) -> Step:
        """A call with little work, on an image of any size or on a larger one."""
        low, high = self.radius
        step = self.step() if self.chance(0.5) else self.larger()
        radius = min(step.radius, high) if self.chance(0.5) else self.number(low, high)
        pixels = step.width * step.height * step.channels * step.masks
        while radius > low and (2 * radius + 1) ** 2 * pixels > LITTLE_WORK:
            radius -= 1
        return replace(step, radius=radius, shared=0)

    def larger(self) -> Step:
        """A call on an image that is larger than step() draws."""
        times = 3 if self.chance(0.1) else 1
        return self.large(times * self.number(80, 120), times * self.number(75, 100))

    def extreme(self, share: float) -> Step:
        """A call on a tiny image with this share of the largest radius."""
        return replace(self.small(), radius=max(self.radius[0], round(share * self.largest())))

    def largest(self) -> int:
        """The largest radius."""
        return self.radius[1]

    def endless_steps(self) -> Iterator[Step]:
        """Calls from which no function can return: each is a sequence."""
        return iter(())

    def checked_steps(self, count: int) -> Iterator[Step]:
        """For a run under all checks: images of a few blocks at most, and every radius in turn."""
        low, high = self.radius
        for index in range(count):
            step = self.step()
            radius = low + index % (high - low + 1) if high - low < count else step.radius
            radius = min(radius, MOST_CHECKED_RADIUS)
            taps = (2 * radius + 1) ** 2 * step.channels * step.masks
            size = _within(min(step.width, 70), min(step.height, 40), CHECKED_COST * taps)
            yield replace(step, radius=radius, width=size[0], height=size[1], shared=0)

    def vast_step(self) -> Step | None:
        """A call of which no more than the ends of its launches are run. Where lab.h allows it, its
        image has more pixels than an int counts."""
        if not self.vast:
            return None
        width, height = self.vast
        radius = min(self.radius[1], self.radius[0] + 1)  # so that threads share pixels
        step = replace(self.large(1, 1), mask=self.mask, radius=radius, width=width, height=height)
        return replace(step, image_content="noise", mask_content="signed")

    # ---- calls that several labs add

    def longest_row(self) -> Step:
        """A call for C, whose one row has more bytes than the stack of a thread."""
        self.small()  # for nothing, so that a seed draws what it always drew
        return self.large(STACK // int(self.types[0][1]) + 1, 1)

    def large_radii(self, most: int) -> Iterator[Step]:
        """Where lab.h names no largest radius."""
        for _ in range(6):
            yield replace(self.small(), radius=self.number(self.radius[1] + 1, most))

    def farthest_taps(self) -> Iterator[Step]:
        """Very large masks, of which one tap counts: with all of them, errors vanish."""
        taps = (2 * FAR_RADIUS + 1) ** 2
        for chosen in (0, taps - 1):
            step = replace(self.small(), radius=FAR_RADIUS, width=3, height=2)
            seed = step.seed // taps * taps + chosen
            step = replace(step, seed=seed, image_content="noise", mask_content="one")
            yield replace(step, border=self.borders[-1])

    def shifted_steps(self) -> Iterator[Step]:
        """Arrays that are aligned to their elements alone: addresses of no use to vectors."""
        for width in SHIFTED:
            height = self.number(1, 9)
            step = replace(self.small(), width=width, height=height, shifted=True)
            yield replace(step, at_end=False, out_at_end=False)

    def huge_steps(self, width: int, height: int) -> Iterator[Step]:
        """An image that no memory holds: a function of the host must report that."""
        for index in range(3):
            choose = self.contract.choose.items()
            settings = tuple((name, values[index % len(values)]) for name, values in choose)
            step = replace(self.small(), settings=settings, huge=(width, height))
            yield replace(step, failing=Failing(FIRST_LAUNCH, 999))


def _within(width: int, height: int, taps: int) -> tuple[int, int]:
    """The size, cut down to what a small call may cost."""
    most = max(1, min(MOST_PIXELS, MOST_WORK // max(1, taps)))
    while width * height > most:
        if width >= height:
            width = max(1, width // 2)
        else:
            height = max(1, height // 2)
    return width, height
