"""What is known of an output that is no image: which elements of an input it lacks or has twice,
and where its own elements lie instead.

An axis that the output has not is summed over, or counted: without some of its elements the oracle
says what a program gives that leaves these out. On an axis that the output has as well, as that of
a scan, they are 0.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from grader.diagnose import location
from grader.diagnose.mistake import Diagnosis, Mistake
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array, Operation, Settings

GROUPS = (1024, 512, 256, 128, 64, 32)  # threads of a block, or of a warp
WARP = 32
LEAST = 8  # elements of an output whose order says something

Kept = npt.NDArray[np.bool_]


def facts(out: Operation, comparison: Comparison) -> Iterator[Diagnosis]:
    """What the output shows by itself."""
    missing, things = comparison.unwritten, out.things()
    if missing.all():
        yield Diagnosis("nothing-written", f"no {things[:-1]} of the output was written")
    elif missing.any():
        where = location.elements(out, missing, 0)
        count = f"{int(missing.sum())} of {missing.size} {things}"
        yield Diagnosis("not-all-written", f"{count} were never written: {where}")
    elif comparison.count() >= LEAST and not comparison.got.any():
        why = "nothing is added to them, or the result is never written to the output"
        yield Diagnosis("all-zero", f"every one of the {things} is 0: {why}")


def mistakes(
    out: Operation, inputs: Inputs, settings: Settings, comparison: Comparison
) -> Iterator[Mistake]:
    """Those that may give the output, the likeliest first."""
    yield from _moved(out, comparison.expected)
    sizes = out.sizes(inputs.arrays)
    for axis, size in sizes.items():
        names = [n for n, given in out.spec.inputs.items() if axis in given.shape]
        what = f"elements of {names[0]}" if len(names) == 1 else f"terms along {axis}"
        for text, kept in _left_out(size, what):
            compute = partial(_without, out, inputs, settings, axis, kept)
            yield Mistake("left-out", f"left out: {text}", compute)
        if axis not in out.axes:
            compute = partial(_twice, out, inputs, settings, axis)
            yield Mistake("counted-twice", f"all {what} are counted twice", compute)


def _left_out(size: int, what: str) -> Iterator[tuple[str, Kept]]:
    """Which elements of an axis may be left out, in words, and those that are left."""
    at = np.arange(size)
    for group in GROUPS:
        if size > group and (rest := size % group):
            words = f"the last {rest} of {size} {what}, behind the last whole group of {group}"
            yield words, at < size - rest
    for group in GROUPS:
        if size > group and size % group == 0:
            yield f"the last {group} of {size} {what}", at < size - group
        if size > group:
            yield f"all but the first {group} of the {size} {what}", at < group
    if size == 1:
        return
    yield f"the last one of the {size} {what}", at < size - 1
    yield f"the first one of the {size} {what}", at > 0
    yield f"every second one of the {size} {what}", at % 2 == 0
    for lane in range(WARP) if size > WARP else ():
        yield f"number {lane} of every {WARP} of the {what}", at % WARP != lane
    for group in (g for g in GROUPS if size > g):
        yield f"the last one of every {group} of the {what}", at % group != group - 1
        if group > WARP:
            yield f"all but the first warp of every {group} of the {what}", at % group < WARP
    if size > WARP:
        yield f"all but the first of every {WARP} of the {what}", at % WARP == 0


def _without(out: Operation, inputs: Inputs, settings: Settings, axis: str, kept: Kept) -> Expected:
    """The result without the other elements of the axis."""

    def part(name: str, array: Array) -> Array:
        shape = out.spec.inputs[name].shape
        if axis not in shape:
            return array
        if axis not in out.axes:
            return np.compress(kept, array, shape.index(axis))
        along = [1] * array.ndim
        along[shape.index(axis)] = -1
        return np.where(kept.reshape(along), array, np.zeros((), array.dtype))

    return out.expected({n: part(n, a) for n, a in inputs.arrays.items()}, settings)


def _twice(out: Operation, inputs: Inputs, settings: Settings, axis: str) -> Expected:
    """The result with all elements of the axis twice."""
    arrays = {
        name: np.concatenate([array, array], out.spec.inputs[name].shape.index(axis))
        if axis in out.spec.inputs[name].shape
        else array
        for name, array in inputs.arrays.items()
    }
    return out.expected(arrays, settings)


def _moved(out: Operation, right: Expected) -> Iterator[Mistake]:
    """The right values at other places."""
    if right.value.size < LEAST:
        return
    things = out.things()
    orders: list[tuple[str, str, Callable[[Array], Array]]] = [
        ("shifted", f"each of the {things} is at the index after its own", lambda a: _by(a, 1)),
        ("shifted", f"each of the {things} is at the index before its own", lambda a: _by(a, -1)),
        ("reversed", f"the {things} are in the opposite order", lambda a: a.reshape(-1)[::-1]),
    ]
    if right.value.ndim == 2:
        words = "rows and columns of the output are exchanged: check the index of the store"
        orders.append(("transposed", words, lambda a: a.T.reshape(-1)))
    for name, text, order in orders:
        yield Mistake(name, text, partial(_ordered, right, order))


def _ordered(right: Expected, order: Callable[[Array], Array]) -> Expected:
    shape = right.value.shape
    value, bound = (order(np.asarray(a, np.float64)) for a in (right.value, right.bound))
    return Expected(value.reshape(shape), bound.reshape(shape))


def _by(array: Array, places: int) -> Array:
    """The elements so many places further; of those that come from outside nothing is known."""
    moved = np.roll(np.array(array, np.float64).reshape(-1), places)
    moved[0 if places > 0 else -1] = np.nan
    return moved
