"""Mistakes with places in images of several channels: borders, windows, rows, tiles (lab 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from grader.diagnose import plane_mistakes, tile_mistakes
from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.correlation import Expected
from grader.oracle.multichannel import Array

Make = Callable[[Array, Array], Expected]  # image and mask in, result out
BORDERS = {"replicate": "edge", "wrap": "wrap", "mirror": "symmetric"}  # numpy's names


def mistakes(image: Array, mask: Array, make: Make, seen: Comparison) -> Iterator[Mistake]:
    """`image` is c x height x width, `mask` ends in k x k."""
    radius = mask.shape[-1] // 2
    yield from _outputs(seen, radius)
    yield from _reads(image, mask, make)
    if radius == 0:
        return
    for border, mode in BORDERS.items():
        if border == "replicate" or min(image.shape[1:]) >= radius:
            wide = _padded(image, radius, mode)
            yield Mistake(
                "wrong-border",
                f"this is what a {border} border gives; outside the image it is 0 here",
                lambda wide=wide: _cropped(make(wide, mask), image.shape, radius, 0, 0),  # type: ignore[misc]
            )
    wide = _padded(image, 2 * radius, "constant")
    for dy, dx in ((dy, dx) for dy in (0, 1, -1) for dx in (0, 1, -1) if (dy, dx) != (0, 0)):
        yield Mistake(
            "window-off",
            f"each window lies {plane_mistakes.offset(dx, dy)} of its place; it begins a radius "
            "before its pixel",
            lambda dy=dy, dx=dx: _cropped(make(wide, mask), image.shape, 2 * radius, dy, dx),  # type: ignore[misc]
        )
    yield from _taps(image, mask, make, seen)
    for apron in tile_mistakes.suspects(np.asarray(seen.wrong.any(axis=0)), radius, radius):
        yield Mistake(
            "apron-missing",
            f"this is what tiles give whose apron is not whole: reading 0 in {apron.words()} gives "
            "the same result",
            lambda apron=apron: _without(apron, image, mask, make),  # type: ignore[misc]
        )


def _padded(image: Array, width: int, mode: str) -> Array:
    return np.pad(image, ((0, 0), (width, width), (width, width)), mode=mode)  # type: ignore[call-overload, no-any-return]


def _cropped(whole: Expected, shape: tuple[int, ...], frame: int, dy: int, dx: int) -> Expected:
    """The image's part of a result that is wider by a frame, or one that is (dx, dy) away."""
    rows = slice(frame + dy, frame + dy + shape[1])
    columns = slice(frame + dx, frame + dx + shape[2])
    return Expected(whole.value[:, rows, columns], whole.bound[:, rows, columns])


def _outputs(seen: Comparison, radius: int) -> Iterator[Mistake]:
    """The right values, in the wrong places or not at all."""
    value, bound = seen.expected.value, seen.expected.bound
    height, width = value.shape[1:]
    if height > 1 and width > 1:
        yield Mistake(
            "transposed",
            f"x and y are swapped where the output is written: pixel (x, y) of a plane stands at "
            f"x * {height} + y and belongs at y * {width} + x",
            lambda: Expected(*(np.swapaxes(a, 1, 2).reshape(value.shape) for a in (value, bound))),
        )
    inside = np.zeros(value.shape, dtype=np.bool_)
    inside[:, radius : height - radius, radius : width - radius] = True
    if radius and inside.any():
        yield Mistake(
            "border-skipped",
            f"a frame {radius} px wide is 0: pixels at the border count too",
            lambda: Expected(np.where(inside, value, 0), np.where(inside, bound, 0)),
        )


def _reads(image: Array, mask: Array, make: Make) -> Iterator[Mistake]:
    """Planes that are read with x and y swapped, or with rows of another length."""
    channels, height, width = image.shape
    if height == 1 or width == 1:
        return
    turned = np.swapaxes(image.reshape(channels, width, height), 1, 2)
    yield Mistake(
        "image-transposed",
        f"x and y are swapped where the image is read: pixel (x, y) of a channel is at y * {width} "
        f"+ x, and was looked for at x * {height} + y",
        lambda: make(turned, mask),
    )
    flat = image.reshape(-1)
    c, y, x = np.indices(image.shape)
    for pitch, words in plane_mistakes.pitches(width, height, mask.shape[-1] // 2):
        places = c * (height * width) + y * pitch + x
        inside = places < flat.size
        read = np.where(inside, flat[np.where(inside, places, 0)], 0).astype(image.dtype)
        yield Mistake(
            "row-pitch",
            f"the image's rows were read {pitch} elements apart, {words}; one begins width = "
            f"{width} after the other",
            lambda read=read: make(read, mask),  # type: ignore[misc]
        )


def _only(mask: Array, row: int, column: int) -> Array:
    """The masks with a single tap each."""
    part = np.zeros_like(mask)
    part[..., row, column] = mask[..., row, column]
    return part


def _taps(image: Array, mask: Array, make: Make, seen: Comparison) -> Iterator[Mistake]:
    """One tap of every mask left out, or counted twice."""
    radius = mask.shape[-1] // 2
    for row, column in np.ndindex(mask.shape[-2:]):
        for sign, word in ((-1, "is left out"), (1, "is counted twice")):
            yield Mistake(
                "single-tap",
                f"the tap at a={column - radius}, b={row - radius} of each mask {word}",
                lambda row=row, column=column, sign=sign: _added(  # type: ignore[misc]
                    seen.expected, make(image, _only(mask, row, column)), sign
                ),
            )


def _added(right: Expected, tap: Expected, sign: int) -> Expected:
    return Expected(right.value + sign * tap.value, right.bound + tap.bound)


def _without(apron: tile_mistakes.Apron, image: Array, mask: Array, make: Make) -> Expected:
    """The result with 0 for what is missing of the apron."""
    radius = mask.shape[-1] // 2
    shape = (image.shape[1], image.shape[2])
    value, bound = np.zeros(1), np.zeros(1)
    for row, column in np.ndindex(mask.shape[-2:]):
        part = make(image, _only(mask, row, column))
        there = ~apron.missing(shape, row - radius, column - radius)
        value, bound = value + part.value * there, bound + part.bound * there
    return Expected(value, bound)
