"""Why was an output, or a part of it, never written?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grader.diagnose import location, source_text, thread_index, tile_pattern
from grader.diagnose.known import border, mask, tiles
from grader.diagnose.known.filter import Filter
from grader.diagnose.known.indexing import bytes_forgotten, pitches
from grader.diagnose.mistake import Diagnosis
from grader.oracle.compare import Comparison
from grader.oracle.operations import Operation

Mask = npt.NDArray[np.bool_]

STEPS = (2, 4, 8, 16, 32, 64, 128, 256)  # lines from one block to the next
UNINITIALIZED = "uninitialized memory"
UNKNOWN = "memory of unknown content"  # not initialized, or outside of an array
OUTSIDE = "memory outside the image"


@dataclass(frozen=True)
class _Cause:
    """What is certain of the elements that hold no result. never: none of them was written.
    computed: all were, from values of that memory. Neither: both are possible."""

    never: bool
    computed: str

    def may_be_unloaded(self) -> bool:
        """Is it possible that a part of a tile was never loaded?"""
        return not self.never and self.computed in ("", UNINITIALIZED)

    def words(self) -> str:
        """Completes "30 of 99 pixels"."""
        if self.never or self.computed:
            return "were never written" if self.never else f"were computed from {self.computed}"
        return f"were never written, or were computed from {UNKNOWN}"


def explain(
    out: Operation,
    f: Filter,
    comparison: Comparison,
    on_host: bool,
    reads: str | None = None,
    threads: tuple[int, int] | None = None,
    left_early: bool = False,
    *,
    block: tuple[int, int] | None = None,
    source: str = "",
) -> Iterator[Diagnosis]:
    """What is known about an output of which some, or all, holds no result: what explains it, the
    likeliest first, and last what is certain.

    `on_host`: the function was given the output array itself. `reads`: the memory of unknown
    content that a run with all checks on reads, in words; "": none; None: not known. `threads`: of
    the largest grid, across and down; None: not known. `block`: of one of its blocks. `left_early`:
    threads wait at a barrier for others that have left the kernel; that is why, whatever the
    missing elements look like. `source`: the text of the file, if that is known.
    """
    missing = comparison.unwritten
    count = f"{int(missing.sum())} of {missing.size} {out.things()}"
    if comparison.added_to[missing].all():
        array = "out" if on_host else "the output"
        yield Diagnosis(
            "accumulated",
            f"{count} hold a sum with what was in {array} before the call: set it to 0 first, or "
            "add up in a variable",
        )
        return
    if on_host and not comparison.untouched.any():
        yield Diagnosis(
            "nan", f"{count} hold a NaN that your code wrote: it holds -1 in each byte, as an int"
        )
        return
    cause = _cause(comparison, reads)
    if missing.all():
        yield _everything(out, cause, source)
        return
    if left_early:
        pass
    elif comparison.got.ndim > 2:
        yield from filter(None, [_last_of_some_axes(out, missing, count, cause)])
    else:
        of_plane: tuple[Callable[[], Diagnosis | None], ...] = (
            lambda: _apron_not_loaded(f, comparison) if cause.may_be_unloaded() else None,
            lambda: None if cause.never else mask.read_too_early(f, comparison),
            lambda: None if cause.never else _image_cut_off(f, comparison),
            lambda: None if cause.computed else _wrong_pitch(f, comparison),
            lambda: None if cause.computed else thread_index.explain(missing, count, block),
            lambda: _last_rows_and_columns(
                f, missing, count, on_host, cause, threads, block, source
            ),
            lambda: _grid_of_another(f, missing, count, cause, threads),
            lambda: next(
                _left_out_of_each_block(missing, count) if not cause.computed else iter(()), None
            ),
            lambda: _border_skipped(f, missing, count, cause),
        )
        yield from filter(None, (each() for each in of_plane))
    if untouched := int((missing & comparison.untouched).sum()):
        rest = int(missing.sum()) - untouched
        text = f"{untouched} of {missing.size} {out.things()} were never written"
        text += f", and {rest} were computed from {reads or UNKNOWN}" if rest else ""
        yield Diagnosis("not-all-written", text + _where(out, missing))
        yield from _also_possible(cause, missing, count)
        return
    name = "uninitialised-result" if cause.computed else "not-all-written"
    yield Diagnosis(name, f"{count} {cause.words()}{_where(out, missing)}")
    yield from _also_possible(cause, missing, count)


def _also_possible(cause: _Cause, missing: Mask, count: str) -> Iterator[Diagnosis]:
    """What a small image neither shows by itself nor refutes."""
    if missing.ndim == 2 and not cause.computed:
        yield from _left_out_of_each_block(missing, count, is_small=True)


def _cause(comparison: Comparison, reads: str | None) -> _Cause:
    if comparison.untouched.any():
        return _Cause(bool(comparison.untouched[comparison.unwritten].all()), computed="")
    # A wrong value beside them comes from memory that even that run knows nothing of: the host's.
    is_all = bool((comparison.wrong == comparison.unwritten).all())
    return _Cause(never=reads == "" and is_all, computed=reads or "")


def _everything(out: Operation, cause: _Cause, source: str) -> Diagnosis:
    thing = out.things()[:-1]
    if cause.computed:
        return Diagnosis(
            "uninitialised-result",
            f"every {thing} of the output was computed from {cause.computed}",
        )
    text = f"no {thing} of the output was written"
    if cause.never and (copied := source_text.copied_the_wrong_way(source)):
        return Diagnosis("nothing-written", f"{text}: {copied}")
    return Diagnosis(
        "nothing-written",
        text if cause.never else f"{text}, or every one was computed from {UNKNOWN}",
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


def _image_cut_off(f: Filter, comparison: Comparison) -> Diagnosis | None:
    """Has each window without a value an element behind the first n bytes of an image of n?"""
    flat = f.image.astype(np.float64).reshape(-1)
    for there in {f.image.size // f.image.itemsize, -(-f.image.size // f.image.itemsize)}:
        image = np.where(np.arange(flat.size) < there, flat, np.nan).reshape(f.image.shape)
        if (np.isnan(f.output(image=image)().value) == comparison.unwritten).all():
            return Diagnosis("bytes-forgotten", bytes_forgotten(f))
    return None


def _wrong_pitch(f: Filter, comparison: Comparison) -> Diagnosis | None:
    """Are the right rows there, but not a width apart?"""
    value, bound = comparison.expected.value, comparison.expected.bound
    height, width = value.shape
    got = comparison.got.reshape(-1).astype(np.float64)
    for pitch, words in pitches(width, height, f.radius) if height > 1 else ():
        if pitch >= value.size:
            continue  # of one row alone, nothing is known of the others
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


def _left_out_of_each_block(
    missing: Mask, count: str, is_small: bool = False
) -> Iterator[Diagnosis]:
    """Are of every so many rows, or columns, only the first ones written? The index then advances
    by more than is computed from one block, thread or vector to the next. is_small: the image may
    have only one such block."""
    for axis, thing in enumerate(("rows", "columns")):
        size = missing.shape[axis]
        lines = missing.all(axis=1 - axis)
        few = int(np.argmax(lines))
        if not few or (missing != np.expand_dims(lines, 1 - axis)).any():
            continue
        for every in (e for e in STEPS if few < e and (e < size or is_small)):
            if (lines == (np.arange(size) % every >= few)).all():
                first = f"the first {few} are" if few > 1 else "the first is"
                text = f"{count} were never written: of every {every} {thing} only {first}"
                yield Diagnosis("steps-too-far", text)


@dataclass(frozen=True)
class _Ends:
    """The columns from x0 and the rows from y0 of an image of width and height are missing, and
    nothing else. text: which these are, and what is certain of them."""

    x0: int
    y0: int
    width: int
    height: int
    cause: _Cause
    text: str

    def most(self) -> int:
        """How many columns or rows are missing."""
        return max(self.width - self.x0, self.height - self.y0)

    def is_within(self, threads: tuple[int, int] | None) -> bool:
        """Has the grid a thread for each pixel?"""
        return threads is not None and threads[0] >= self.width and threads[1] >= self.height

    def is_odd(self) -> bool:
        """No block ends there."""
        return bool(
            (self.x0 % 2 and self.x0 < self.width) or (self.y0 % 2 and self.y0 < self.height)
        )

    def is_tail(self, source: str) -> bool:
        """Are they what remains of a row after groups of 4, where the source has such groups?"""
        columns = self.width - self.x0
        is_rest = 0 < columns == self.width % 4 and self.x0 % 8 and self.y0 == self.height
        return bool(is_rest) and (not source or source_text.has_groups_of_4(source))


def _last_rows_and_columns(
    f: Filter,
    missing: Mask,
    count: str,
    on_host: bool,
    cause: _Cause,
    threads: tuple[int, int] | None,
    block: tuple[int, int] | None,
    source: str,
) -> Diagnosis | None:
    """Are all of the last columns, the last rows or both missing, and nothing else?"""
    ends = _ends(f, missing, count, cause)
    if ends is None:
        return None
    if ends.most() == 1 and (short := source_text.short_bound(source)):
        line, test = short
        return _last_block(
            f"{ends.text}; line {line} leaves them out by `{test}`: test x < width and y < height"
        )
    grid = _grid_too_small(ends, count, threads, block)
    if grid or 2 * ends.x0 <= ends.width or 2 * ends.y0 <= ends.height:
        return grid
    if on_host:
        return _last_block(
            f"{ends.text}; a loop ends too early, or no thread computes the remainder of the "
            "division by the number of threads"
        )
    return _left_out_by_threads(f, ends, threads, source)


def _ends(f: Filter, missing: Mask, count: str, cause: _Cause) -> _Ends | None:
    height, width = f.shape
    columns, rows = missing.all(axis=0), missing.all(axis=1)
    x0 = int(np.argmax(columns)) if columns.any() else width
    y0 = int(np.argmax(rows)) if rows.any() else height
    ends = np.zeros_like(missing)
    ends[:, x0:] = True
    ends[y0:, :] = True
    if (ends != missing).any():
        return None
    lines = [location.lines("columns", x0, width - 1)] if x0 < width else []
    lines += [location.lines("rows", y0, height - 1)] if y0 < height else []
    return _Ends(x0, y0, width, height, cause, f"{count} {cause.words()}: {' and '.join(lines)}")


def _left_out_by_threads(
    f: Filter, ends: _Ends, threads: tuple[int, int] | None, source: str
) -> Diagnosis | None:
    """Of a kernel: which test, load or grid leaves out the last columns or rows?"""
    cause, is_tail, odd = ends.cause, ends.is_tail(source), ends.is_odd()
    if cause.computed or (odd and not cause.never):
        is_near = ends.most() <= 2 * f.radius and cause.may_be_unloaded()
        return _not_loaded_outside(ends.text) if is_near else None
    if is_tail:
        return _after_groups(ends)
    if odd:
        return None
    if threads and ends.is_within(threads):
        return _last_block(
            f"{ends.text}; the grid has {threads[0]} x {threads[1]} threads for {ends.width} x "
            f"{ends.height} pixels: check the bounds before the write and, where a block writes "
            "fewer pixels than it has threads, that the blocks' tiles cover the image"
        )
    return _last_block(
        f"{ends.text}: do the grid's blocks, each with the pixels that it writes, cover the whole "
        "image?"
    )


def _last_block(text: str) -> Diagnosis:
    return Diagnosis("last-block-missing", text)


def _after_groups(ends: _Ends) -> Diagnosis:
    tail = "a width need not be a multiple of 4"
    if ends.width - ends.x0 == 1:
        bounds = "the bounds test leaves it out, as x < width - 1 does"
        text = f"{ends.text}: {bounds}; or it remains after groups of 4 pixels: {tail}"
    else:
        text = f"{ends.text}, which remain after the groups of 4: {tail}"
    return Diagnosis("vector-tail", text)


def _grid_too_small(
    ends: _Ends, count: str, threads: tuple[int, int] | None, block: tuple[int, int] | None
) -> Diagnosis | None:
    """Are the grid's threads too few in a direction, and just the pixels beyond them missing?"""
    width, height = ends.width, ends.height
    if not ends.cause.never or not threads:
        return None
    if (ends.x0, ends.y0) != (min(threads[0], width), min(threads[1], height)):
        return None
    advice = _of_grid(width, height, threads, block)
    return _last_block(
        f"{count} were never written: the grid has {threads[0]} x {threads[1]} threads for {width} "
        f"x {height} pixels; {advice}"
    )


def _grid_of_another(
    f: Filter, missing: Mask, count: str, cause: _Cause, threads: tuple[int, int] | None
) -> Diagnosis | None:
    """The same without the size of a block, which may fit by chance."""
    ends = _ends(f, missing, count, cause)
    return _grid_too_small(ends, count, threads, None) if ends else None


def _of_grid(
    width: int, height: int, threads: tuple[int, int], block: tuple[int, int] | None
) -> str:
    """What to do about a grid that is too small: the one change after which its numbers fit."""
    if block:
        wide, high = block
        columns, rows = threads[0] // wide, threads[1] // high
        if (columns, rows) == (-(-width // high), -(-height // wide)):
            return (
                f"its {columns} x {rows} blocks are right for blocks of {high} x {wide} threads, "
                f"and these have {wide} x {high}: the block's x and y are exchanged"
            )
        if columns in _rounded(width, wide) and rows in _rounded(height, high):
            return (
                "round the division up, (n + block - 1) / block, and make the grid's x from the "
                "width and its y from the height"
            )
    if threads[0] >= 2 * width and threads[1] < height:
        return "make its x from the width and its y from the height"
    return (
        "compute the number of blocks from the size of the image and the number of pixels that a "
        "block of this kernel computes"
    )


def _rounded(size: int, block: int) -> tuple[int, int]:
    """How many blocks that is, rounded down and up."""
    return size // block, -(-size // block)


def _not_loaded_outside(text: str) -> Diagnosis:
    return Diagnosis(
        "left-before-loading",
        f"{text}: the windows there reach pixels outside the image that no thread put into the "
        "tile; let every thread load its part of the tile, with the border's value where the pixel "
        "is outside, and check the bounds only before writing",
    )


def _border_skipped(f: Filter, missing: Mask, count: str, cause: _Cause) -> Diagnosis | None:
    """Are just the pixels missing whose windows reach outside the image?"""
    frame = border.frame(missing, f.radius)
    if f.radius == 0 or frame.all() or (frame != missing).any():
        return None
    words = cause.words().replace(UNINITIALIZED, OUTSIDE).replace(UNKNOWN, OUTSIDE)
    return Diagnosis(
        "border-skipped",
        f"{count} {words}: a frame {f.radius} px wide; compute the pixels at the image's border "
        "too",
    )


def _last_of_some_axes(
    out: Operation, missing: Mask, count: str, cause: _Cause
) -> Diagnosis | None:
    """Are the last masks, channels, rows or columns missing, and nothing else?"""
    if cause.computed:
        return None
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
        f"{count} {cause.words()}: {' and '.join(ends)}; do the grid's blocks, or the loops, cover "
        "the whole output?",
    )
