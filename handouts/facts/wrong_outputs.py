"""The wrong outputs that known mistakes give, from the oracle's functions for them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.diagnose.known import filter as filters
from grader.diagnose.known import grayscale, mask, mistakes, tiles
from grader.diagnose.known.filter import Filter
from grader.diagnose.mistake import Mistake
from grader.diagnose.unwritten import UNINITIALIZED
from grader.model.lab import Case
from grader.oracle import compare
from grader.oracle.compare import POISON, QUIET, SIGNALLING, Comparison, bytes_before
from grader.oracle.correlation import correlate64
from grader.oracle.expected import Expected
from grader.oracle.grayscale import WEIGHTS, grey
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation

Array = npt.NDArray[Any]
TILE = 32  # pixels a side
STRIP = 16  # rows of a block, and pixels in a group of lab 8


@dataclass(frozen=True)
class Wrong:
    """An output with a mistake. reads: what explain() is told about the memory that was read."""

    name: str
    output: Array
    reads: str | None = None


def of_case(
    case: Case, operation: Operation, inputs: Inputs, right: Expected, kind: str, names: set[str]
) -> list[Wrong]:
    """The wrong outputs of a case with these mistakes, several of one name if it can be made in
    several ways. kind: the element type of the output."""
    right_output = right.value.astype(kind)
    if operation.name == "grey":
        comparison = _made(right_output + np.uint8(1), right)
        known = [*_grey(case, inputs, comparison)]
        wrong = [_wrong(m, right_output) for m in known if m.name in names]
        return [*wrong, *_named(_unwritten_bytes(right_output), names)]
    f = filters.of(operation.name, inputs, case.border)
    comparison = _made(right_output, right)
    known = [*_of_filter(f, comparison)]
    wanted = names - {"one-pass"}  # of which the grader learns the scale from the output
    wrong = [_wrong(m, right_output) for m in known if m.name in wanted]
    others = (
        *_one_pass(f, right_output),
        *_rounded(case, operation, inputs, right_output),
        *_values(f, right_output),
        *_unwritten(f, right_output),
    )
    return [*wrong, *_named(others, names)]


def _named(wrong: Iterable[Wrong], names: set[str]) -> Iterator[Wrong]:
    return (each for each in wrong if each.name in names)


def _wrong(mistake: Mistake, right: Array) -> Wrong:
    """Where a mistake says nothing of an element, the right value is as good as any."""
    value = mistake.output().value
    return Wrong(mistake.name, np.where(np.isnan(value), right, value).astype(right.dtype))


def _made(output: Array, right: Expected) -> Comparison:
    with np.errstate(all="ignore"):
        return compare.compare(output, right)


def _of_filter(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """Those that the grader tries, but for the ones that begin with where wrong pixels lie."""
    for known in mistakes.MISTAKES:
        if known not in (tiles.missing_aprons, tiles.parts_on_some_lines):
            yield from known(f, comparison)
    if f.mask.ndim == 2:
        middle = int(np.unravel_index(np.abs(f.mask).argmax(), f.mask.shape)[0]) - f.reach[0]
        for tap in mask.single_taps(f, comparison):
            if f" b={middle} " in tap.text:
                yield tap
    if f.radius:
        for sides, height in ((("left", "right", "top", "bottom"), TILE), (("left", "right"), 0)):
            apron = tiles.Apron(sides, TILE, height)
            yield Mistake("apron-missing", apron.words(), partial(tiles.without, apron, f))


def _grey(case: Case, inputs: Inputs, comparison: Comparison) -> Iterator[Mistake]:
    yield from (
        m
        for m in grayscale.mistakes(case, inputs, comparison)
        if m.name not in ("nothing-written", "not-all-written", "wrong-order", "lane-order")
    )
    image, right = inputs.image, comparison.expected.value
    swapped = right.reshape(-1).copy()
    whole = swapped.size // STRIP * STRIP
    groups = swapped[:whole].reshape(-1, STRIP)
    groups[:] = groups[:, [*range(8, 16), *range(8)]]
    yield _known("wrong-order", swapped.reshape(right.shape))
    lanes = image.reshape(-1)[: right.size // 32 * 96].reshape(-1, 6, 16)
    pixels = lanes[:, [0, 3, 1, 4, 2, 5]].reshape(1, -1, 3)
    moved = right.reshape(-1).copy()
    moved[: pixels.shape[1]] = grey(pixels, WEIGHTS[case.set["weights"]])[0]
    yield _known("lane-order", moved.reshape(right.shape))


def _one_pass(f: Filter, right: Array) -> Iterator[Wrong]:
    """The row pass alone, with the row of the mask that has its largest coefficient."""
    if f.operation == "separable":
        largest = int(np.abs(f.mask).argmax()) // f.mask.shape[1]
        row = f.mask[largest : largest + 1].astype(np.float64)
        value = correlate64(f.image.astype(np.float64), row, f.border)
        yield Wrong("one-pass", value.astype(right.dtype))


def _rounded(case: Case, operation: Operation, inputs: Inputs, right: Array) -> Iterator[Wrong]:
    """Outputs that are right up to rounding."""
    if case.exact:
        value = operation.expected(inputs.arrays, case.settings()).value
        yield Wrong("not-bit-for-bit", value.astype(right.dtype))
    if right.dtype.itemsize == 8:
        yield Wrong("single-precision", right.astype(np.float32).astype(right.dtype))


def _known(name: str, value: Array) -> Mistake:
    return Mistake(name, "", lambda: Expected(value, np.zeros(value.shape)))


def _unwritten_bytes(right: Array) -> Iterator[Wrong]:
    before = bytes_before(right.size)
    yield Wrong("nothing-written", before.reshape(right.shape))
    part, rest = right.copy(), right.size % STRIP + 5 * right.shape[1]
    part.reshape(-1)[-rest:] = before[-rest:]
    yield Wrong("not-all-written", part)


def _values(f: Filter, right: Array) -> Iterator[Wrong]:
    """What the values tell by themselves."""
    yield Wrong("nan", np.full_like(right, np.nan))
    yield Wrong("all-zero", np.zeros_like(right))
    yield Wrong("truncated", np.trunc(right))
    yield Wrong("scaled", right * right.dtype.type(0.5))
    for divisor in (float(f.mask.sum(dtype=np.float64)), float(f.mask.size)):
        if f.mask.ndim == 2 and abs(divisor) > 1.5:
            yield Wrong("normalised", (right / divisor).astype(right.dtype))
    huge = np.full_like(right, 3e38)
    yield Wrong("uninitialised-value", huge)


def _unwritten(f: Filter, right: Array) -> Iterator[Wrong]:
    """Outputs of which some elements hold no result."""
    size = right.dtype.itemsize
    before = np.array(SIGNALLING[size], dtype=f"u{size}")
    added = np.array(SIGNALLING[size] | QUIET[size], dtype=f"u{size}")
    other = np.array(int(POISON) * (1 if size == 4 else 2**32 + 1), dtype=f"u{size}")

    def without(missing: Array, bits: Array) -> Array:
        words = compare.bits(right).copy()
        words[np.broadcast_to(missing, words.shape)] = bits
        return words.view(right.dtype)

    height, width = f.shape
    y, x = np.indices((height, width))
    all_of_them = np.ones((height, width), dtype=np.bool_)
    yield Wrong("nothing-written", without(all_of_them, before), reads="")
    yield Wrong("accumulated", without(all_of_them, added), reads="")
    yield Wrong("uninitialised-result", without(all_of_them, other), reads=UNINITIALIZED)
    last = (x >= width // TILE * TILE) | (y >= height // STRIP * STRIP)
    yield Wrong("last-block-missing", without(last, before), reads="")
    yield Wrong("vector-tail", without(x >= width // 4 * 4, before), reads="")
    block = (x // TILE == 1) & (y // STRIP == 1)
    yield Wrong("not-all-written", without(block, before), reads="")
    if f.radius and f.image.ndim == 2:
        reach = (x >= width - f.radius) | (y >= height - f.radius)
        yield Wrong("left-before-loading", without(reach, other), reads=UNINITIALIZED)
        late = (x % TILE + 2 * f.radius >= TILE) | (y % TILE + 2 * f.radius >= TILE)
        yield Wrong("one-load-a-thread", without(late, other), reads=UNINITIALIZED)
