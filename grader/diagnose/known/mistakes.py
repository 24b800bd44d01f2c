"""The list of known mistakes, and which of them are tried for an operation, the likeliest first."""

from collections.abc import Callable, Iterator
from itertools import chain, islice

from grader.diagnose.known import (
    border,
    channels,
    exchanged,
    indexing,
    mask,
    separable,
    sums,
    tiles,
)
from grader.diagnose.known.filter import Filter
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison

WORK = 10**9  # multiply-adds, some seconds: on a large input only the likeliest are tried
SLOWER = 8  # times, where most taps of most pixels lie outside the image

# Each yields what it knows of an operation, and nothing where it does not apply.
MISTAKES: tuple[Callable[[Filter, Comparison], Iterator[Mistake]], ...] = (
    channels.weights,
    channels.single_precision,
    tiles.missing_aprons,
    mask.turned,
    border.wrong,
    border.other_end,
    border.edge_outside,
    border.broken_off,
    separable.mistakes,
    mask.parts,
    tiles.parts_on_some_lines,
    channels.image_layout,
    channels.output_layout,
    channels.left_out,
    channels.pixels_not_reloaded,
    sums.not_reset,
    sums.not_reset_between_groups,
    sums.overwritten,
    sums.in_integers,
    mask.phases,
    mask.phases_of_blocks,
    mask.coefficients,
    sums.copied,
    border.skipped,
    indexing.moved_outputs,
    indexing.cut_off,
    indexing.windows_off,
    indexing.swapped_inputs,
    indexing.row_pitches,
    tiles.transposed,
    indexing.across,
    mask.strides,
    mask.bank_strides,
    mask.early,
    mask.late,
    exchanged.lines,
    exchanged.tiles,
)


def of_filter(f: Filter, comparison: Comparison, name: str = "") -> Iterator[Mistake]:
    """The known mistakes of a filter, those of that name if there is one, the likeliest first."""
    tried = chain.from_iterable(known(f, comparison) for known in MISTAKES)
    mistakes = (mistake for mistake in tried if name in ("", mistake.name))
    if f.image.ndim > 2:
        return mistakes  # products of matrices: fast enough for all of them
    work = f.multiply_adds(f.image) * (SLOWER if f.mask.size > f.image.size else 1)
    return islice(mistakes, max(1, WORK // work))
