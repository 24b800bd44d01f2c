"""Draws the sequences of a contract from its seed.

Python's random.Random gives the same numbers on every machine and in every version for what is used
here (random(), and choices made from it).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.contract import arrays
from grader.contract.step import Failing, Sequence, Step
from grader.model.spec import Contract

LENGTH = 40  # steps of a sequence
MOST_WORK = 400_000  # multiply-adds of one call
MOST_PIXELS = 6_000
MIXED = 2  # sequences with calls of several parts
MOST_CHECKED_RADIUS = 12
CHECKED_COST = 4  # a call under all checks takes so many times as long
FEW = 24  # steps of a sequence that is run under all checks
# cudaErrorMemoryAllocation, cudaErrorECCUncorrectable, cudaErrorLaunchFailure, cudaErrorUnknown
ERRORS = (2, 214, 719, 999)
FAR_RADIUS = 130  # more than 8 bits count of an offset, with a sign; and 16 bits of an index
SHIFTED = (8, 32, 64, 5)  # widths of images whose rows could all begin at a multiple of 16 bytes
LAUNCH_OF_HOST = 6  # after three calls that allocate and two that copy
# More columns or rows than 16 bits count.
LONG = ((66_000, 1), (1, 65_535))
# More tiles of 32x32 than two blocks for each multiprocessor of an H200, which has 132, and more
# pixels than 256 blocks of 256 threads with 4 pixels each.
MANY_TILES = (700, 503)
LAYER_SIDE = 65_535  # lab 7 allows no longer side
LAYERS = ("depthwise", "weights")
SHARED = (48 << 10, 64 << 10, 100 << 10, 164 << 10, 0)  # of a block, on several devices
TILE = 32  # DYNAMIC_TILE of lab 4
MASKS_OF_MANY_CHANNELS = 17
COLUMN = 33
STACK = 8 << 20  # bytes of a thread's stack: what `ulimit -s` says on Linux
# With bytes of 0 and 1, sums of 16383, 16384 and 16385: just below one half, on it, just above it.
HALVES = ("16383,16385,0", "0,16383,16385", "16385,0,16383", "16384,16384,0", "16384,0,16384")
WEIGHTS = ("709", "601", *HALVES, "0,1,32767", "32767,0,1", "1,32767,0")
EDGES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)


def sequences(contract: Contract, seed: int) -> list[Sequence]:
    """All sequences that a seed draws: `calls` steps or a few more."""
    drawn = _Drawing(contract, seed)
    steps = [*drawn.failing_steps(), *drawn.refused_steps(), *drawn.free_steps(contract.calls)]
    steps += drawn.rare_steps()
    if contract.threads and seed == contract.seed:  # one of them is enough: it takes a second
        steps.append(drawn.longest_row())
    steps += _Drawing(contract, seed ^ 0xFA7).far_steps()
    result = [consistent(steps[i : i + LENGTH]) for i in range(0, len(steps), LENGTH)]
    return result + [(step,) for step in _Drawing(contract, seed ^ 0xE4D).endless_steps()]


def checked(contract: Contract) -> Sequence:
    """A short sequence for a run under all checks: every radius, type and border where there are
    few of them, and small images; then one that has more tiles than a GPU runs blocks at a time."""
    drawn = _Drawing(contract, contract.seed ^ 0x5AFE)
    many_tiles = drawn.long_step(*MANY_TILES)
    radius = min(contract.radius[1], many_tiles.radius + 1)  # so that threads share pixels
    return consistent([*drawn.small_steps(FEW), replace(many_tiles, radius=radius)])


def consistent(steps: Iterable[Step]) -> Sequence:
    """The steps, without what needs a step that is not there: only the step before can leave a mask
    or memory; a mask of one coefficient is separable. The products of scaled coefficients and
    pixels stay in float's range."""
    result: list[Step] = []
    for step in steps:
        if step.mask_content == "scaled" and step.image_content in ("wide", "huge", "tiny"):
            step = replace(step, image_content="signed")
        if step.inseparable and step.radius == 0:
            step = replace(step, radius=1)
        before = result[-1] if result else None
        if step.held and before is None:
            step = replace(step, held=False)
        if step.kept and not _mask_is_set(result, step):
            step = replace(step, kept=False)
        result.append(step)
    return tuple(result)


def _mask_is_set(before: list[Step], step: Step) -> bool:
    """Did the last call that set a mask in the same place set the one that `step` needs?"""
    for earlier in reversed(before):
        if earlier.part == step.part or not (step.own_mask or earlier.own_mask):
            same = ("mask", "radius", "mask_content", "seed", "type")
            usable = not (earlier.failing or earlier.refuse or earlier.inseparable)
            return usable and all(getattr(earlier, name) == getattr(step, name) for name in same)
    return False


def mixed(contracts: list[Contract], seed: int) -> list[Sequence]:
    """Sequences in which calls of several parts alternate: what one part leaves behind must not
    change what another computes."""
    drawings = [_Drawing(contract, seed + index) for index, contract in enumerate(contracts)]
    first = drawings[0]
    last: dict[str, Step] = {}
    steps: list[Step] = []
    while len(steps) < LENGTH * MIXED:
        drawn = drawings[first.number(0, len(drawings) - 1)]
        step = drawn.step()
        before = last.get(step.part)
        if before and drawn.contract.kept and drawn.chance(0.4):
            step = _with_the_mask_of(before, step)
        last[step.part] = step
        steps.append(step)
    return [consistent(steps[i : i + LENGTH]) for i in range(0, len(steps), LENGTH)]


class _Drawing:
    """The random numbers of one contract, and what they are used for."""

    def __init__(self, contract: Contract, seed: int) -> None:
        self.contract = contract
        self.seed = seed
        self.random = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        """low to high, both included."""
        return low + int(self.random.random() * (high - low + 1))

    def one_of(self, values: tuple[str, ...] | list[str]) -> str:
        return values[self.number(0, len(values) - 1)]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # ---- sizes

    def size(self) -> tuple[int, int]:
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
            return 4 * self.number(1, 20), EDGES[self.number(0, len(EDGES) - 1)]
        return self.number(1, 70), self.number(1, 70)

    def within(self, width: int, height: int, taps: int) -> tuple[int, int]:
        """The size, cut down to what a small call may cost."""
        most = max(1, min(MOST_PIXELS, MOST_WORK // max(1, taps)))
        while width * height > most:
            if width >= height:
                width = max(1, width // 2)
            else:
                height = max(1, height // 2)
        return width, height

    # ---- steps

    def step(self) -> Step:
        """Any call that the contract allows."""
        c = self.contract
        low, high = c.radius
        radius = self.number(low, high) if self.chance(0.7) else (low, high)[self.number(0, 1)]
        shared = 0
        if c.shared and self.chance(0.3):
            shared = SHARED[self.number(0, len(SHARED) - 1)]
            if self.chance(0.5):
                radius = largest_radius(shared or 227 << 10)
        channels, masks = self.number(*c.channel), self.number(*c.masks)
        taps = (2 * radius + 1) ** 2 * channels * masks
        width, height = self.within(*self.size(), taps)
        kind = self.one_of(list(c.types))
        contents = list(arrays.BITS if c.exact else arrays.IMAGES)
        if kind == "u1":
            contents = list(arrays.BYTES)
        masks_of = arrays.OUTER_MASKS if c.mask == "square" else arrays.MASKS
        weights = ""
        if c.colours:
            weights = self.one_of(WEIGHTS) if self.chance(0.6) else self.any_weights()
        return Step(
            part=c.part,
            width=width,
            height=height,
            radius=radius,
            border=self.one_of(list(c.borders)) if c.borders else "",
            mask=c.mask if c.mask != "square" else self.one_of(("outer", "column")),
            image_content=self.one_of(contents),
            mask_content=self.one_of(masks_of) if self.chance(0.5) else "signed",
            type=kind,
            channels=channels,
            masks=masks,
            seed=self.number(0, 2**48),
            weights=weights,
            settings=tuple((name, self.one_of(values)) for name, values in c.choose.items()),
            threads=c.threads[self.number(0, len(c.threads) - 1)] if c.threads else 0,
            shared=shared,
            at_end=(at_end := self.chance(0.7)),
            out_at_end=at_end != self.chance(0.3),
            own_mask=c.own_mask,
        )

    def any_weights(self) -> str:
        """Three numbers of 0 to 32767 whose sum is 32768."""
        r = self.number(0, 32767)
        g = self.number(0 if r else 1, 32768 - r - (0 if r else 1))
        return f"{r},{min(g, 32767)},{32768 - r - min(g, 32767)}"

    def small(self) -> Step:
        """A call on a tiny image."""
        step = self.step()
        width, height = self.number(1, 6), self.number(1, 6)
        return replace(step, width=width, height=height, radius=min(step.radius, 3), shared=0)

    def free_steps(self, count: int) -> Iterator[Step]:
        """Calls of any kind. Some resemble the call before: in the same memory with new content,
        with the mask kept, or with more threads."""
        before: Step | None = None
        made = 0
        while made < count:
            step = self.step()
            if before and self.chance(0.15):
                step = replace(
                    before, seed=step.seed, image_content=step.image_content, held=True, refuse=0
                )
                if self.chance(0.4):
                    step = replace(step, width=before.height, height=before.width)
            elif before and self.contract.kept and self.chance(0.15):
                step = _with_the_mask_of(before, step)
            yield step
            made += 1
            before = step
            if self.contract.threads and self.chance(0.5):
                for threads in self.contract.threads[:2]:
                    yield replace(step, threads=threads)
                    made += 1

    def long_step(self, width: int, height: int) -> Step:
        """A call with a large image, and as little work for each pixel as the contract allows."""
        c = self.contract
        if c.mask in LAYERS:
            width, height = min(width, LAYER_SIDE), min(height, LAYER_SIDE)
        step = replace(self.small(), radius=c.radius[0], width=width, height=height)
        step = replace(step, channels=c.channel[0], masks=c.masks[0])
        return replace(step, threads=min(c.threads, default=0))

    def longest_row(self) -> Step:
        """A call for C, whose one row has more bytes than the stack of a thread."""
        items = {"u1": 1, "f4": 4, "f8": 8}
        return self.long_step(STACK // items[self.contract.types[0]] + 1, 1)

    def rare_steps(self) -> Iterator[Step]:
        """A few calls farther out: images of more columns, rows or pixels than 16 bits count, masks
        of tiny and of huge coefficients, large ones where lab.h has no limit, many channels and
        masks, and planes that are nearly a column times a row."""
        if self.seed == self.contract.seed:  # the same sizes again would find nothing more
            for width, height in LONG:  # little work: tiles may be smaller than their blocks
                step = self.long_step(width, height)
                yield replace(step, radius=min(step.radius + 1, self.contract.radius[1]))
            yield self.long_step(*MANY_TILES)
        else:
            width = self.number(450, 1000)
            yield self.long_step(width, MANY_TILES[0] * MANY_TILES[1] // width)
        for _ in range(2 if self.contract.mask != "none" else 0):
            for content in arrays.FAR_MASKS:
                step = replace(self.small(), mask_content=content)
                if content == arrays.FAINTEST:
                    step = replace(step, image_content="huge")
                yield step
        largest = self.contract.larger_radius
        for _ in range(6 if largest else 0):
            yield replace(self.small(), radius=self.number(self.contract.radius[1] + 1, largest))
        yield from self.deep_steps()
        for content in arrays.CLOSE_MASKS * (6 if self.contract.inseparable else 0):
            step = replace(self.small(), mask="outer", mask_content=content)
            step = replace(step, radius=max(step.radius, 1))
            yield replace(step, inseparable=content != arrays.NEARLY)

    def deep_steps(self) -> Iterator[Step]:
        """Calls with many channels, and with many masks, of each type. The image is one column of
        more pixels than the tiles of most programs are high."""
        c = self.contract
        # Where a call of many channels takes a second, one of them is enough.
        for kind in c.types if c.larger_masks else c.types[:1]:
            height = 2 if c.larger_masks else COLUMN
            tiny = replace(self.small(), type=kind, width=1, height=height)
            if c.larger_channels:
                masks = min(c.masks[1], MASKS_OF_MANY_CHANNELS)
                yield replace(tiny, channels=c.larger_channels, masks=masks)
            if c.larger_masks:
                yield replace(tiny, channels=2, masks=c.larger_masks)

    def far_steps(self) -> Iterator[Step]:
        """What a program gets wrong only for one argument in ten thousand: very long rows, very
        large masks, addresses of no use to vectors, masks that are symmetric but for one
        coefficient, and calls that differ from the one before in a single number."""
        c = self.contract
        for width, height in c.far:
            yield replace(self.small(), radius=c.radius[0], width=width, height=height)
        if c.larger_radius:
            taps = (2 * FAR_RADIUS + 1) ** 2
            for chosen in (0, taps - 1):  # the tap that counts: with all of them, errors vanish
                step = replace(self.small(), radius=FAR_RADIUS, width=3, height=2)
                seed = step.seed // taps * taps + chosen
                step = replace(step, seed=seed, image_content="noise", mask_content="one")
                yield replace(step, border=c.borders[-1])
        for width in SHIFTED if c.shift else ():
            height = self.number(1, 9)
            step = replace(self.small(), width=width, height=height, shifted=True)
            yield replace(step, at_end=False, out_at_end=False)
        for index in range(3 if c.huge and c.returns != "void" else 0):
            settings = ((name, values[index % len(values)]) for name, values in c.choose.items())
            step = replace(self.small(), settings=tuple(settings), huge=c.huge)
            yield replace(step, failing=Failing(LAUNCH_OF_HOST, 999))
        if c.mask in ("plane", "bank"):
            for content in 2 * arrays.EVEN_MASKS:
                step = self.small()
                yield replace(step, radius=max(step.radius, 1), mask_content=content)
        masked = c.mask in ("plane", "bank")
        for nudged in ("pixel", "pixel", "coefficient" if masked else "pixel"):
            step = replace(self.small(), width=self.number(3, 9), height=self.number(3, 9))
            yield step
            kept = c.kept and nudged == "pixel"
            yield replace(step, held=True, nudged=nudged, kept=kept)

    def endless_steps(self) -> Iterator[Step]:
        """A call whose function is told of more pixels than an int counts, though its array has
        only the first row: it cannot return. One thread, so that it begins there."""
        c = self.contract
        if c.huge and c.returns == "void":
            step = replace(self.small(), width=c.huge[0], height=1, at_end=True, out_at_end=True)
            yield replace(step, huge=c.huge, threads=min(c.threads, default=0))

    def refused_steps(self) -> Iterator[Step]:
        """Every call that must be refused, each before one that must not."""
        for value in self.contract.refuse:
            for _ in range(2):
                yield replace(self.small(), refuse=value, image_content="noise")
                yield self.small()
        for _ in range(12 if self.contract.inseparable else 0):
            step = self.small()
            yield replace(step, mask="outer", radius=max(step.radius, 1), inseparable=True)
        if self.contract.shared:
            for shared in SHARED:
                radius = largest_radius(shared or 227 << 10)
                fits = replace(self.small(), radius=radius, width=5, height=3, shared=shared)
                yield fits
                yield replace(fits, refuse=radius + 1, radius=1)

    def failing_steps(self) -> Iterator[Step]:
        """One call of the CUDA runtime after the other fails; then each again with another error,
        after calls that were right: a program may look for errors in its first calls alone."""
        for turn in range(2 if self.contract.fails else 0):
            for index in range(self.contract.fails):
                error = ERRORS[(index + 2 * turn) % len(ERRORS)]
                yield replace(self.small(), failing=Failing(index + 1, error))
                if index % 4 == 3:
                    yield self.small()
            yield self.small()

    def small_steps(self, count: int) -> Iterator[Step]:
        """For the checks: images of a few blocks at most, and every radius in turn."""
        low, high = self.contract.radius
        for index in range(count):
            step = self.step()
            radius = low + index % (high - low + 1) if high - low < count else step.radius
            radius = min(radius, MOST_CHECKED_RADIUS)
            taps = (2 * radius + 1) ** 2 * step.channels * step.masks
            size = self.within(min(step.width, 70), min(step.height, 40), CHECKED_COST * taps)
            yield replace(step, radius=radius, width=size[0], height=size[1], shared=0)


def _with_the_mask_of(before: Step, step: Step) -> Step:
    """The step with the mask of the one before, which is not set again."""
    return replace(
        step,
        mask=before.mask,
        radius=before.radius,
        mask_content=before.mask_content,
        seed=before.seed,
        type=before.type,
        kept=True,
    )


def largest_radius(shared: int) -> int:
    """The largest radius whose tile and mask fit into that many bytes of shared memory (lab 4)."""
    radius = 0
    while 4 * ((TILE + 2 * (radius + 1)) ** 2 + (2 * (radius + 1) + 1) ** 2) <= shared:
        radius += 1
    return radius
