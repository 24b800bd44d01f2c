"""Draws calls of a function whose arrays are no images, from what lab.toml says: the axes of its
operation, and in the contract the least and the most of each."""

from collections.abc import Iterator
from dataclasses import replace

from grader.contract.generator import MOST_WORK, Generator
from grader.contract.step import Given, Step
from grader.model import part_call
from grader.model.lab import Computation

CONTENTS = ("whole", "noise", "signed", "ramp", "flat", "sparse", "zero", "wide")
MOST_ELEMENTS = 6_000  # of all arrays of a call
# Of a larger one: more than 16 bits count, and than the threads of four blocks of 512 for each
# multiprocessor of an H200, after which a loop over the grid begins again.
MANY_ELEMENTS = 300_000
CHECKED_ELEMENTS = 2_500  # of a call under all checks
BLOCKS = (32, 64, 128, 256, 512, 1024)  # sizes around which a program may go wrong


class AnyArrays(Generator):
    """The calls of a contract without a class of calls.py, or the base of one."""

    computes: Computation
    mask = "none"
    borders = ()
    contents = CONTENTS
    vast = ()

    def prepare(self, computes: Computation) -> None:
        """Takes the operation of the part."""
        self.computes = computes
        self.fails = self.fails or self.contract.fails
        self.refused = [*self.refused, *self.contract.refused]

    # ---- one call

    def step(self) -> Step:
        return self._step(self._within(self._any_sizes(), MOST_ELEMENTS))

    def small(self) -> Step:
        sizes = {axis: self._clamped(axis, self.number(1, 6)) for axis in self._axes()}
        return self._step(sizes)

    def large(self, width: int, height: int) -> Step:
        """A call with about as many elements, or as many as the contract and a run allow."""
        most = min(width * height, MANY_ELEMENTS)
        sizes = {axis: self._clamped(axis, 1) for axis in self._axes()}
        grown = self.one_of(self._axes())
        sizes[grown] = self._clamped(grown, most)
        return self._step(self._within(sizes, 3 * most))

    def larger(self) -> Step:
        return self.large(self.number(80, 120), self.number(75, 100))

    def little(self) -> Step:
        return self.step() if self.chance(0.5) else self.larger()

    def resized(self) -> list[Step]:
        return [self.step(), self.larger(), self.larger()]

    def extreme(self, share: float) -> Step:  # noqa: ARG002 - there is no radius
        return self.small()

    def _axes(self) -> list[str]:
        return part_call.axes(self.computes)

    def _any_sizes(self) -> dict[str, int]:
        return {axis: self._clamped(axis, self._any_size()) for axis in self._axes()}

    def _any_size(self) -> int:
        """Tiny, around a multiple of what a block or a warp may have, or any."""
        kind = self.number(0, 3)
        if kind == 0:
            return self.number(1, 5)
        if kind == 1:
            return self.one_of(BLOCKS) * self.number(1, 3) + self.number(-1, 1)
        return self.number(1, 70 if kind == 2 else 3000)

    def _clamped(self, axis: str, size: int) -> int:
        low, high = self.contract.between[axis]
        return max(low, min(high, size))

    def _within(self, sizes: dict[str, int], most: int) -> dict[str, int]:
        """The sizes, the largest halved until the call is cheap enough, as far as lab.h allows."""
        sizes = {**sizes}
        while self._elements(sizes) > most or self._work(sizes) > MOST_WORK:
            can = [axis for axis in sizes if sizes[axis] > self.contract.between[axis][0]]
            if not can:
                break
            axis = max(can, key=lambda name: sizes[name])
            sizes[axis] = self._clamped(axis, sizes[axis] // 2)
        return sizes

    def _elements(self, sizes: dict[str, int]) -> int:
        shapes = [array.shape for array in self.computes.inputs.values()]
        return sum(product(shape, sizes) for shape in [*shapes, self.computes.output.shape])

    def _work(self, sizes: dict[str, int]) -> int:
        """At the most: each element of the output from all of the others' axes."""
        work = self.computes.work
        words = str(work).replace("+", "*").split("*")
        factors = [int(w) if w.strip().isdecimal() else w.strip() for w in words]
        return product(self.computes.output.shape, sizes) * max(1, product(factors, sizes))

    def _step(self, sizes: dict[str, int]) -> Step:
        given = tuple(
            Given(
                name,
                array.type or "f4",
                tuple(array.shape),
                self.one_of(self.contents) if self.chance(0.6) else array.make,
            )
            for name, array in self.computes.inputs.items()
        )
        return Step(
            part=self.contract.part,
            width=1,
            height=1,
            mask="none",
            given=given,
            sizes=tuple(sizes.items()),
            seed=self.number(0, 2**48),
            settings=tuple((k, self.one_of(v)) for k, v in self.contract.choose.items()),
            threads=self.one_of(self.threads) if self.threads else 0,
            at_end=(at_end := self.chance(0.7)),
            out_at_end=at_end != self.chance(0.3),
        )

    def drawn_refused(self) -> list[int]:
        """As of any contract where a value above 0 is refused; else other negative values where -1
        is."""
        if any(value > 0 for value in self.refused):
            return super().drawn_refused()
        powers = (1 << self.number(4, 30) for _ in range(3))
        return [-power + self.number(-1, 1) for power in powers] if -1 in self.refused else []

    # ---- calls of one kind after the other

    def rare_steps(self) -> Iterator[Step]:
        """More elements than 16 bits count, and than a grid of a few hundred blocks has threads."""
        for _ in self._axes():
            yield self.large(MANY_ELEMENTS, 1)
            yield self.large(self.number(66_000, 80_000), 1)

    def far_steps(self) -> Iterator[Step]:
        """Calls that differ from the one before in a single number."""
        for _ in range(3):
            step = self.step()
            yield step
            yield replace(step, held=True, nudged="element")

    def changed_steps(self) -> Iterator[Step]:
        step = self.larger()
        yield step
        for _ in range(3):
            yield replace(step, held=True, nudged="element", seed=self.number(0, 2**48))

    def resized_steps(self) -> Iterator[Step]:
        for value in self.refused:
            yield replace(self.larger(), refuse=value)
            yield self.small()

    def checked_steps(self, count: int) -> Iterator[Step]:
        for _ in range(count):
            yield self._step(self._within(self._any_sizes(), CHECKED_ELEMENTS))


def product(factors: list[str | int], sizes: dict[str, int]) -> int:
    """Of whole numbers and of the sizes of axes."""
    result = 1
    for factor in factors:
        result *= factor if isinstance(factor, int) else sizes[factor]
    return result
