"""Mistakes at the image's border: another border than asked for, or the border not computed."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from grader.diagnose.known.filter import Array, Filter
from grader.diagnose.mistake import Mistake
from grader.oracle import borders
from grader.oracle.borders import BORDERS
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected

BROKEN_OFF = "loop-broken-off"  # said only where the source has a `break`


def wrong(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Pixels outside the image with the value of another border."""
    for name, border in BORDERS.items():
        if name != f.border and f.radius:
            yield Mistake(
                "wrong-border",
                f"your output is what a {name} border gives ({border.picture}); this case asks for "
                f"a {f.border} border ({BORDERS[f.border].picture})",
                f.output(border=name),
            )


def other_end(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Pixels outside the image with the last value of the line where the first belongs, and the
    other way round."""
    if f.border != "replicate" or not f.radius:
        return
    rows, columns = f.frame
    framed = borders.pad(f.image, rows, columns, "replicate")
    for thing, axis, reach in (("row", -1, columns), ("column", -2, rows)):
        lines = np.moveaxis(framed.copy(), axis, 0)
        first, last = lines[reach].copy(), lines[-1 - reach].copy()
        lines[:reach], lines[lines.shape[0] - reach :] = last, first
        yield Mistake(
            "wrong-border",
            f"before the first pixel of a {thing} your code takes its last one, and behind the "
            "last one the first: the two ends are exchanged",
            partial(f.inside, np.moveaxis(lines, 0, axis)),
        )


def skipped(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """The frame of pixels whose windows reach outside the image was filled, not computed."""
    right = comparison.expected
    inside = ~frame(right.value, f.radius)
    if not f.radius or not inside.any():
        return
    fillings: dict[str, Array] = {"is 0": np.zeros(right.value.shape)}
    if f.image.shape == right.value.shape:
        fillings["holds the input"] = f.image
    for what, filling in fillings.items():
        yield Mistake(
            "border-skipped",
            f"a frame {f.radius} px wide {what}: compute the pixels at the image's border too",
            partial(_filled, right, inside, filling),
        )


def edge_outside(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The first or last row or column of the image taken for outside, by a test that is off by
    one."""
    height, width = f.shape
    if f.border != "zero" or not f.radius:
        return
    for axis, thing, at, size in (
        (-1, "column", width - 1, "width"),
        (-2, "row", height - 1, "height"),
        (-2, "row", 0, "height"),
        (-1, "column", 0, "width"),
    ):
        name = "x" if thing == "column" else "y"
        image = f.image.copy()
        np.moveaxis(image, axis, 0)[at] = 0
        yield Mistake(
            "edge-taken-for-outside",
            f"the pixels of {thing} {at} are read as if they were outside the image: inside are "
            f"0 <= {name} and {name} < {size}, so that the range of {name} is one longer",
            f.output(image),
        )


def broken_off(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """The loop over the taps ended at the first one outside the image."""
    right, (rows, columns) = comparison.expected, f.reach
    height, width = f.shape
    for axis, where, reach, size in (
        (-1, "left of column", columns, width),
        (-2, "above row", rows, height),
    ):
        if not reach:
            continue
        outside = np.arange(size) < reach
        shape = (size, 1) if axis == -2 else (1, size)
        there = np.broadcast_to(outside.reshape(shape), right.value.shape)
        yield Mistake(
            BROKEN_OFF,
            f"the pixels {where} {reach} are 0: their first tap lies outside the image, and "
            "`break` ends the loop there; `continue` goes on with the next tap",
            partial(_filled, right, ~there, np.zeros(right.value.shape)),
        )


def frame(array: Array, width: int) -> Array:
    """Which elements of an array (... x height x width) lie within `width` of the border."""
    outside = np.ones(array.shape, dtype=np.bool_)
    rows, columns = array.shape[-2:]
    outside[..., width : rows - width, width : columns - width] = False
    return outside


def _filled(right: Expected, inside: Array, filling: Array) -> Expected:
    return Expected(np.where(inside, right.value, filling), np.where(inside, right.bound, 0))
