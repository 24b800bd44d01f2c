"""Known mistakes of a filter of one plane, each as the output that it gives (labs 1 to 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from grader.diagnose import separable_mistakes, tile_mistakes
from grader.diagnose.mistake import Mistake
from grader.model.spec import Case
from grader.oracle import correlation
from grader.oracle.compare import Comparison
from grader.oracle.correlation import F32, F64, Expected
from grader.oracle.inputs import Inputs

Make = Callable[..., Callable[[], Expected]]
LONG = 10**8  # multiply-adds for one mistake
MAX_SIZE = 17  # of the masks that the labs allow: what a row of a fixed-size mask has


def mistakes(case: Case, operation: str, given: Inputs, seen: Comparison) -> Iterator[Mistake]:
    """The known mistakes, the likeliest first."""
    image, mask = given.image, given.mask
    border = case.border

    def make(image: F32, mask: F32, border: str = border) -> Callable[[], Expected]:
        return lambda: correlation.OPERATIONS[operation](image, mask, border)

    if operation != "polyphase":
        for apron in tile_mistakes.suspects(seen.wrong, mask.shape[0] // 2, mask.shape[1] // 2):
            yield Mistake(
                "apron-missing",
                f"this is what tiles give whose apron is not whole: reading 0 in {apron.words()} "
                "gives the same result",
                lambda apron=apron: tile_mistakes.without(apron, image, mask, border),  # type: ignore[misc]
            )
    yield from _turned_masks(image, mask, make)
    for other in ("zero", "replicate", "wrap", "mirror"):
        if other != border:
            yield Mistake(
                "wrong-border",
                f"this is what a {other} border gives; this case asks for {border}",
                make(image, mask, other),
            )
    if operation == "separable":
        for name, text, output in separable_mistakes.mistakes(image, mask, border, seen.got):
            yield Mistake(name, text, output)
    yield from _partial_masks(image, mask, make)
    yield from _some_lines(image, mask, make, seen)
    yield from _not_reset(seen.expected)
    if operation == "polyphase":
        yield from _phases(image, mask, make)
    yield Mistake(
        "copied",
        "the output is the input, unchanged",
        lambda: Expected(image.astype(np.float64), np.zeros(image.shape)),
    )
    yield from _border_skipped(image, given.radius, seen.expected)
    yield from _moved(seen)
    yield from _windows_off(image, mask, border, make)
    if mask.ndim == 2:
        yield from _swapped(image, mask, border, make)
    yield from _strides(image, mask, make)


def _turned_masks(image: F32, mask: F32, make: Make) -> Iterator[Mistake]:
    for name, text, turned in (
        (
            "mask-flipped",
            "a flipped mask gives (convolution): this lab asks for correlation, "
            "f(x+a, y+b) goes with g(a, b)",
            mask[..., ::-1, ::-1],
        ),
        (
            "mask-transposed",
            "a transposed mask gives: rows and columns of the mask are swapped",
            np.swapaxes(mask, -1, -2),
        ),
        (
            "mask-mirrored",
            "a mask mirrored left to right gives: the sign of the x offset is wrong",
            mask[..., ::-1],
        ),
        (
            "mask-upside-down",
            "a mask turned upside down gives: the sign of the y offset is wrong",
            mask[..., ::-1, :],
        ),
    ):
        yield Mistake(name, f"this is what {text}", make(image, np.ascontiguousarray(turned)))


def _partial_masks(image: F32, mask: F32, make: Make) -> Iterator[Mistake]:
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


def _not_reset(right: Expected) -> Iterator[Mistake]:
    """One sum for a row or for the image: each pixel adds to that of the one before."""
    height, width = right.value.shape
    for words, shape in (("in its row", (height, width)), ("in the image", (1, height * width))):
        if shape[1] > 1:
            value, bound = (
                np.cumsum(plane.reshape(shape), axis=1).reshape(height, width)
                for plane in (right.value, right.bound)
            )
            rounding = correlation.gamma(shape[1]) * np.maximum.accumulate(np.abs(value), axis=1)
            yield Mistake(
                "sum-not-reset",
                f"each pixel holds the sum of all pixels before it {words} as well: a sum begins "
                "at 0 for every pixel",
                lambda value=value, bound=bound + rounding: Expected(value, bound),  # type: ignore[misc]
            )


def _some_lines(image: F32, mask: F32, make: Make, seen: Comparison) -> Iterator[Mistake]:
    """A tap that only some lines of each tile leave out: one of several that a thread computes."""
    concerned, right = tile_mistakes.lines(seen.wrong), seen.expected
    if concerned is None:
        return
    for whole in _partial_masks(image, mask, make):

        def there(whole: Mistake = whole) -> Expected:
            wrong = whole.output()
            return Expected(
                np.where(concerned, wrong.value, right.value),
                np.where(concerned, wrong.bound, right.bound),
            )

        yield Mistake(whole.name, f"{tile_mistakes.pattern(seen.wrong)}, {whole.text}", there)


def _phases(image: F32, bank: F32, make: Make) -> Iterator[Mistake]:
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


def _border_skipped(image: F32, radius: int, right: Expected) -> Iterator[Mistake]:
    """The frame of pixels whose windows reach outside was not computed, but filled."""
    height, width = image.shape
    inside = np.zeros(image.shape, dtype=np.bool_)
    inside[radius : height - radius, radius : width - radius] = True
    if radius and inside.any():
        for what, frame in (("is 0", np.zeros(image.shape)), ("is the input", image)):
            yield Mistake(
                "border-skipped",
                f"a frame {radius} px wide {what}: pixels at the border count too",
                lambda frame=frame: Expected(  # type: ignore[misc]
                    np.where(inside, right.value, frame), np.where(inside, right.bound, 0)
                ),
            )


def _moved(seen: Comparison) -> Iterator[Mistake]:
    """The right values in the wrong places."""
    value, bound = seen.expected.value, seen.expected.bound
    height, width = value.shape
    if height > 1 and width > 1:
        yield Mistake(
            "transposed",
            f"x and y are swapped where the output is written: pixel (x, y) stands at "
            f"x * {height} + y and belongs at y * {width} + x",
            lambda: Expected(
                np.ascontiguousarray(value.T).reshape(value.shape),
                np.ascontiguousarray(bound.T).reshape(value.shape),
            ),
        )
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if (dy, dx) != (0, 0):
                yield Mistake(
                    "shifted",
                    f"the right values stand {offset(dx, dy)} of where they belong",
                    lambda dy=dy, dx=dx: Expected(  # type: ignore[misc]
                        _rolled(value, dy, dx), _rolled(bound, dy, dx)
                    ),
                )


def offset(dx: int, dy: int) -> str:
    """Such as "1 px left and 2 px above"."""
    across = f"{abs(dx)} px {'left' if dx < 0 else 'right'}" if dx else ""
    down = f"{abs(dy)} px {'above' if dy < 0 else 'below'}" if dy else ""
    return " and ".join(part for part in (across, down) if part)


def _rolled(array: F64, dy: int, dx: int) -> F64:
    """Moved by (dx, dy); of what comes in from outside nothing is known."""
    moved = np.roll(array, (dy, dx), (0, 1))
    if dy:
        moved[slice(0, dy) if dy > 0 else slice(dy, None)] = np.nan
    if dx:
        moved[:, slice(0, dx) if dx > 0 else slice(dx, None)] = np.nan
    return moved


def _windows_off(image: F32, mask: F32, border: str, make: Make) -> Iterator[Mistake]:
    """Each window lies away from where it must: a radius was forgotten, or is one too many."""
    radius = mask.shape[-1] // 2
    height, width = image.shape
    mode = "edge" if border == "replicate" else "constant"
    frame = radius + max(radius, MAX_SIZE // 2)
    wide = np.pad(image, frame, mode=mode)  # type: ignore[call-overload]
    if wide.size * mask.size > LONG:
        return
    steps = [(dx, dy) for dx in (0, 1, -1) for dy in (0, 1, -1) if (dx, dy) != (0, 0)]
    sizes = dict.fromkeys(n for n in (radius, abs(MAX_SIZE // 2 - radius), 1) if n)
    places = [(n * dx, n * dy) for n in sizes for dx, dy in steps]
    for dx, dy in places:

        def cropped(dx: int = dx, dy: int = dy) -> Expected:
            whole = make(wide, mask)()
            rows = slice(frame + dy, frame + dy + height)
            columns = slice(frame + dx, frame + dx + width)
            return Expected(whole.value[rows, columns], whole.bound[rows, columns])

        text = f"each window lies {offset(dx, dy)} of its place"
        if max(abs(dx), abs(dy)) == radius > 1:
            text += ": as far as the apron is wide, which begins a radius before the tile"
        yield Mistake("window-off", text, cropped)


def _swapped(image: F32, mask: F32, border: str, make: Make) -> Iterator[Mistake]:
    """x and y, or width and height, taken for each other where the image is read."""
    height, width = image.shape
    if height == 1 or width == 1:
        return
    turned = np.ascontiguousarray(image.reshape(width, height).T)
    yield Mistake(
        "image-transposed",
        f"x and y are swapped where the image is read: pixel (x, y) is at y * {width} + x, and was "
        f"looked for at x * {height} + y",
        make(turned, mask),
    )
    if height != width:
        yield Mistake(
            "width-height-swapped",
            "this is what an image gives whose border is looked for at x = height and y = width",
            lambda: _wrong_sides(image, mask, border),
        )
        for which in (mask, np.swapaxes(mask, -1, -2)):
            tall = make(image.reshape(width, height), np.ascontiguousarray(which))
            yield Mistake(
                "width-height-swapped",
                f"width and height are swapped: this is what an image of {height}x{width} with the "
                "same pixels gives",
                lambda tall=tall: _reshaped(tall(), image.shape),  # type: ignore[misc]
            )


def _wrong_sides(image: F32, mask: F32, border: str) -> Expected:
    """With the border at the wrong sides. What is read beyond the end of the image is not known."""
    height, width = image.shape
    high, wide = mask.shape[-2] // 2, mask.shape[-1] // 2
    seen = image[: min(height, width), : min(height, width)]
    frame = ((high, high + height - len(seen)), (wide, wide + width - len(seen)))
    mode = "edge" if border == "replicate" else "constant"
    padded = np.pad(seen, frame, mode=mode)  # type: ignore[call-overload]
    rows, columns = slice(high, high + height), slice(wide, wide + width)
    whole = correlation.correlate(padded, mask, "zero")
    value, bound = whole.value[rows, columns].copy(), whole.bound[rows, columns]
    if width > height:
        value[height - high :] = np.nan
    else:
        value[:, width - wide :] = np.nan
    return Expected(value, bound)


def _reshaped(plane: Expected, shape: tuple[int, ...]) -> Expected:
    return Expected(plane.value.reshape(shape), plane.bound.reshape(shape))


def _strides(image: F32, mask: F32, make: Make) -> Iterator[Mistake]:
    """Rows of the image or of the mask read as if they were longer or shorter than they are."""
    height, width = image.shape
    for pitch, words in pitches(width, height, mask.shape[-1] // 2) if height > 1 else ():
        yield Mistake(
            "row-pitch",
            f"the image's rows were read {pitch} pixels apart, {words}; one begins width = {width} "
            "after the other",
            make(_rows(image, pitch), mask),
        )
    size = mask.shape[-1]
    for pitch in dict.fromkeys((size - 1, size + 1, MAX_SIZE, size // 2)):
        apart = "1 coefficient" if pitch == 1 else f"{pitch} coefficients"
        for whole in dict.fromkeys((pitch * pitch, size * size)):
            if size > 1 and pitch != size and mask.shape[-2] == size:
                yield Mistake(
                    "mask-stride",
                    f"the mask's rows were read {apart} apart; one begins "
                    f"2 * radius + 1 = {size} after the other",
                    make(image, _masks(mask, pitch, whole)),
                )


def pitches(width: int, height: int, radius: int) -> Iterator[tuple[int, str]]:
    """Lengths that a row of the image may be taken to have, and how one comes to each."""
    known = {width: ""}
    for pitch, words in (
        (height, "the height"),
        (width - 1, "width - 1"),
        (width + 1, "width + 1"),
        (width + radius, "width + radius"),
        (width + 2 * radius, "width + 2 * radius, as if the image had its apron"),
        *((-(-width // n) * n, f"the width rounded up to a multiple of {n}") for n in (4, 8, 16)),
        *((-(-width // n) * n, f"the width rounded up to a multiple of {n}") for n in (32, 64)),
    ):
        if pitch > 0 and pitch not in known:
            known[pitch] = words
            yield pitch, words


def _rows(image: F32, pitch: int) -> F32:
    """The image read with rows `pitch` apart."""
    y, x = np.indices(image.shape)
    return _read(image, np.asarray(y * pitch + x))


def _masks(mask: F32, pitch: int, whole: int) -> F32:
    """The mask, or the masks, read with rows `pitch` apart and one `whole` after the other."""
    row, column = np.indices(mask.shape[-2:])
    number = np.arange(mask.size // row.size).reshape((*mask.shape[:-2], 1, 1))
    return _read(mask, np.asarray(number * whole + row * pitch + column))


def _read(array: F32, places: npt.NDArray[np.int64]) -> F32:
    """The array's elements at these places; 0 beyond its end."""
    flat = array.reshape(-1)
    inside = places < flat.size
    read = np.where(inside, flat[np.where(inside, places, 0)], np.float32(0))
    return np.ascontiguousarray(read, dtype=np.float32)
