"""Each known mistake with several channels is named by the output that it gives (lab 7)."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from datasets import layers
from grader.diagnose import location
from grader.execute import case as run
from grader.model.lab import Case
from grader.oracle import multichannel
from grader.oracle.inputs import Inputs
from grader.tests.diagnose.explained import compared, explained
from grader.tests.lab_operations import named

CHANNELS, HEIGHT, WIDTH, MASKS = 6, 9, 11, 5
CASE = Case(name="c", part="A", image="noise", mask="bank5x3", points=1)


def make_inputs(kind: str = "f8", mask: str = "bank5x3") -> Inputs:
    image = layers.image("noise", (WIDTH, HEIGHT), CHANNELS, kind, 1)
    return Inputs(image, layers.weights(mask, CHANNELS, kind, 2))


def without_offset(inputs: Inputs, kept: tuple[int, int]) -> np.ndarray:
    """The weights as they are read when an offset is forgotten: kept is (of n, of c)."""
    count, channels = inputs.mask.shape[:2]
    masks, places = np.arange(count) * kept[0], np.arange(channels) * kept[1]
    return inputs.mask[masks][:, places]


FLAT = make_inputs().image.reshape(-1)
WRONG: dict[str, Callable[[Inputs], tuple[np.ndarray, np.ndarray]]] = {
    "first-mask-everywhere": lambda g: (g.image, without_offset(g, (0, 1))),
    "first-channel-weights": lambda g: (g.image, without_offset(g, (1, 0))),
    "first-weights-everywhere": lambda g: (g.image, without_offset(g, (0, 0))),
    "weights-not-reloaded": lambda g: (g.image, g.mask[:, np.arange(CHANNELS) % 4]),
    "weights-order": lambda g: (
        g.image,
        g.mask.reshape(CHANNELS, MASKS, 3, 3).transpose(1, 0, 2, 3),
    ),
    "mask-flipped": lambda g: (g.image, g.mask[..., ::-1, ::-1]),
    "mask-transposed": lambda g: (g.image, np.swapaxes(g.mask, 2, 3)),
    "channel-order": lambda g: (
        np.moveaxis(FLAT.reshape(HEIGHT, WIDTH, CHANNELS), 2, 0),
        g.mask,
    ),
    "channels-reversed": lambda g: (g.image[::-1], g.mask),
    "channel-stride": lambda g: (
        np.stack([FLAT[c * 81 : c * 81 + 99] for c in range(CHANNELS)]).reshape(g.image.shape),
        g.mask,
    ),
    "first-channel-everywhere": lambda g: (np.repeat(g.image[:1], CHANNELS, axis=0), g.mask),
    "channels-left-out": lambda g: (g.image[:4], g.mask[:, :4]),
    "last-channel-only": lambda g: (g.image[-1:], g.mask[:, -1:]),
    "last-chunk-only": lambda g: (g.image[4:], g.mask[:, 4:]),
    "single-precision": lambda g: (g.image.astype(np.float32).astype(np.float64), g.mask),
}


@pytest.mark.parametrize("name", WRONG)
def test_channel_mistake_is_diagnosed(name: str) -> None:
    inputs = make_inputs()
    wrong = multichannel.convolution(*WRONG[name](inputs)).value
    assert explained(CASE, "layers", inputs, wrong).name == name


DEPTHWISE: dict[str, Callable[[Inputs], np.ndarray]] = {
    "mask-flipped": lambda g: multichannel.depthwise(g.image, g.mask[::-1, ::-1]).value,
    "channels-summed": lambda g: np.repeat(
        multichannel.depthwise(g.image, g.mask).value.sum(axis=0)[np.newaxis], CHANNELS, axis=0
    ),
    "first-channel-everywhere": lambda g: np.repeat(
        multichannel.depthwise(g.image, g.mask).value[:1], CHANNELS, axis=0
    ),
    "copied": lambda g: g.image,
    "all-zero": lambda g: np.zeros_like(g.image),
    "scaled": lambda g: multichannel.depthwise(g.image, g.mask).value / 9,
}


@pytest.mark.parametrize("name", DEPTHWISE)
def test_depthwise_mistake_is_diagnosed(name: str) -> None:
    inputs = make_inputs("f4", "random3")
    assert explained(CASE, "depthwise", inputs, DEPTHWISE[name](inputs)).name == name


def padded(inputs: Inputs, mode: str, dx: int = 0) -> np.ndarray:
    """The sums of an image with another border, or with windows `dx` to the right."""
    wide = np.pad(inputs.image, ((0, 0), (2, 2), (2, 2)), mode=mode)  # type: ignore[call-overload]
    return multichannel.convolution(wide, inputs.mask).value[:, 2:-2, 2 + dx : 2 + dx + WIDTH]


def by_taps(inputs: Inputs, factor: Callable[[int, int], float | np.ndarray]) -> np.ndarray:
    """The sums with the term of each tap (row, column of the mask) times a factor."""
    total = np.zeros((MASKS, HEIGHT, WIDTH))
    for row, column in np.ndindex(3, 3):
        only = np.zeros_like(inputs.mask)
        only[..., row, column] = inputs.mask[..., row, column]
        total += multichannel.convolution(inputs.image, only).value * factor(row, column)
    return total


def right_in(inputs: Inputs) -> np.ndarray:
    return multichannel.convolution(inputs.image, inputs.mask).value


def turned(image: np.ndarray) -> np.ndarray:
    return np.swapaxes(image.reshape(-1, WIDTH, HEIGHT), 1, 2)


def framed(inputs: Inputs) -> np.ndarray:
    out = np.zeros((MASKS, HEIGHT, WIDTH))
    out[:, 1:-1, 1:-1] = right_in(inputs)[:, 1:-1, 1:-1]
    return out


def with_stride(bank: np.ndarray, stride: int) -> np.ndarray:
    """The weights as they are read when a mask's rows of 3 are taken to be `stride` apart."""
    flat = np.pad(bank.reshape(-1), (0, 99))
    rows = np.arange(bank.size // 9)[:, None] * 9 + np.arange(3)[None, :] * stride
    return np.asarray(flat[rows[..., None] + np.arange(3)].reshape(bank.shape))


def with_pitch(pitch: int) -> np.ndarray:
    """The image as it is read when its rows are taken to be `pitch` apart."""
    starts = np.arange(CHANNELS)[:, None] * HEIGHT * WIDTH + np.arange(HEIGHT) * pitch
    return np.asarray(FLAT[starts[..., None] + np.arange(WIDTH)])


INDEXED: dict[str, Callable[[Inputs], np.ndarray]] = {
    "output-order": lambda g: np.moveaxis(right_in(g), 0, 2).reshape(MASKS, HEIGHT, WIDTH),
    "wrong-border": lambda g: padded(g, "edge"),
    "window-off": lambda g: padded(g, "constant", dx=1),
    "transposed": lambda g: np.swapaxes(right_in(g), 1, 2).reshape(MASKS, HEIGHT, WIDTH),
    "image-transposed": lambda g: multichannel.convolution(turned(g.image), g.mask).value,
    "mask-mirrored": lambda g: multichannel.convolution(g.image, g.mask[..., ::-1]).value,
    "mask-upside-down": lambda g: multichannel.convolution(g.image, g.mask[..., ::-1, :]).value,
    "border-skipped": framed,
    "single-tap": lambda g: by_taps(g, lambda row, column: 2 if (row, column) == (0, 2) else 1),
    "apron-missing": lambda g: by_taps(
        g, lambda _row, column: np.arange(WIDTH) % 8 + column - 1 >= 0
    ),
    "loop-bound": lambda g: by_taps(g, lambda row, column: row < 2 and column < 2),
    "mask-stride": lambda g: multichannel.convolution(g.image, with_stride(g.mask, 4)).value,
    "sum-not-reset": lambda g: np.cumsum(right_in(g), axis=2),
    "width-height-swapped": lambda g: multichannel.convolution(
        g.image.reshape(-1, WIDTH, HEIGHT), g.mask
    ).value.reshape(MASKS, HEIGHT, WIDTH),
    "row-pitch": lambda g: multichannel.convolution(with_pitch(10), g.mask).value,
}


@pytest.mark.parametrize("name", INDEXED)
def test_index_mistake_is_diagnosed(name: str) -> None:
    inputs = make_inputs()
    assert explained(CASE, "layers", inputs, INDEXED[name](inputs)).name == name


ALL = slice(None)


@pytest.mark.parametrize(
    ("where", "name", "words"),
    [
        ((ALL, ALL, ALL), "nothing-written", "no value of the output was written"),
        ((slice(3, None), ALL, ALL), "last-block-missing", "masks 3..4"),
        ((ALL, ALL, slice(8, None)), "last-block-missing", "columns 8..10"),
        ((slice(1, 2), ALL, ALL), "not-all-written", "mask 1"),
    ],
)
def test_unwritten_doubles_are_named(where: tuple[slice, ...], name: str, words: str) -> None:
    inputs = make_inputs()
    out = right_in(inputs).astype(np.float64)
    out.view(np.uint64)[where] = 2**64 - 1
    diagnosis = explained(CASE, "layers", inputs, out)
    assert diagnosis.name == name and words in diagnosis.text


def test_wrong_values_are_located() -> None:
    inputs = make_inputs()

    def place(where: tuple[slice, ...]) -> str:
        out = right_in(inputs).astype(np.float64)
        out[where] += 1
        comparison = compared(CASE, "layers", inputs, out)
        return location.wrong_elements(named("layers"), inputs, comparison)

    assert place((ALL, ALL, ALL)) == "every value"
    assert place((slice(2, 4), slice(0, 5), ALL)) == "in masks 2..3 and rows 0..4"
    assert place((slice(None, None, 2), ALL, ALL)) == "in masks 0, 2, 4"
    assert place((ALL, slice(0, 1), ALL)) == "all of row 0, the top of the image"
    assert place((slice(2, 4), slice(0, 1), ALL)).startswith("all within 1 pixel of the image's")


@pytest.mark.parametrize("kind", ["f4", "f8", "u1"])
def test_a_run_gives_back_what_was_written(kind: str, tmp_path: Path) -> None:
    values = np.arange(24).reshape(2, 3, 4).astype(kind)
    file = tmp_path / "out.raw"
    file.write_bytes(values.tobytes())
    wanted = run.ArrayType(np.dtype(kind), (2, 3, 4))
    read = run.read_array(file, wanted)
    assert read is not None and read.dtype == values.dtype and np.array_equal(read, values)
    file.write_bytes(values.tobytes()[:-1])
    assert run.read_array(file, wanted) is None


def test_settings_are_the_border_where_there_is_one() -> None:
    assert CASE.settings() == {}
    case = Case(name="c", part="A", image="noise", points=1, border="zero", set={"a": "1"})
    assert case.settings() == {"border": "zero", "a": "1"}
