"""Mistakes with an index: x and y swapped, windows shifted, rows read with a wrong pitch."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from grader.diagnose.known.filter import Array, Filter, Output
from grader.diagnose.mistake import Mistake
from grader.oracle import borders
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected

LONG = 10**8  # multiply-adds; a window that is off is not tried where it takes more
MAX_RADIUS = 8  # of the labs' masks: the apron of a tile of fixed size is that wide
STEPS = [(dx, dy) for dx in (0, 1, -1) for dy in (0, 1, -1) if (dx, dy) != (0, 0)]


def moved_outputs(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """The right values at the wrong index of the output.

    A shift is tried in one plane only. With several channels windows_off() explains it.
    """
    right = comparison.expected
    height, width = f.shape
    if height > 1 and width > 1:
        yield Mistake(
            "transposed",
            "x and y are swapped where you write the output: your code writes pixel (x, y) at "
            f"index x * {height} + y, and it belongs at y * {width} + x",
            lambda: Expected(_transposed(right.value), _transposed(right.bound)),
        )
    for dx, dy in STEPS if f.image.ndim == 2 else ():
        yield Mistake(
            "shifted",
            f"each pixel has a neighbour's value: it is written {offset(dx, dy)}, or its window is "
            f"read {offset(-dx, -dy)}",
            partial(_shifted, right, dx, dy),
        )


def _transposed(array: Array) -> Array:
    """As it lies in memory when each plane is written column by column."""
    return np.swapaxes(array, -1, -2).reshape(array.shape)


def _shifted(right: Expected, dx: int, dy: int) -> Expected:
    """Moved by (dx, dy); what comes in from outside is unknown."""
    value, bound = (np.roll(a, (dy, dx), (-2, -1)) for a in (right.value, right.bound))
    if dy:
        value[..., slice(0, dy) if dy > 0 else slice(dy, None), :] = np.nan
    if dx:
        value[..., slice(0, dx) if dx > 0 else slice(dx, None)] = np.nan
    return Expected(value, bound)


def offset(dx: int, dy: int) -> str:
    """Such as "1 px too far to the left and 2 px too far up"."""
    across = f"{abs(dx)} px too far to the {'left' if dx < 0 else 'right'}" if dx else ""
    down = f"{abs(dy)} px too far {'up' if dy < 0 else 'down'}" if dy else ""
    return " and ".join(part for part in (across, down) if part)


def windows_off(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """Each window is read too far to one side: a radius was forgotten, or added twice."""
    radius = f.mask.shape[-1] // 2
    sizes = dict.fromkeys(n for n in (radius, abs(MAX_RADIUS - radius), MAX_RADIUS, 1) if n)
    for dx, dy in ((size * dx, size * dy) for size in sizes for dx, dy in STEPS):
        image = _moved(f, dx, dy)
        if f.multiply_adds(image) > LONG:
            return
        text = f"each window is read {offset(dx, dy)}"
        if max(abs(dx), abs(dy)) == radius > 1:
            text += ", which is the width of the apron"
        yield Mistake(
            "window-off",
            f"{text}: the window of pixel (x, y) begins at (x - radius, y - radius)",
            partial(f.inside, image),
        )


def _moved(f: Filter, dx: int, dy: int) -> Array:
    """The image with its frame, moved so that each window reads the pixels (dx, dy) further on."""
    rows, columns = f.frame
    height, width = f.shape
    wide = borders.pad(f.image, rows + abs(dy), columns + abs(dx), f.border)
    top, left = abs(dy) + dy, abs(dx) + dx
    return wide[..., top : top + height + 2 * rows, left : left + width + 2 * columns]


def swapped_inputs(f: Filter, comparison: Comparison) -> Iterator[Mistake]:
    """x and y, or width and height, swapped where the image is read."""
    height, width = f.shape
    if height == 1 or width == 1:
        return
    tall = f.image.reshape((*f.image.shape[:-2], width, height))
    yield Mistake(
        "image-transposed",
        f"x and y are swapped where you read the image: pixel (x, y) is at index y * {width} + x, "
        f"and your code reads x * {height} + y",
        f.output(np.swapaxes(tall, -1, -2)),
    )
    if height == width:
        return
    yield Mistake(
        "width-height-swapped",
        "your output is what a border at x = height and y = width gives: compare x with the width, "
        "and y with the height",
        partial(_wrong_sides, f),
    )
    if f.image.ndim == 2:
        yield Mistake(
            "width-height-swapped",
            "width and height are exchanged where a pixel is read: its index is y * width + x, and "
            "it is inside if x < width and y < height",
            partial(_read_swapped, f, tall),
        )
    for mask in (f.mask, np.swapaxes(f.mask, -1, -2)):
        yield Mistake(
            "width-height-swapped",
            f"width and height are swapped: your output is what an image of {height}x{width} with "
            "the same pixels gives",
            partial(_reshaped, f.output(tall, mask), comparison.got.shape),
        )


def _read_swapped(f: Filter, tall: Array) -> Expected:
    """With each pixel read from an image of height x width, at the index that it has there."""
    height, width = f.shape
    down, right = f.frame
    more = max(height, width)
    wide = borders.pad(tall, down + more, right + more, f.border)
    return f.inside(wide[..., more : more + height + 2 * down, more : more + width + 2 * right])


def across(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """x and y of a pixel exchanged where it is read, as two arguments are."""
    yield Mistake(
        "image-transposed",
        "x and y are exchanged where a pixel is read: tap (b, a) of pixel (x, y) is in row y + b "
        "and column x + a of the image",
        partial(_read_across, f),
    )


def _read_across(f: Filter) -> Expected:
    """With row x + a and column y + b read for each tap."""
    (height, width), (down, right) = f.shape, f.frame
    frame, more = max(down, right), abs(height - width)
    wide = borders.pad(f.image, frame + more, frame + more, f.border)[..., more:, more:]
    turned = np.swapaxes(wide, -1, -2)[..., frame - down :, frame - right :]
    return f.inside(turned[..., : height + 2 * down, : width + 2 * right])


def _wrong_sides(f: Filter) -> Expected:
    """With the border at the wrong sides. What is read beyond the end of the image is unknown."""
    height, width = f.shape
    side = min(height, width)
    frame_rows, frame_columns = f.frame
    down, right = height - side, width - side
    square = f.image[..., :side, :side]
    wide = borders.pad(square, frame_rows + down, frame_columns + right, f.border)
    result = f.inside(wide[..., down:, right:])
    value = result.value.copy()
    rows, columns = f.reach
    if width > height:
        value[..., height - rows :, :] = np.nan
    else:
        value[..., width - columns :] = np.nan
    return Expected(value, result.bound)


def _reshaped(output: Output, shape: tuple[int, ...]) -> Expected:
    result = output()
    return Expected(result.value.reshape(shape), result.bound.reshape(shape))


def cut_off(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """As many bytes of the image are there as it has elements; behind them is 0."""
    there = f.image.size // f.image.itemsize
    image = np.where(np.arange(f.image.size) < there, f.image.reshape(-1), 0)
    yield Mistake(
        "bytes-forgotten",
        bytes_forgotten(f),
        f.output(image=image.astype(f.image.dtype).reshape(f.image.shape)),
    )


def bytes_forgotten(f: Filter) -> str:
    there, all_of_them = f.image.size // f.image.itemsize, f.image.size
    return (
        f"only the first {there} of the image's {all_of_them} elements were copied: a number of "
        "bytes is the number of elements times the sizeof of one"
    )


def row_pitches(f: Filter, _: Comparison) -> Iterator[Mistake]:
    """The image's rows read as if they were longer or shorter than they are."""
    height, width = f.shape
    *channels, y, x = np.indices(f.image.shape)
    plane = height * width * channels[0] if channels else 0
    for pitch, words in pitches(width, height, f.mask.shape[-1] // 2) if height > 1 else ():
        yield Mistake(
            "row-pitch",
            f"the image's rows were read {pitch} elements apart ({words}); row y begins at "
            f"y * width = y * {width}",
            f.output(read_at(f.image, np.asarray(plane + y * pitch + x))),
        )


def pitches(width: int, height: int, radius: int) -> Iterator[tuple[int, str]]:
    """Wrong lengths of a row of the image, each with where it comes from."""
    known = {width}
    for pitch, words in (
        (height, "the height"),
        (width - 1, "width - 1"),
        (width + 1, "width + 1"),
        (width + radius, "width + radius"),
        (width + 2 * radius, "width + 2 * radius, as if the image had its apron"),
        *(
            (-(-width // n) * n, f"the width rounded up to a multiple of {n}")
            for n in (4, 8, 16, 32, 64)
        ),
    ):
        if pitch > 0 and pitch not in known:
            known.add(pitch)
            yield pitch, words


def read_at(array: Array, index: npt.NDArray[np.int64]) -> Array:
    """The array's elements at these indices into its memory; 0 beyond its end."""
    flat = array.reshape(-1)
    inside = index < flat.size
    return np.where(inside, flat[np.where(inside, index, 0)], flat.dtype.type(0))
