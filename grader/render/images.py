"""The pictures of a wrong output: each plane as a PNG inside an SVG, which adds the marks."""

import base64
import io
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from PIL import Image

from grader.oracle.operations import Array
from grader.render.svg import Svg
from grader.session.report_data import Failure

Bytes = npt.NDArray[np.uint8]

MOST_LINES = 70  # of a grid of tiles, each way; more would hide the picture
# In both themes: a correct pixel, a wrong one (small to large error), one that was never written.
RIGHT = (43, 48, 58)
WRONG = ((120, 62, 20), (255, 214, 150))
UNWRITTEN = (86, 148, 230)


@dataclass(frozen=True)
class Figure:
    """A picture with its caption."""

    picture: Markup
    title: str
    note: str


def figures(failure: Failure) -> list[Figure]:
    """Input, output, expected output, difference, and the map of wrong pixels."""
    low, high = _range(failure.want)
    scale = f"black {low:.4g}, white {high:.4g}"
    first = f"first wrong {failure.unit} at {failure.at(*failure.first)}"
    output = _grey(failure.got, low, high)
    output[failure.unwritten] = UNWRITTEN
    unwritten = "; blue: never written" if failure.unwritten.any() else ""
    most = float(failure.error.max())
    given = failure.given
    note = _given_note(failure)
    return [
        *(
            [_figure(failure, _input(given), failure.given_is.capitalize(), note)]
            if given is not None
            else []
        ),
        _figure(failure, output, "Your output", f"{scale}{unwritten}", first),
        _figure(failure, _grey(failure.want, low, high), "Expected", scale, first),
        _figure(failure, _difference(failure), "Difference", _error_note(most), first),
        _map(failure),
    ]


def _given_note(failure: Failure) -> str:
    height, width = failure.shape
    size = f"rows of {width}" if failure.fold else f"{width}×{height}"
    each = f"shown: 1 of {failure.step} {failure.unit}s each way"
    return size if failure.step == 1 else f"{size}, {each}"


def _error_note(most: float) -> str:
    if math.isinf(most):
        return "dark: correct; brighter: larger error"
    return f"dark: correct; brightest: an error of {most:.2g} times the rounding bound"


def _range(plane: Array) -> tuple[float, float]:
    finite = plane[np.isfinite(plane)].astype(np.float64)
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _grey(plane: Array, low: float, high: float) -> Bytes:
    """height x width x 3; NaN and infinity are orange."""
    with np.errstate(invalid="ignore", over="ignore"):
        share = (plane.astype(np.float64) - low) / (high - low)
    level = (255 * np.clip(np.nan_to_num(share), 0, 1)).astype(np.uint8)
    picture = np.repeat(level[..., None], 3, axis=2)
    picture[~np.isfinite(plane.astype(np.float64))] = WRONG[1]
    return picture


def _input(plane: Array) -> Bytes:
    if plane.ndim == 3:
        return plane.astype(np.uint8)
    return _grey(plane, *_range(plane))


def _difference(failure: Failure) -> Bytes:
    """Dark where it is correct; elsewhere, the brightness is the logarithm of error / bound."""
    size = np.log10(np.clip(np.nan_to_num(failure.error, posinf=1e12), 1, 1e12))
    share = (size / (float(size.max()) or 1.0))[..., None]
    colours = np.array(WRONG[0]) + share * (np.array(WRONG[1]) - np.array(WRONG[0]))
    picture = np.where(failure.wrong[..., None], colours, np.array(RIGHT))
    return picture.astype(np.uint8)


def _map(failure: Failure) -> Figure:
    """Wrong and correct pixels, under the grid of tiles."""
    picture = np.where(failure.wrong[..., None], np.array(WRONG[1]), np.array(RIGHT))
    picture[failure.wrong & failure.unwritten] = UNWRITTEN
    note, tile = "bright: wrong", failure.tile
    if tile is None:
        title = f"Wrong {failure.unit}s"
        return _figure(failure, picture.astype(np.uint8), title, note, title)
    note = (
        f"each block of {tile.kernel} computes {tile.width}×{tile.height} pixels; "
        f"grid: {tile.grid[0]}×{tile.grid[1]} blocks"
    )
    drawing = _drawing(failure, picture.astype(np.uint8), f"Map of wrong pixels, {note}")
    height, width = failure.shape
    for x in range(tile.width, width, tile.width) if width / tile.width <= MOST_LINES else ():
        drawing.line(x, 0, x, height, "tile")
    for y in range(tile.height, height, tile.height) if height / tile.height <= MOST_LINES else ():
        drawing.line(0, y, width, y, "tile")
    _mark(drawing, failure)
    return Figure(drawing.done(), "Wrong pixels by tile", note)


def _figure(failure: Failure, picture: Bytes, title: str, note: str, first: str = "") -> Figure:
    label = f"{title}; {first}" if first else title
    drawing = _drawing(failure, picture, label)
    if first:
        _mark(drawing, failure)
    return Figure(drawing.done(), title, note)


def _drawing(failure: Failure, picture: Bytes, label: str) -> Svg:
    """The unit of length is a pixel of the whole plane, even if the picture has fewer pixels."""
    height, width = failure.shape
    drawing = Svg(width, height, label, "plane")
    drawing.image(width, height, png(picture))
    return drawing


def _mark(drawing: Svg, failure: Failure) -> None:
    """A ring around the first wrong pixel: light inside dark, so it shows on every ground. In a
    picture of a few pixels it lies inside that pixel."""
    y, x = failure.first
    longest = max(failure.shape)
    radius = max(0.4, min(longest / 28 + 1, longest / 8))
    for name in ("ring-under", "ring"):
        drawing.circle(x + 0.5, y + 0.5, radius, name)


def png(picture: Bytes) -> str:
    """A PNG as a data: URL. With at most 256 colours it has a palette: a third of a page's bytes
    less, and a page is mostly pictures."""
    buffer = io.BytesIO()
    image = Image.fromarray(np.ascontiguousarray(picture))
    if picture.ndim == 3:
        image = _with_palette(picture) or image
    image.save(buffer, "PNG", compress_level=6)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _with_palette(picture: Bytes) -> Image.Image | None:
    """The same pixels as numbers of colours; None where there are more than 256 colours."""
    height, width, _ = picture.shape
    red, green, blue = np.moveaxis(picture.astype(np.uint32), 2, 0)
    colours, index = np.unique(red << 16 | green << 8 | blue, return_inverse=True)
    if len(colours) > 256:
        return None
    image = Image.fromarray(index.reshape(height, width).astype(np.uint8), "P")
    channels = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)
    image.putpalette(channels.astype(np.uint8).tobytes())
    return image
