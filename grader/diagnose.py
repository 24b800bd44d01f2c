"""Why is an output wrong? Tries to reproduce it from known mistakes.

Each known mistake says what the oracle would give if it had been made. The one that reproduces the
student's output within the rounding bound is reported by name; when none does, only what is known
is said: where the wrong pixels lie and by how much the first one misses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from grader import oracle, tiles, two_passes
from grader.cases import Inputs
from grader.judge import Comparison
from grader.oracle import F32, F64, Expected
from grader.spec import Case

MOST = 0.95  # of the pixels that a mistake must reproduce to be named
LARGE = 300_000  # pixels; larger outputs are located, not explained: a small case shows the same


@dataclass(frozen=True)
class Diagnosis:
    """`name` is the mistake's ("mask-flipped"), `text` says it to the student."""

    name: str
    text: str


@dataclass(frozen=True)
class Mistake:
    """A known mistake and the output (height x width) that it gives."""

    name: str
    text: str
    output: Callable[[], Expected]


def explain(case: Case, operation: str, given: Inputs, seen: Comparison) -> Diagnosis | None:
    """The known mistake that reproduces the student's output, or None."""
    if operation == "lines":  # a mistake with a line is one with the mask that the lines make
        operation = "separable"
        given = Inputs(given.image, oracle.plane(given.mask).astype(np.float32))
    if seen.unwritten.all():
        return Diagnosis(
            "nothing-written",
            "no pixel of the output was written, or each was computed from memory that nobody had "
            "written",
        )
    if seen.unwritten.any():
        return _apron_not_loaded(given, seen) or _unwritten(seen)
    if found := by_values(seen):
        return found
    if case.exact is not None:
        return _not_exact(case, operation, given, seen)
    if seen.got.size > LARGE:
        return None
    for mistake in _mistakes(case, operation, given, seen):
        if reproduces(mistake.output(), seen):
            return Diagnosis(mistake.name, mistake.text)
    return scaled(seen) or _single_tap(case, operation, given, seen)


def _not_exact(case: Case, operation: str, given: Inputs, seen: Comparison) -> Diagnosis | None:
    """Every bit was asked for. Is it right up to rounding?"""
    right = oracle.OPERATIONS[operation](given.image, given.mask, case.border)
    if not reproduces(right, seen):
        return None
    return Diagnosis(
        "not-bit-for-bit",
        "right up to rounding, but not bit for bit: product and sum must be rounded apart, and the "
        "taps taken row by row",
    )


def location(seen: Comparison, radius: int) -> str:
    """Where the wrong pixels lie, in words."""
    wrong = seen.wrong
    height, width = wrong.shape
    if wrong.all():
        return "every pixel"
    ys, xs = np.nonzero(wrong)
    inside = wrong[radius : height - radius, radius : width - radius]
    top, bottom, left, right = ys.min(), ys.max(), xs.min(), xs.max()
    if height > 2 * radius and width > 2 * radius and not inside.any():
        near = "1 pixel" if radius == 1 else f"{radius} pixels"
        return f"all within {near} of the image's border, where the mask reaches outside"
    if left > 0 and right == width - 1 and wrong[:, left:].all():
        return f"all of columns {left}..{right}, the right end of the image"
    if top > 0 and bottom == height - 1 and wrong[top:].all():
        return f"all of rows {top}..{bottom}, the bottom of the image"
    if wrong.mean() > 0.9:
        return "nearly everywhere"
    if repeating := tiles.pattern(wrong):
        return repeating
    return f"in rows {top}..{bottom} and columns {left}..{right}"


def _unwritten(seen: Comparison) -> Diagnosis:
    """Poison is left in the output: say which part the kernel never reached."""
    missing = seen.unwritten
    height, width = missing.shape
    text = f"{int(missing.sum())} of {missing.size} pixels were never written"
    columns, rows = missing.all(axis=0), missing.all(axis=1)
    x0 = int(np.argmax(columns)) if columns.any() else width
    y0 = int(np.argmax(rows)) if rows.any() else height
    corner = np.zeros_like(missing)
    corner[:, x0:] = True
    corner[y0:, :] = True
    if (corner == missing).all() and 2 * x0 > width and 2 * y0 > height:
        ends = [f"columns {x0}..{width - 1}"] if x0 < width else []
        ends += [f"rows {y0}..{height - 1}"] if y0 < height else []
        if (x0 % 2 and x0 < width) or (y0 % 2 and y0 < height):
            return Diagnosis(
                "left-before-loading",
                f"{text}: {' and '.join(ends)}, where no block ends; threads outside the image "
                "that leave before they have loaded their share of a tile make such a gap",
            )
        return Diagnosis(
            "last-block-missing",
            f"{text}: {' and '.join(ends)}; the grid does not cover the whole image "
            "(round the division up: (n + block - 1) / block)",
        )
    ring = missing.copy()
    inner = ~missing
    if inner.any():
        ys, xs = np.nonzero(inner)
        ring[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1] = False
        box = inner[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
        if box.all() and (ring == missing).all():
            return Diagnosis(
                "border-skipped",
                f"{text}: a frame around the image; pixels at the border count too",
            )
    return Diagnosis(
        "not-all-written", f"{text}, or were computed from memory that nobody had written"
    )


def _apron_not_loaded(given: Inputs, seen: Comparison) -> Diagnosis | None:
    """Are the pixels without a value just those whose windows reach into some part of the apron?"""
    radius = given.mask.shape[-1] // 2
    for apron in tiles.suspects(seen.wrong, radius):
        if (seen.wrong == apron.touched(seen.got.shape, radius)).all():
            return Diagnosis("apron-missing", f"{apron.words()} was never loaded")
    if tile := tiles.single_load(seen.wrong, radius):
        return Diagnosis(
            "one-load-a-thread",
            f"of each tile with its apron only the first {tile[0]}x{tile[1]} pixels were loaded: "
            "there are more of them than threads, so threads must load more than once",
        )
    return None


def by_values(seen: Comparison) -> Diagnosis | None:
    """Outputs that give themselves away by their values alone."""
    got = seen.got
    if np.isnan(got[seen.wrong]).all():
        return Diagnosis(
            "nan", "every wrong pixel is NaN: a value was used before it was written, or 0/0"
        )
    if not got.any():
        return Diagnosis("all-zero", "every pixel is 0: the sum never reaches the output")
    if (np.abs(got[seen.wrong]) > 1e37).all():
        return Diagnosis(
            "uninitialised-sum",
            "every wrong pixel is enormous: the sum starts from whatever was in its register; "
            "set it to 0 first",
        )
    if (got == np.trunc(seen.expected.value).astype(got.dtype)).all():
        return Diagnosis("truncated", "each value is cut to an integer; the output is float")
    return None


def _mistakes(case: Case, operation: str, given: Inputs, seen: Comparison) -> Iterator[Mistake]:
    """The known mistakes, the likeliest first."""
    image, mask = given.image, given.mask
    border = case.border

    def make(image: F32, mask: F32, border: str = border) -> Callable[[], Expected]:
        return lambda: oracle.OPERATIONS[operation](image, mask, border)

    yield Mistake(
        "mask-flipped",
        "this is what a flipped mask gives (convolution): this lab asks for correlation, "
        "f(x+a, y+b) goes with g(a, b)",
        make(image, np.ascontiguousarray(mask[..., ::-1, ::-1])),
    )
    yield Mistake(
        "mask-transposed",
        "this is what a transposed mask gives: rows and columns of the mask are swapped",
        make(image, np.ascontiguousarray(np.swapaxes(mask, -1, -2))),
    )
    yield Mistake(
        "mask-mirrored",
        "this is what a mask mirrored left to right gives: the sign of the x offset is wrong",
        make(image, np.ascontiguousarray(mask[..., ::-1])),
    )
    yield Mistake(
        "mask-upside-down",
        "this is what a mask turned upside down gives: the sign of the y offset is wrong",
        make(image, np.ascontiguousarray(mask[..., ::-1, :])),
    )
    for other in ("zero", "replicate", "wrap", "mirror"):
        if other != border:
            yield Mistake(
                "wrong-border",
                f"this is what a {other} border gives; this case asks for {border}",
                make(image, mask, other),
            )
    yield from _partial_masks(image, mask, make)
    if operation == "separable":
        for name, text, output in two_passes.mistakes(image, mask, border, seen.got):
            yield Mistake(name, text, output)
    if operation == "polyphase":
        yield from _phases(image, mask, make)
    yield Mistake(
        "copied",
        "the output is the input, unchanged",
        lambda: Expected(image.astype(np.float64), np.zeros(image.shape)),
    )
    yield from _moved(seen)
    yield from _windows_off(image, mask, border, make)
    if operation == "correlate" and mask.shape[0] == mask.shape[1]:
        for apron in tiles.suspects(seen.wrong, given.radius):
            yield Mistake(
                "apron-missing",
                f"this is what tiles give whose apron is not whole: reading 0 in {apron.words()} "
                "gives the same result",
                lambda apron=apron: tiles.without(apron, image, mask, border),  # type: ignore[misc]
            )


def _windows_off(
    image: F32, mask: F32, border: str, make: Callable[..., Callable[[], Expected]]
) -> Iterator[Mistake]:
    """Each window lies a radius away from where it must: the apron was forgotten in an index."""
    radius = mask.shape[-1] // 2
    height, width = image.shape
    mode = "edge" if border == "replicate" else "constant"
    wide = np.pad(image, 2 * radius, mode=mode)  # type: ignore[call-overload]
    for sign, words in ((1, "right of and below"), (-1, "left of and above")):
        first = 2 * radius + sign * radius

        def cropped(first: int = first) -> Expected:
            whole = make(wide, mask)()
            rows, columns = slice(first, first + height), slice(first, first + width)
            return Expected(whole.value[rows, columns], whole.bound[rows, columns])

        yield Mistake(
            "window-off",
            f"each window lies {radius} px {words} its place: as far as the apron is wide, which "
            "begins a radius before the tile",
            cropped,
        )


def _partial_masks(
    image: F32, mask: F32, make: Callable[..., Callable[[], Expected]]
) -> Iterator[Mistake]:
    def middle(size: int) -> slice:
        return slice(max(size // 2 - 1, 0), size // 2 + 2)

    def only(rows: slice, columns: slice) -> F32:
        part = np.zeros_like(mask)
        part[..., rows, columns] = mask[..., rows, columns]
        return part

    every = slice(None)
    ends = "run from -radius to +radius, both included"
    for name, rows, columns in (
        ("last row and column", slice(0, -1), slice(0, -1)),
        ("last row", slice(0, -1), every),
        ("last column", every, slice(0, -1)),
        ("first row and column", slice(1, None), slice(1, None)),
        ("first row", slice(1, None), every),
        ("first column", every, slice(1, None)),
        ("outermost ring", slice(1, -1), slice(1, -1)),
    ):
        yield Mistake(
            "loop-bound",
            f"this is what leaving out the mask's {name} gives: the loops over it must {ends}",
            make(image, only(rows, columns)),
        )
    if max(mask.shape[-2:]) > 5:
        yield Mistake(
            "radius-ignored",
            "only the middle 3x3 of the mask was used: the radius is a parameter",
            make(image, only(middle(mask.shape[-2]), middle(mask.shape[-1]))),
        )


def _phases(
    image: F32, bank: F32, make: Callable[..., Callable[[], Expected]]
) -> Iterator[Mistake]:
    for shift in range(1, len(bank)):
        yield Mistake(
            "wrong-phase",
            f"column x was given mask (x + {shift}) mod {len(bank)} of the bank, not x mod "
            f"{len(bank)}",
            make(image, np.ascontiguousarray(np.roll(bank, -shift, axis=0))),
        )
    for phase in range(len(bank)):
        yield Mistake(
            "one-phase",
            f"mask {phase} of the bank was used for every column",
            make(image, np.ascontiguousarray(np.repeat(bank[phase : phase + 1], len(bank), 0))),
        )


def _moved(seen: Comparison) -> Iterator[Mistake]:
    """The right values in the wrong places."""
    value, bound = seen.expected.value, seen.expected.bound
    height, width = value.shape
    if height == width:
        yield Mistake(
            "transposed", "x and y are swapped in the output", lambda: Expected(value.T, bound.T)
        )
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if (dy, dx) != (0, 0):
                yield Mistake(
                    "shifted",
                    f"the right values stand {abs(dx)} px {'left' if dx < 0 else 'right'} and "
                    f"{abs(dy)} px {'above' if dy < 0 else 'below'} of where they belong",
                    lambda dy=dy, dx=dx: Expected(  # type: ignore[misc]
                        np.roll(value, (dy, dx), (0, 1)), np.roll(bound, (dy, dx), (0, 1))
                    ),
                )


def reproduces(mistake: Expected, seen: Comparison) -> bool:
    """Does the mistake give the student's output, and not just what is right anyway?"""
    with np.errstate(invalid="ignore"):
        same = np.abs(seen.got.astype(np.float64) - mistake.value) <= mistake.bound
    return bool(same.mean() >= MOST and same[seen.wrong].mean() >= MOST)


def scaled(seen: Comparison) -> Diagnosis | None:
    """A constant factor or a constant added, within rounding."""
    value, got = seen.expected.value, seen.got.astype(np.float64)
    large = np.abs(value) > 1e-3 * max(float(np.abs(value).max()), 1e-30)
    if large.sum() < 8 or not np.isfinite(got).all():
        return None
    ratio = got[large] / value[large]
    middle = float(np.median(ratio))
    if abs(middle - 1) > 1e-3 and (np.abs(ratio - middle) < 1e-4 * abs(middle)).mean() >= MOST:
        return Diagnosis(
            "scaled", f"every value is {middle:.6g} times what it must be: a factor is wrong"
        )
    return None


def _single_tap(case: Case, operation: str, given: Inputs, seen: Comparison) -> Diagnosis | None:
    """One coefficient missed or counted twice: the error is that tap times the shifted image."""
    if operation == "polyphase" or given.mask.size > 169 or seen.got.size > 20_000:
        return None
    error: F64 = seen.got.astype(np.float64) - seen.expected.value
    middle_row, middle_column = given.mask.shape[0] // 2, given.mask.shape[1] // 2
    for row in range(given.mask.shape[0]):
        for column in range(given.mask.shape[1]):
            tap = np.zeros_like(given.mask)
            tap[row, column] = given.mask[row, column]
            term = oracle.correlate64(given.image, tap, case.border)
            if not term.any():
                continue
            for sign, word in ((-1, "is left out"), (1, "is counted twice")):
                if (np.abs(error - sign * term) <= 2 * seen.expected.bound).all():
                    return Diagnosis(
                        "single-tap",
                        f"the tap at a={column - middle_column}, b={row - middle_row} of the "
                        f"mask {word}",
                    )
    return None
