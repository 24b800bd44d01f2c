"""Mistakes at the image's border: another border than asked for, or the border not computed."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from grader.diagnose.known.filter import Array, Filter
from grader.diagnose.mistake import Mistake
from grader.oracle.borders import BORDERS
from grader.oracle.compare import Comparison
from grader.oracle.correlation import Expected


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


def frame(array: Array, width: int) -> Array:
    """Which elements of an array (... x height x width) lie within `width` of the border."""
    outside = np.ones(array.shape, dtype=np.bool_)
    rows, columns = array.shape[-2:]
    outside[..., width : rows - width, width : columns - width] = False
    return outside


def _filled(right: Expected, inside: Array, filling: Array) -> Expected:
    return Expected(np.where(inside, right.value, filling), np.where(inside, right.bound, 0))
