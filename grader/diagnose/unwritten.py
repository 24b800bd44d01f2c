"""Why does an output (of one plane) still hold what it held before the call? labs 1 to 6."""

from __future__ import annotations

import numpy as np

from grader.diagnose import plane_mistakes, tile_mistakes
from grader.diagnose.mistake import Diagnosis
from grader.oracle.compare import Comparison
from grader.oracle.inputs import Inputs


def explain(given: Inputs, seen: Comparison, on_host: bool) -> Diagnosis:
    """What is known of a plane of which some, or all, was never written.

    `on_host`: the function was given the output itself. Else the output may have come from device
    memory, which looks the same before it is written as after something was added to it.
    """
    if on_host and not seen.untouched.any():
        return Diagnosis(
            "accumulated",
            f"{_count(seen)} hold a sum with what was in the output before the call: set it to 0 "
            "first, or add up in a variable",
        )
    if seen.untouched.all():
        return Diagnosis("nothing-written", "no pixel of the output was written")
    if seen.unwritten.all():
        return Diagnosis(
            "nothing-written",
            "no pixel of the output was written, or each was computed from memory that nobody had "
            "written",
        )
    return (
        _apron_not_loaded(given, seen)
        or _wrong_pitch(given, seen)
        or _ends(seen, given.radius, on_host)
        or _frame(seen, given.radius)
        or Diagnosis(
            "not-all-written",
            f"{_count(seen)} were never written, or were computed from memory that nobody had "
            f"written{_pattern(seen)}",
        )
    )


def _count(seen: Comparison) -> str:
    return f"{int(seen.unwritten.sum())} of {seen.unwritten.size} pixels"


def _pattern(seen: Comparison) -> str:
    repeating = tile_mistakes.pattern(seen.unwritten)
    return f": {repeating}" if repeating else ""


def _apron_not_loaded(given: Inputs, seen: Comparison) -> Diagnosis | None:
    """Are the pixels without a value just those whose windows reach into some part of the apron?"""
    high, wide = given.mask.shape[-2] // 2, given.mask.shape[-1] // 2
    for apron in tile_mistakes.suspects(seen.wrong, high, wide):
        if (seen.wrong == apron.touched(seen.got.shape, high, wide)).all():
            return Diagnosis("apron-missing", f"{apron.words()} was never loaded")
    if tile := tile_mistakes.single_load(seen.wrong, max(high, wide)):
        return Diagnosis(
            "one-load-a-thread",
            f"of each tile with its apron only the first {tile[0]}x{tile[1]} pixels were loaded: "
            "there are more of them than threads, so threads must load more than once",
        )
    return None


def _wrong_pitch(given: Inputs, seen: Comparison) -> Diagnosis | None:
    """Are the right rows there, but not a width apart?"""
    value, bound = seen.expected.value, seen.expected.bound
    height, width = value.shape
    for pitch, words in plane_mistakes.pitches(width, height, given.radius) if height > 1 else ():
        out, slack = np.full(value.size, np.nan), np.zeros(value.size)
        for y in range(min(height, -(-value.size // pitch))):
            row = slice(y * pitch, min(y * pitch + width, value.size))
            out[row], slack[row] = (a[y, : row.stop - row.start] for a in (value, bound))
        got = seen.got.reshape(-1).astype(np.float64)
        if (np.isnan(out) == seen.unwritten.reshape(-1)).all() and (
            np.abs(got - out)[~np.isnan(out)] <= slack[~np.isnan(out)]
        ).all():
            return Diagnosis(
                "row-pitch",
                f"the output's rows were written {pitch} pixels apart, {words}; one begins width = "
                f"{width} after the other",
            )
    return None


def _ends(seen: Comparison, radius: int, on_host: bool) -> Diagnosis | None:
    """Are all of the last columns, the last rows or both missing, and nothing else?"""
    missing = seen.unwritten
    height, width = missing.shape
    columns, rows = missing.all(axis=0), missing.all(axis=1)
    x0 = int(np.argmax(columns)) if columns.any() else width
    y0 = int(np.argmax(rows)) if rows.any() else height
    corner = np.zeros_like(missing)
    corner[:, x0:] = True
    corner[y0:, :] = True
    if (corner != missing).any() or 2 * x0 <= width or 2 * y0 <= height:
        return None
    ends = [f"columns {x0}..{width - 1}"] if x0 < width else []
    ends += [f"rows {y0}..{height - 1}"] if y0 < height else []
    text = f"{_count(seen)} were never written: {' and '.join(ends)}"
    if on_host:
        return Diagnosis(
            "last-block-missing",
            f"{text}; a loop ends too soon, or what the division among the threads leaves over is "
            "nobody's",
        )
    if 0 < width - x0 == width % 4 and x0 % 8 and y0 == height:
        return Diagnosis(
            "vector-tail",
            f"{text}, what groups of 4 leave over; a width need not be a multiple of 4",
        )
    odd = (x0 % 2 and x0 < width) or (y0 % 2 and y0 < height)
    if odd and max(width - x0, height - y0) > 2 * radius:
        return None
    if odd:
        return Diagnosis(
            "left-before-loading",
            f"{text}, where no block ends; threads outside the image that leave before they have "
            "loaded their share of a tile make such a gap",
        )
    return Diagnosis(
        "last-block-missing",
        f"{text}; the grid does not cover the whole image (round the division up, (n + block - 1) "
        "/ block, and make the grid's x from the width and its y from the height)",
    )


def _frame(seen: Comparison, radius: int) -> Diagnosis | None:
    """Is it the pixels whose windows reach outside that are missing, and no others?"""
    height, width = seen.unwritten.shape
    missing = np.ones((height, width), dtype=np.bool_)
    missing[radius : height - radius, radius : width - radius] = False
    if radius == 0 or missing.all() or (missing != seen.unwritten).any():
        return None
    return Diagnosis(
        "border-skipped",
        f"{_count(seen)} were never written, or were computed from memory outside the image: a "
        f"frame {radius} px wide; pixels at the border count too",
    )
