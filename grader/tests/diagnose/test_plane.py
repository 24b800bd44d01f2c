"""Each known mistake is recognized by the output it gives, and a right output by none."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from grader.diagnose import location
from grader.diagnose.known import tiles
from grader.diagnose.known.filter import Filter
from grader.model.lab import Case
from grader.oracle import correlation
from grader.oracle.borders import BORDERS
from grader.oracle.compare import POISON, SIGNALLING
from grader.oracle.correlation import F32
from grader.oracle.inputs import Inputs
from grader.tests.diagnose.explained import compared, explained
from grader.tests.lab_operations import named

CASE = Case(name="c", part="A", image="noise", mask="random5", border="zero", points=1)
HEIGHT, WIDTH = 23, 37


def make_inputs(mask_shape: tuple[int, ...] = (5, 5)) -> Inputs:
    random = np.random.RandomState(1)
    image = random.uniform(0, 1, (HEIGHT, WIDTH)).astype(np.float32)
    return Inputs(image, random.uniform(0.1, 1, mask_shape).astype(np.float32))


def right(inputs: Inputs, border: str = "zero", mask: F32 | None = None) -> F32:
    chosen = inputs.mask if mask is None else mask
    return correlation.correlate64(inputs.image, chosen, border).astype(np.float32)


def without(mask: F32, rows: slice, columns: slice) -> F32:
    cut = mask.copy()
    cut[rows, columns] = 0
    return cut


def unwritten(out: F32, rows: slice, columns: slice) -> F32:
    out = out.copy()
    out.view(np.uint32)[rows, columns] = POISON
    return out


def tiled(inputs: Inputs, kind: tuple[str, ...], width: int, height: int) -> F32:
    """What tiles give that read 0 in a part of their apron."""
    apron = tiles.Apron(kind, width, height)
    f = Filter("correlate", inputs.image, inputs.mask, "zero")
    return tiles.without(apron, f).value.astype(np.float32)


def not_loaded(inputs: Inputs, wrong: npt.NDArray[np.bool_]) -> F32:
    out = right(inputs)
    out.view(np.uint32)[wrong] = POISON
    return out


def beyond_the_block(tile: int) -> npt.NDArray[np.bool_]:
    """The pixels whose 5x5 window reaches beyond the first tile x tile places of tile and apron."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    return np.asarray((x % tile >= tile - 4) | (y % tile >= tile - 4))


def framed(inputs: Inputs, frame: F32) -> F32:
    out = frame.copy()
    out[2:-2, 2:-2] = right(inputs)[2:-2, 2:-2]
    return out


def read_with_pitch(image: F32, pitch: int) -> F32:
    """The image as it looks when its rows are taken to be `pitch` apart."""
    flat = np.pad(image.reshape(-1), (0, HEIGHT * pitch))
    return np.stack([flat[y * pitch : y * pitch + WIDTH] for y in range(HEIGHT)])


def written_with_pitch(inputs: Inputs, pitch: int) -> F32:
    out = unwritten(inputs.image, ALL, ALL).reshape(-1)
    for y, row in enumerate(right(inputs)):
        out[y * pitch : y * pitch + WIDTH] = row
    return out.reshape(HEIGHT, WIDTH)


def with_stride(mask: F32, stride: int) -> F32:
    flat = np.pad(mask.reshape(-1), (0, 99))
    return np.stack([flat[b * stride : b * stride + 5] for b in range(5)])


def early(mask: F32, count: int) -> F32:
    """The mask as it is read when each index is `count` too small, with 0 before it."""
    return np.concatenate([np.zeros(count, "f4"), mask.reshape(-1)[:-count]]).reshape(mask.shape)


def correlated(image: F32, inputs: Inputs) -> F32:
    return correlation.correlate64(image, inputs.mask, "zero").astype(np.float32)


ALL = slice(None)
MISTAKES: dict[str, tuple[str, Callable[[Inputs], F32]]] = {
    "flipped mask": ("mask-flipped", lambda g: right(g, mask=g.mask[::-1, ::-1])),
    "transposed mask": ("mask-transposed", lambda g: right(g, mask=g.mask.T)),
    "no mask": ("mask-ignored", lambda g: right(g, mask=np.ones_like(g.mask))),
    "mirrored mask": ("mask-mirrored", lambda g: right(g, mask=g.mask[:, ::-1])),
    "upside down mask": ("mask-upside-down", lambda g: right(g, mask=g.mask[::-1])),
    "replicate border": ("wrong-border", lambda g: right(g, "replicate")),
    "wrapped border": ("wrong-border", lambda g: right(g, "wrap")),
    "mirrored border": ("wrong-border", lambda g: right(g, "mirror")),
    "reflected border": ("wrong-border", lambda g: right(g, "reflect")),
    "last row of the mask": (
        "loop-bound",
        lambda g: right(g, mask=without(g.mask, slice(4, 5), ALL)),
    ),
    "one tap left out": (
        "single-tap",
        lambda g: right(g, mask=without(g.mask, slice(1, 2), slice(3, 4))),
    ),
    "factor": ("scaled", lambda g: right(g) / np.float32(24)),
    "divided by the taps": ("normalised", lambda g: right(g) / np.float32(25)),
    "divided by the sum": ("normalised", lambda g: right(g) / g.mask.sum()),
    "copied": ("copied", lambda g: g.image.copy()),
    "zeros": ("all-zero", lambda g: np.zeros_like(g.image)),
    "nan": ("nan", lambda g: np.full_like(g.image, np.float32("nan"))),
    "shifted": ("shifted", lambda g: np.roll(right(g), (0, 1), (0, 1))),
    "nothing": ("nothing-written", lambda g: unwritten(g.image, ALL, ALL)),
    "last columns": ("last-block-missing", lambda g: unwritten(right(g), ALL, slice(32, None))),
    "last rows": ("last-block-missing", lambda g: unwritten(right(g), slice(16, None), ALL)),
    "one pixel": ("not-all-written", lambda g: unwritten(right(g), slice(3, 4), slice(5, 6))),
    "gap before a block ends": (
        "left-before-loading",
        lambda g: unwritten(right(g), ALL, slice(35, None)),
    ),
    "left apron": ("apron-missing", lambda g: tiled(g, ("left",), 16, 0)),
    "right and bottom apron": ("apron-missing", lambda g: tiled(g, ("right", "bottom"), 16, 8)),
    "all of the apron": (
        "apron-missing",
        lambda g: tiled(g, ("left", "right", "top", "bottom"), 8, 16),
    ),
    "corners of the apron": ("apron-missing", lambda g: tiled(g, ("corners",), 16, 16)),
    "apron never loaded": (
        "apron-missing",
        lambda g: not_loaded(g, tiles.Apron(("top",), 0, 8).touched((HEIGHT, WIDTH), 2, 2)),
    ),
    "one load a thread": ("one-load-a-thread", lambda g: not_loaded(g, beyond_the_block(16))),
    "window off by a radius": (
        "window-off",
        lambda g: correlated(np.pad(g.image, 4), g)[6:-2, 6:-2],
    ),
    "x and y swapped in the output": (
        "transposed",
        lambda g: np.ascontiguousarray(right(g).T).reshape(HEIGHT, WIDTH),
    ),
    "x and y swapped in the image": (
        "image-transposed",
        lambda g: correlated(np.ascontiguousarray(g.image.reshape(WIDTH, HEIGHT).T), g),
    ),
    "width and height swapped": (
        "width-height-swapped",
        lambda g: correlated(g.image.reshape(WIDTH, HEIGHT), g).reshape(HEIGHT, WIDTH),
    ),
    "rows of the image too short": (
        "row-pitch",
        lambda g: correlated(read_with_pitch(g.image, WIDTH - 1), g),
    ),
    "rows of the image padded": (
        "row-pitch",
        lambda g: correlated(read_with_pitch(g.image, 64), g),
    ),
    "rows of the output too short": ("row-pitch", lambda g: written_with_pitch(g, WIDTH - 1)),
    "rows of the mask too long": ("mask-stride", lambda g: right(g, mask=with_stride(g.mask, 6))),
    "rows of the largest mask": ("mask-stride", lambda g: right(g, mask=with_stride(g.mask, 17))),
    "rows of the mask too short": ("mask-stride", lambda g: right(g, mask=with_stride(g.mask, 4))),
    "rows of the mask a radius apart": (
        "mask-stride",
        lambda g: right(g, mask=with_stride(g.mask, 2)),
    ),
    "one sum for a row": ("sum-not-reset", lambda g: np.cumsum(right(g), axis=1)),
    "one sum for the image": (
        "sum-not-reset",
        lambda g: np.cumsum(right(g)).reshape(g.image.shape),
    ),
    "rows that no block leaves": (
        "not-all-written",
        lambda g: unwritten(right(g), slice(13, None), ALL),
    ),
    "frame of zeros": ("border-skipped", lambda g: framed(g, np.zeros_like(g.image))),
    "frame of the input": ("border-skipped", lambda g: framed(g, g.image)),
    "window one to the right": (
        "shifted",
        lambda g: correlated(np.pad(g.image, 3), g)[3:-3, 4:-2],
    ),
    "windows of the largest mask": (
        "window-off",
        lambda g: correlated(np.pad(g.image, 8), g)[2:-14, 8:-8],
    ),
    "windows a radius below": (
        "window-off",
        lambda g: correlated(np.pad(g.image, 4), g)[6:-2, 4:-4],
    ),
    "mask read a radius too early": ("mask-offset", lambda g: right(g, mask=early(g.mask, 2))),
    "positive offsets alone": (
        "loop-bound",
        lambda g: right(g, mask=without(without(g.mask, slice(0, 2), ALL), ALL, slice(0, 2))),
    ),
    "negative offsets alone": (
        "loop-bound",
        lambda g: right(g, mask=without(without(g.mask, slice(3, 5), ALL), ALL, slice(3, 5))),
    ),
    "added to the output": ("accumulated", lambda _: added_to((ALL, ALL))),
    "uninitialised": ("uninitialised-value", lambda g: right(g) - np.float32(1.7e38)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_plane_mistake_is_diagnosed(name: str) -> None:
    expected, make = MISTAKES[name]
    inputs = make_inputs()
    assert explained(CASE, "correlate", inputs, make(inputs)).name == expected


def test_border_skipped_is_named() -> None:
    inputs = make_inputs()
    out = np.full_like(inputs.image, np.nan)
    out.view(np.uint32)[:] = POISON
    out[2:-2, 2:-2] = right(inputs)[2:-2, 2:-2]
    assert explained(CASE, "correlate", inputs, out).name == "border-skipped"


@pytest.mark.parametrize("border", ["replicate", "wrap", "mirror", "reflect"])
def test_wrong_border_is_pictured_beside_the_right_one(border: str) -> None:
    inputs = make_inputs()
    diagnosis = explained(CASE, "correlate", inputs, right(inputs, border))
    assert diagnosis.name == "wrong-border"
    for name in (border, "zero"):
        assert f"a {name} border" in diagnosis.text and BORDERS[name].picture in diagnosis.text


def test_the_two_ends_of_a_row_exchanged() -> None:
    inputs = make_inputs()
    image = np.pad(inputs.image, 2, mode="edge")
    image[:, :2], image[:, -2:] = image[:, -1:].copy(), image[:, :1].copy()
    out = correlation.correlate(image, inputs.mask, "zero").value[2:-2, 2:-2]
    case = msgspec.structs.replace(CASE, border="replicate")
    diagnosis = explained(case, "correlate", inputs, out)
    assert diagnosis.name == "wrong-border" and "pixel of a row" in diagnosis.text
    diagnosis = explained(case, "correlate", inputs, right(inputs, "zero"))
    assert "ends are exchanged" not in diagnosis.text


@pytest.mark.parametrize("columns", [8, 16])
def test_one_mask_of_a_bank_for_several_columns(columns: int) -> None:
    inputs = make_inputs((4, 5, 5))
    out = np.empty_like(inputs.image)
    for x in range(WIDTH):
        mask = np.repeat(inputs.mask[x // columns % 4][np.newaxis], 4, axis=0)
        out[:, x] = correlation.polyphase(inputs.image, mask, "zero").value[:, x]
    diagnosis = explained(CASE, "polyphase", inputs, out)
    assert diagnosis.name == "wrong-phase" and f"for {columns} neighbouring" in diagnosis.text


BANK: dict[str, Callable[[Inputs], tuple[F32, F32]]] = {
    "mask-flipped": lambda g: (g.image, g.mask[..., ::-1, ::-1]),
    "loop-bound": lambda g: (g.image, g.mask * (np.arange(5) < 4)),
    "image-transposed": lambda g: (g.image.reshape(WIDTH, HEIGHT).T, g.mask),
    "row-pitch": lambda g: (read_with_pitch(g.image, WIDTH - 1), g.mask),
    "wrong-phase": lambda g: (g.image, np.roll(g.mask, 1, axis=0)),
    "one-phase": lambda g: (g.image, np.repeat(g.mask[2:3], 4, axis=0)),
    "bytes-forgotten": lambda g: (g.image, g.mask * (np.indices(g.mask.shape)[0] < 1)),
}


@pytest.mark.parametrize("name", BANK)
def test_phase_bank_mistake_is_diagnosed(name: str) -> None:
    inputs = make_inputs((4, 5, 5))
    image, bank = BANK[name](inputs)
    out = correlation.polyphase(image, bank, "zero").value
    assert explained(CASE, "polyphase", inputs, out).name == name


def test_windows_that_are_off_keep_the_mask_of_their_column() -> None:
    inputs = make_inputs((4, 5, 5))
    image = np.pad(inputs.image, 8)[2:, 2:]  # column 8 + x of it is column x + 2 of the input
    out = correlation.polyphase(image, inputs.mask, "zero").value[8:, 8:][:HEIGHT, :WIDTH]
    diagnosis = explained(CASE, "polyphase", inputs, out)
    assert diagnosis.name == "window-off"
    assert "2 px too far to the right and 2 px too far down" in diagnosis.text


@pytest.mark.parametrize("operation", ["separable", "lines"])
@pytest.mark.parametrize("border", ["zero", "replicate"])
def test_two_pass_mistakes_are_diagnosed(operation: str, border: str) -> None:
    random = np.random.RandomState(2)
    pair = random.uniform(0.1, 1, (2, 7)).astype(np.float32)
    image = make_inputs().image
    column, row = pair[0][:, np.newaxis], pair[1][np.newaxis, :]
    mask = pair if operation == "lines" else column * row
    inputs = Inputs(image, mask)
    case = msgspec.structs.replace(CASE, border=border)
    other = "replicate" if border == "zero" else "zero"

    def passes(first: str, second: str) -> np.ndarray:
        return correlation.correlate64(correlation.correlate64(image, row, first), column, second)

    def passes_with(row: np.ndarray) -> np.ndarray:
        return correlation.correlate64(correlation.correlate64(image, row, border), column, border)

    for out, name, word in (
        (correlation.correlate64(image, row, border), "one-pass", "row pass"),
        (3 * correlation.correlate64(image, column, border), "one-pass", "column pass"),
        (passes(border, other), "wrong-border", "in the column pass"),
        (passes(other, border), "wrong-border", "in the row pass"),
        (correlation.correlate64(image, column.T * row.T, border), "mask-transposed", "transposed"),
        (
            correlation.correlate64(image, (column * row)[::-1, ::-1], border),
            "mask-flipped",
            "flipped",
        ),
        (passes_with(row * (np.arange(7) < 6)), "loop-bound", "last column"),
    ):
        diagnosis = explained(case, operation, inputs, out)
        assert diagnosis.name == name and word in diagnosis.text


CHESSBOARD = "where x + y is odd, like the squares of one colour of a chessboard"
FRAMED = "all within 2 pixels of the image's border, where the mask extends beyond the image"
EVERY_4 = "pixel 0 of every 4, counted row by row"


def lines(x: list[int], y: list[int]) -> npt.NDArray[np.bool_]:
    """All pixels of some columns and some rows."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    return np.isin(columns, x) | np.isin(rows, y)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ((ALL, slice(35, None)), "all of columns 35..36, the right end of the image"),
        ((ALL, slice(0, 1)), "all of column 0, the left end of the image"),
        ((slice(0, 2), ALL), "all of rows 0..1, the top of the image"),
        ((slice(1, None, 4), ALL), "in row 1 of every 4"),
        ((ALL, np.arange(WIDTH) % 4 > 0), "in columns 1..3 of every 4"),
        (lines(x=[15, 31], y=[15]), "all of columns 15 and 31 and all of row 15"),
        (lines(x=[35], y=[]), "all of column 35"),
        (lines(x=[0, 36], y=[]), FRAMED),
        (lines(x=[36], y=[22]), "all of column 36 and all of row 22"),
        (lines(x=[3, 7, 11, 15, 19, 23, 27], y=[7]), "all of column 3 of every 4 and all of row 7"),
        (np.arange(HEIGHT * WIDTH).reshape(HEIGHT, WIDTH) % 4 == 0, EVERY_4),
        (np.indices((HEIGHT, WIDTH)).sum(axis=0) % 2 == 1, CHESSBOARD),
        ((slice(4, 9), slice(7, 21)), "in rows 4..8 and columns 7..20"),
        ((slice(4, 5), slice(7, 21)), "in row 4 and columns 7..20"),
        (
            np.ix_(np.array([2, 3, 5, 9, 10, 12, 15]), np.arange(7, 21)),
            "in some of rows 2..15 and columns 7..20",
        ),
    ],
)
def test_the_wrong_region_is_described(where: Any, words: str) -> None:
    inputs = make_inputs()
    out = right(inputs)
    out[where] += 1
    comparison = compared(CASE, "correlate", inputs, out)
    assert location.wrong_elements(named("correlate"), inputs, comparison) == words


def test_zeros_may_come_from_an_integer_only_where_values_are_small() -> None:
    inputs = make_inputs()
    for factor, small in ((np.float32(0.01), True), (np.float32(1), False)):
        scaled = Inputs(inputs.image, np.ascontiguousarray(inputs.mask * factor))
        diagnosis = explained(CASE, "correlate", scaled, np.zeros_like(inputs.image))
        assert diagnosis.name == "all-zero" and ("integer" in diagnosis.text) == small


def test_noise_is_not_explained() -> None:
    inputs = make_inputs()
    out = np.random.RandomState(9).uniform(0, 9, inputs.image.shape).astype(np.float32)
    assert explained(CASE, "correlate", inputs, out).name == ""
    comparison = compared(CASE, "correlate", inputs, out)
    assert location.wrong_elements(named("correlate"), inputs, comparison) == "every pixel"


def test_an_apron_is_tried_where_no_tap_adds_anything() -> None:
    inputs = Inputs(make_inputs().image, np.zeros((5, 5), dtype=np.float32))
    out = np.zeros_like(inputs.image)
    out[:, np.arange(WIDTH) % 16 < 2] = 1
    assert explained(CASE, "correlate", inputs, out).name != "apron-missing"


def test_the_missing_part_and_the_tile_size_are_named() -> None:
    inputs = make_inputs()
    out = tiled(inputs, ("bottom",), 0, 4)
    text = explained(CASE, "correlate", inputs, out).text
    assert "the bottom apron of tiles of 4 rows" in text
    comparison = compared(CASE, "correlate", inputs, out)
    assert (
        location.wrong_elements(named("correlate"), inputs, comparison) == "in rows 2..3 of every 4"
    )


@pytest.mark.parametrize("kind", [("left",), ("right", "bottom"), ("corners",)])
def test_apron_is_blamed_only_where_it_matters(kind: tuple[str, ...]) -> None:
    """An output that is wrong in the same places, but not by what the apron would have inputs."""
    inputs = make_inputs()
    out = tiled(inputs, kind, 16, 16)
    out[compared(CASE, "correlate", inputs, out).wrong] *= np.float32(0.9)
    assert explained(CASE, "correlate", inputs, out).name != "apron-missing"


def untouched(where: tuple[slice, slice]) -> F32:
    """The right output, but for what the function never wrote."""
    out = right(make_inputs())
    out.view(np.uint32)[where] = SIGNALLING[4]
    return out


def added_to(where: tuple[slice, slice]) -> F32:
    """As untouched, but the function added to what the output held."""
    with np.errstate(invalid="ignore"):
        return untouched(where) + np.float32(1) - np.float32(1)


@pytest.mark.parametrize(
    ("out", "on_host", "name"),
    [
        (untouched((ALL, ALL)), True, "nothing-written"),
        (untouched((ALL, ALL)), False, "nothing-written"),
        (added_to((ALL, ALL)), True, "accumulated"),
        (added_to((slice(3, 9), ALL)), True, "accumulated"),
        (untouched((slice(22, None), ALL)), True, "last-block-missing"),
        (unwritten(right(make_inputs()), slice(21, None), ALL), False, "left-before-loading"),
        (untouched((slice(21, None), ALL)), False, "not-all-written"),
        (added_to((slice(3, 9), ALL)), False, "accumulated"),
    ],
)
def test_never_written_and_added_to_have_different_names(
    out: F32, on_host: bool, name: str
) -> None:
    assert explained(CASE, "correlate", make_inputs(), out, on_host=on_host).name == name


@pytest.mark.parametrize("kind", [("left",), ("top", "bottom"), ("left", "right", "top", "bottom")])
def test_tiles_of_two_passes_without_their_apron_are_named(kind: tuple[str, ...]) -> None:
    pair = np.random.RandomState(2).uniform(0.1, 1, (2, 7)).astype(np.float32)
    inputs = Inputs(make_inputs().image, pair)
    apron = tiles.Apron(kind, 16 if "left" in kind else 0, 8 if "top" in kind else 0)
    mask = correlation.outer(pair).astype(np.float32)
    out = tiles.without(apron, Filter("correlate", inputs.image, mask, "zero")).value
    diagnosis = explained(CASE, "lines", inputs, out)
    assert diagnosis.name == "apron-missing" and apron.words() in diagnosis.text


@pytest.mark.parametrize("content", [POISON, 0x40490FDB])
@pytest.mark.parametrize("forgotten", ["row", "column"])
def test_a_mask_read_before_its_first_coefficient_is_named(content: int, forgotten: str) -> None:
    """Pixels near the upper border need no such coefficient; the others hold anything."""
    inputs = make_inputs()
    shift = 10 if forgotten == "row" else 2
    out = right(inputs, mask=early(inputs.mask, shift))
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    unknown = (y >= 2) if shift == 2 else (y >= 1)
    out.view(np.uint32)[unknown & (x >= 1 if shift == 2 else x >= 0)] = content
    if shift == 10:  # rows -2 and -1 of the mask are unknown; the window of row 0 has neither
        assert not unknown[0].any()
    diagnosis = explained(CASE, "correlate", inputs, out)
    assert diagnosis.name == "mask-offset" and f"{forgotten} " in diagnosis.text


@pytest.mark.parametrize(
    ("reads", "threads", "name", "words", "no_words"),
    [
        # what a run with all checks on read decides between two readings of the same pixels
        (None, None, "last-block-missing", "or were computed from", "uninitialized memory;"),
        ("", None, "last-block-missing", "cover the whole image?", "uninitialized"),
        ("", (64, 32), "last-block-missing", "the grid has 64 x 32 threads", "does not cover"),
        ("", (32, 24), "last-block-missing", "32 x 24 threads for 34 x 23 pixels; comp", "check"),
        ("uninitialized memory", None, "left-before-loading", "computed from", "grid"),
        ("memory outside of its array", None, "uninitialised-result", "outside", "grid"),
    ],
)
def test_read_finding_separates_small_grid_from_unloaded_tile(
    reads: str | None, threads: tuple[int, int] | None, name: str, words: str, no_words: str
) -> None:
    inputs = make_inputs()
    inputs = Inputs(inputs.image[:, :34], inputs.mask)
    out = unwritten(right(inputs), ALL, slice(32, None))
    diagnosis = explained(CASE, "correlate", inputs, out, reads=reads, threads=threads)
    assert diagnosis.name == name
    assert words in diagnosis.text and no_words not in diagnosis.text


def transposed(out: F32, side: int) -> F32:
    """Tiles of a result that goes on beyond the image, with rows and columns exchanged."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    exchanged: F32 = out[y - y % side + x % side, x - x % side + y % side]
    return exchanged


def beyond(inputs: Inputs, mask: F32, border: str) -> F32:
    """A result that goes on beyond the image, below and on the right."""
    wide = BORDERS[border].numpy
    image = np.pad(inputs.image, ((0, 40), (0, 40)), mode=wide)  # type: ignore[call-overload]
    return correlation.correlate64(image, mask, border).astype(np.float32)


@pytest.mark.parametrize("border", ["zero", "replicate"])
@pytest.mark.parametrize("side", [8, 16, 28, 32])
def test_a_transposed_tile_is_named(side: int, border: str) -> None:
    """28: the tile of 32 threads that load an apron of 2 pixels, too."""
    inputs = make_inputs()
    case = msgspec.structs.replace(CASE, border=border)
    symmetric = Inputs(inputs.image, (inputs.mask + inputs.mask.T) / 2)
    for g, mask, words in (
        (inputs, inputs.mask, "swapped where it is read, or x and y of threadIdx"),
        (inputs, inputs.mask.T, "swapped where it is loaded;"),
        (symmetric, symmetric.mask, "where it is loaded or where it is read, or"),
    ):
        diagnosis = explained(case, "correlate", g, transposed(beyond(g, mask, border), side))
        assert diagnosis.name == "tile-transposed"
        assert f"each tile of {side}x{side}" in diagnosis.text and words in diagnosis.text


def test_tiles_in_another_order_are_not_transposed_ones() -> None:
    """Nor is a whole image, nor one of fewer wrong pixels than show anything."""
    inputs = make_inputs()
    out = beyond(inputs, inputs.mask, "zero")
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    for other in (
        out[y - y % 8 + 7 - y % 8, x],
        out[y % 16 + (x // 16 * 16) % 48, x % 16 + (y // 16 * 16)],
    ):
        assert explained(CASE, "correlate", inputs, other).name != "tile-transposed"


def test_one_row_alone_has_no_pitch() -> None:
    given = make_inputs()
    inputs = Inputs(given.image[:, :1].copy(), given.mask)
    out = unwritten(right(inputs), slice(1, None), ALL)
    assert explained(CASE, "correlate", inputs, out, on_host=True).name != "row-pitch"


def test_stripes_that_no_block_explains_are_stated_alone() -> None:
    inputs = make_inputs()
    out = not_loaded(inputs, np.arange(WIDTH)[np.newaxis, :].repeat(HEIGHT, 0) % 4 > 0)
    said = explained(CASE, "correlate", inputs, out, reads="").text
    assert said.endswith("of every 4 columns only the first is")


@pytest.mark.parametrize(
    ("block", "every", "written", "words"),
    [
        ((32, 8), 32, 8, "of every 32 columns only the first 8 are"),
        ((8, 16), 16, 8, "of every 16 rows only the first 8 are"),
        ((32, 4), 32, 8, ""),  # a thread of 8 that writes
        ((32, 32), 32, 8, ""),
    ],
)
def test_x_and_y_of_threadidx_exchanged_are_named(
    block: tuple[int, int], every: int, written: int, words: str
) -> None:
    inputs = make_inputs()
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    left_out = (x if block[0] > block[1] or not words else y) % every >= written
    out = not_loaded(inputs, left_out)
    diagnosis = explained(CASE, "correlate", inputs, out, reads="", threads=(64, 32), block=block)
    assert (diagnosis.name == "threadidx-exchanged") == bool(words)
    assert words in diagnosis.text


@pytest.mark.parametrize(
    ("block", "rows", "transposed", "words"),
    [
        ((16, 8), 1, False, "in each row only one of every 16 columns"),
        ((16, 8), 4, False, "x takes threadIdx.x"),  # rows for each thread
        ((8, 16), 1, True, "in each column only one of every 16 rows"),
        ((16, 8), 99, False, ""),  # one thread of each row works
        ((8, 8), 1, False, ""),  # other threads than these blocks have
    ],
)
def test_x_made_from_the_index_for_y_is_named(
    block: tuple[int, int], rows: int, transposed: bool, words: str
) -> None:
    inputs = make_inputs()
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    x, y = (y, x) if transposed else (x, y)
    out = not_loaded(inputs, x % 16 != y // rows % 8)
    diagnosis = explained(CASE, "correlate", inputs, out, reads="", threads=(64, 32), block=block)
    assert (diagnosis.name == "threadidx-exchanged") == bool(words)
    assert words in diagnosis.text


@pytest.mark.parametrize(
    ("rows", "threads", "block", "words"),
    [
        (8, (96, 8), (32, 8), "96 x 8 threads for 37 x 23 pixels; make its x from the width"),
        (16, (64, 16), (32, 8), "64 x 16 threads for 37 x 23 pixels; round the division up"),
        (8, (64, 8), (32, 8), "pixels; compute the number of blocks from the size of the image"),
        (
            12,
            (80, 12),
            (8, 4),
            "; its 10 x 3 blocks are right for blocks of 4 x 8 threads, and these",
        ),
        (6, (64, 6), (16, 2), "; compute"),
        (8, (96, 16), (32, 8), ""),  # the grid does not explain it
    ],
)
def test_a_grid_with_too_few_blocks_is_told_by_the_one_change_that_fits(
    rows: int, threads: tuple[int, int], block: tuple[int, int], words: str
) -> None:
    out = unwritten(right(make_inputs()), slice(rows, None), ALL)
    run = {"reads": "", "threads": threads, "block": block}
    said = explained(CASE, "correlate", make_inputs(), out, **run).text
    assert words in said and bool(words) == ("threads for" in said)


@pytest.mark.parametrize(
    ("width", "height", "threads", "words"),
    [
        (37, 22, (64, 32), "check the bounds before the write"),
        (36, 23, (64, 32), "check the bounds before the write"),
        (36, 22, (64, 32), "check the bounds before the write"),
        (36, 22, None, "cover the whole image?"),
        (37, 22, None, "line 2 leaves them out by `< height - 1`: test x < width"),
    ],
)
def test_a_bounds_test_that_leaves_the_last_line_out(
    width: int, height: int, threads: tuple[int, int] | None, words: str
) -> None:
    inputs = make_inputs()
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    out = not_loaded(inputs, (x >= width) | (y >= height))
    reads = "" if threads else None
    source = "// x < width - 1\ny < height - 1" if "line 2" in words else "min(x, width - 1)"
    diagnosis = explained(
        CASE, "correlate", inputs, out, reads=reads, threads=threads, source=source
    )
    assert diagnosis.name == "last-block-missing" and words in diagnosis.text


@pytest.mark.parametrize(
    ("source", "name"),
    [("float4 v;", "vector-tail"), ("x + 4 < w", "vector-tail"), ("x += 32;  // 4", "")],
)
def test_groups_of_four_are_named_where_the_file_has_any(source: str, name: str) -> None:
    out = unwritten(right(make_inputs()), ALL, slice(36, None))
    diagnosis = explained(CASE, "correlate", make_inputs(), out, reads="", source=source)
    assert (diagnosis.name == "vector-tail") == bool(name)


@pytest.mark.parametrize("bits", [0xFFFFFFFF, 0x7FC00000, 0xFFC00001])
def test_a_nan_that_was_stored_was_written(bits: int) -> None:
    """Of an array on the host, only its own bits from before the call are called unwritten."""
    inputs = make_inputs()
    out = right(inputs)
    out.view(np.uint32)[:, 6:] = bits
    assert not compared(CASE, "correlate", inputs, out).untouched.any()
    assert explained(CASE, "correlate", inputs, out, on_host=True).name == "nan"


def test_exchanged_lines_are_diagnosed_from_the_source() -> None:
    random = np.random.RandomState(2)
    row = random.uniform(0.1, 1, (1, 7)).astype(np.float32)
    inputs = Inputs(make_inputs().image, row)
    for source, name in (
        ("cudaMemcpyToSymbol(c_row, h_column, bytes);", "lines-exchanged"),
        ("cudaMemcpyToSymbol(c_row, h_row, bytes);", "copied"),
        ("", "copied"),
    ):
        diagnosis = explained(CASE, "correlate", inputs, inputs.image, source=source)
        assert diagnosis.name == name
        assert name != "copied" or "coefficients of the other one" in diagnosis.text


def test_mistake_is_diagnosed_under_bitwise_comparison() -> None:
    inputs = make_inputs()
    case = msgspec.structs.replace(CASE, exact="float32 row-major")
    for mask, name in ((inputs.mask, "not-bit-for-bit"), (inputs.mask[::-1, ::-1], "mask-flipped")):
        assert explained(case, "correlate", inputs, right(inputs, mask=mask)).name == name
