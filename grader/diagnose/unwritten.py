"""Why was an output, or a part of it, never written?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grader.diagnose import location, tile_pattern
from grader.diagnose.known import border, tiles
from grader.diagnose.known.filter import Filter
from grader.diagnose.known.indexing import pitches
from grader.diagnose.mistake import Diagnosis
from grader.oracle.compare import Comparison
from grader.oracle.operations import OPERATIONS, Operation

Mask = npt.NDArray[np.bool_]

MEMORY = "computed from uninitialized memory"


def explain(f: Filter, comparison: Comparison, on_host: bool) -> Diagnosis:
    """What is known about an output of which some, or all, was never written.

    `on_host`: the function was given the output array itself. Otherwise the output may have come
    from device memory, which holds the same bits before it is written as after a sum with them.
    """
    out = OPERATIONS[f.operation]
    count = f"{int(comparison.unwritten.sum())} of {comparison.unwritten.size} {out.things()}"
    if on_host and not comparison.untouched.any():
        return Diagnosis(
            "accumulated",
            f"{count} hold a sum with what was in `out` before the call: set `out` to 0 first, or "
            "add up in a variable",
        )
    if comparison.unwritten.all():
        text = f"no {out.things()[:-1]} of the output was written"
        if not comparison.untouched.all():
            text += f", or every one was {MEMORY}"
        return Diagnosis("nothing-written", text)
    if comparison.got.ndim > 2:
        diagnosis = _last_of_some_axes(out, comparison.unwritten, count)
    else:
        diagnosis = (
            _apron_not_loaded(f, comparison)
            or _wrong_pitch(f, comparison)
            or _last_rows_and_columns(f, comparison.unwritten, count, on_host)
            or _border_skipped(f, comparison.unwritten, count)
        )
    return diagnosis or Diagnosis(
        "not-all-written",
        f"{count} were never written, or were {MEMORY}{_where(out, comparison.unwritten)}",
    )


def _where(out: Operation, missing: Mask) -> str:
    """Such as ": in columns 0..5 of every 32"."""
    if missing.ndim > 2:
        return f": {location.elements(out, missing, 0)}"
    repeating = tile_pattern.words(missing)
    return f": {repeating}" if repeating else ""


def _apron_not_loaded(f: Filter, comparison: Comparison) -> Diagnosis | None:
    """Do the pixels without a value have just the windows that reach into a part of the apron?"""
    wrong = comparison.wrong
    for apron in tiles.suspects(wrong, *f.reach):
        if (wrong == apron.touched(f.shape, *f.reach)).all():
            return Diagnosis(
                "apron-missing",
                f"{apron.words()} was never loaded: check which thread loads that part of the tile",
            )
    if tile := tiles.single_load(wrong, f.radius):
        return Diagnosis(
            "one-load-a-thread",
            f"only the first {tile[0]}x{tile[1]} pixels of each tile with its apron were loaded: "
            "the block has fewer threads than that tile has pixels, so threads must load more than "
            "once",
        )
    return None


def _wrong_pitch(f: Filter, comparison: Comparison) -> Diagnosis | None:
    """Are the right rows there, but not a width apart?"""
    value, bound = comparison.expected.value, comparison.expected.bound
    height, width = value.shape
    got = comparison.got.reshape(-1).astype(np.float64)
    for pitch, words in pitches(width, height, f.radius) if height > 1 else ():
        moved, slack = np.full(value.size, np.nan), np.zeros(value.size)
        for y in range(min(height, -(-value.size // pitch))):
            row = slice(y * pitch, min(y * pitch + width, value.size))
            moved[row], slack[row] = (a[y, : row.stop - row.start] for a in (value, bound))
        written = ~np.isnan(moved)
        if (written != comparison.unwritten.reshape(-1)).all() and (
            np.abs(got - moved)[written] <= slack[written]
        ).all():
            return Diagnosis(
                "row-pitch",
                f"the output's rows were written {pitch} elements apart ({words}); row y begins at "
                f"y * width = y * {width}",
            )
    return None


def _last_rows_and_columns(f: Filter, missing: Mask, count: str, on_host: bool) -> Diagnosis | None:
    """Are all of the last columns, the last rows or both missing, and nothing else?"""
    height, width = f.shape
    columns, rows = missing.all(axis=0), missing.all(axis=1)
    x0 = int(np.argmax(columns)) if columns.any() else width
    y0 = int(np.argmax(rows)) if rows.any() else height
    ends = np.zeros_like(missing)
    ends[:, x0:] = True
    ends[y0:, :] = True
    if (ends != missing).any() or 2 * x0 <= width or 2 * y0 <= height:
        return None
    lines = [location.lines("columns", x0, width - 1)] if x0 < width else []
    lines += [location.lines("rows", y0, height - 1)] if y0 < height else []
    text = f"{count} were never written: {' and '.join(lines)}"
    if on_host:
        return Diagnosis(
            "last-block-missing",
            f"{text}; a loop ends too early, or no thread computes what remains after the division "
            "by the number of threads",
        )
    if 0 < width - x0 == width % 4 and x0 % 8 and y0 == height:
        return Diagnosis(
            "vector-tail",
            f"{text}, which remain after the groups of 4: a width need not be a multiple of 4",
        )
    odd = (x0 % 2 and x0 < width) or (y0 % 2 and y0 < height)
    if odd and max(width - x0, height - y0) > 2 * f.radius:
        return None
    if odd:
        return Diagnosis(
            "left-before-loading",
            f"{text}, where no block ends: threads outside the image return before they have "
            "loaded their part of the tile; let them load it, and check the bounds only before "
            "writing",
        )
    return Diagnosis(
        "last-block-missing",
        f"{text}; the grid does not cover the whole image: round the division up, (n + block - 1) "
        "/ block, and make the grid's x from the width and its y from the height",
    )


def _border_skipped(f: Filter, missing: Mask, count: str) -> Diagnosis | None:
    """Are just the pixels missing whose windows reach outside the image?"""
    frame = border.frame(missing, f.radius)
    if f.radius == 0 or frame.all() or (frame != missing).any():
        return None
    return Diagnosis(
        "border-skipped",
        f"{count} were never written, or were computed from memory outside the image: a frame "
        f"{f.radius} px wide; compute the pixels at the image's border too",
    )


def _last_of_some_axes(out: Operation, missing: Mask, count: str) -> Diagnosis | None:
    """Are the last masks, channels, rows or columns missing, and nothing else?"""
    ends, tail = [], np.zeros_like(missing)
    for axis, name in enumerate(out.axes):
        others = tuple(i for i in range(missing.ndim) if i != axis)
        whole: Mask = np.asarray(missing.all(axis=others))
        if whole.any() and whole[np.argmax(whole) :].all():
            first = int(np.argmax(whole))
            if name in ("y", "x") and first % 4:
                continue  # no block ends there
            tail[(slice(None),) * axis + (slice(first, None),)] = True
            ends.append(location.lines(location.PLURALS[name], first, missing.shape[axis] - 1))
    if not ends or (tail != missing).any():
        return None
    return Diagnosis(
        "last-block-missing",
        f"{count} were never written, or were {MEMORY}: {' and '.join(ends)}; the grid does not "
        "cover the whole output, or a loop ends too early: round divisions up, (n + block - 1) / "
        "block",
    )
