"""Arrays of several channels and element types, from the spec to the verdict."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from datasets import generate
from datasets import layers as data
from grader.diagnose import explain, location
from grader.execute import case as run
from grader.model import spec
from grader.model.spec import Case
from grader.oracle import inputs as cases
from grader.oracle import multichannel, operations
from grader.oracle.compare import Comparison, compare, number
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS

CHANNELS, HEIGHT, WIDTH, MASKS = 6, 9, 11, 5
CASE = Case(name="c", part="A", image="noise", mask="bank5x3", points=1)


def inputs(kind: str = "f8", mask: str = "bank5x3") -> Inputs:
    image = data.image("noise", (WIDTH, HEIGHT), CHANNELS, kind, 1)
    return Inputs(image, data.weights(mask, CHANNELS, kind, 2))


def by_definition(image: np.ndarray, bank: np.ndarray) -> np.ndarray:
    """The sums as they are printed in layers.py, in Python's floats."""
    count, channels, size, _ = bank.shape
    out = np.zeros((count, *image.shape[1:]))
    for n, y, x, c, b, a in np.ndindex(*out.shape, channels, size, size):
        v, u = y + b - size // 2, x + a - size // 2
        if 0 <= v < out.shape[1] and 0 <= u < out.shape[2]:
            out[n, y, x] += float(image[c, v, u]) * float(bank[n, c, b, a])
    return out


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("mask", ["bank5x1", "bank2x3", "bank1x5"])
def test_convolution_is_its_definition(kind: str, mask: str) -> None:
    given = inputs(kind, mask)
    right = by_definition(given.image, given.mask)
    seen = multichannel.convolution(given.image, given.mask)
    np.testing.assert_allclose(seen.value.astype(np.float64), right, rtol=0, atol=1e-13)
    assert compare(right.astype(kind), seen).right()


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_depthwise_is_its_definition(kind: str) -> None:
    given = inputs(kind, "random3")
    seen = multichannel.depthwise(given.image, given.mask)
    for channel in range(CHANNELS):
        plane = given.image[channel : channel + 1]
        right = by_definition(plane, given.mask[np.newaxis, np.newaxis])[0]
        np.testing.assert_allclose(
            seen.value[channel].astype(np.float64), right, rtol=0, atol=1e-13
        )


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_sums_in_another_type_are_outside_the_bound(kind: str) -> None:
    """Any order of summation in the type is within the bound; a narrower type anywhere is not."""
    given = inputs(kind)
    right = multichannel.convolution(given.image, given.mask)
    total = np.zeros(right.value.shape, dtype=kind)
    narrow = np.zeros(right.value.shape, dtype={"f8": "f4", "f4": "f2"}[kind])
    for channel in reversed(range(CHANNELS)):
        term = multichannel.convolution(
            given.image[channel:][:1], given.mask[:, channel:][:, :1]
        ).value
        total += term.astype(kind)
        narrow += term.astype(narrow.dtype)
    assert compare(total, right).right()
    assert not compare(narrow.astype(kind), right).right()
    rounded = multichannel.convolution(
        given.image.astype(narrow.dtype).astype(kind), given.mask
    ).value
    assert not compare(rounded.astype(kind), right).right()


def without_offset(given: Inputs, kept: tuple[int, int]) -> np.ndarray:
    """The weights as they are read when an offset is forgotten: kept is (of n, of c)."""
    count, channels = given.mask.shape[:2]
    masks, places = np.arange(count) * kept[0], np.arange(channels) * kept[1]
    return given.mask[masks][:, places]


FLAT = inputs().image.reshape(-1)
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
def test_known_mistake_is_named(name: str) -> None:
    given = inputs()
    wrong = multichannel.convolution(*WRONG[name](given)).value.astype(np.float64)
    seen = compare(wrong, multichannel.convolution(given.image, given.mask))
    assert not seen.right()
    found = explain.explain(CASE, "layers", given, seen)
    assert found is not None and found.name == name


def test_an_output_in_another_order_is_named() -> None:
    given = inputs()
    right = multichannel.convolution(given.image, given.mask)
    other = np.moveaxis(right.value, 0, 2).reshape(right.value.shape).astype(np.float64)
    found = explain.explain(CASE, "layers", given, compare(other, right))
    assert found is not None and found.name == "output-order"


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
def test_known_mistake_of_depthwise_is_named(name: str) -> None:
    given = inputs("f4", "random3")
    seen = compare(
        DEPTHWISE[name](given).astype(np.float32), multichannel.depthwise(given.image, given.mask)
    )
    found = explain.explain(CASE, "depthwise", given, seen)
    assert found is not None and found.name == name


def padded(given: Inputs, mode: str, dx: int = 0) -> np.ndarray:
    """The sums of an image with another border, or with windows `dx` to the right."""
    wide = np.pad(given.image, ((0, 0), (2, 2), (2, 2)), mode=mode)  # type: ignore[call-overload]
    return multichannel.convolution(wide, given.mask).value[:, 2:-2, 2 + dx : 2 + dx + WIDTH]


def by_taps(given: Inputs, factor: Callable[[int, int], float | np.ndarray]) -> np.ndarray:
    """The sums with the term of each tap (row, column of the mask) times a factor."""
    total = np.zeros((MASKS, HEIGHT, WIDTH))
    for row, column in np.ndindex(3, 3):
        only = np.zeros_like(given.mask)
        only[..., row, column] = given.mask[..., row, column]
        total += multichannel.convolution(given.image, only).value * factor(row, column)
    return total


def right_in(given: Inputs) -> np.ndarray:
    return multichannel.convolution(given.image, given.mask).value


def turned(image: np.ndarray) -> np.ndarray:
    return np.swapaxes(image.reshape(-1, WIDTH, HEIGHT), 1, 2)


def framed(given: Inputs) -> np.ndarray:
    out = np.zeros((MASKS, HEIGHT, WIDTH))
    out[:, 1:-1, 1:-1] = right_in(given)[:, 1:-1, 1:-1]
    return out


PLACES: dict[str, Callable[[Inputs], np.ndarray]] = {
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
    "row-pitch": lambda g: (
        multichannel.convolution(
            np.stack(
                [
                    [FLAT[c * HEIGHT * WIDTH + y * 10 :][:WIDTH] for y in range(HEIGHT)]
                    for c in range(CHANNELS)
                ]
            ),
            g.mask,
        ).value
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_mistake_with_places_is_named(name: str) -> None:
    given = inputs()
    seen = compare(
        PLACES[name](given).astype(np.float64), multichannel.convolution(given.image, given.mask)
    )
    assert not seen.right()
    found = explain.explain(CASE, "layers", given, seen)
    assert found is not None and found.name == name


def seen_with_poison(where: tuple[slice, ...]) -> tuple[Inputs, Comparison]:
    given = inputs()
    right = multichannel.convolution(given.image, given.mask)
    got = right.value.astype(np.float64)
    got.view(np.uint64)[where] = 2**64 - 1
    return given, compare(got, right)


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
def test_unwritten_doubles_are_seen(where: tuple[slice, ...], name: str, words: str) -> None:
    given, seen = seen_with_poison(where)
    found = explain.explain(CASE, "layers", given, seen)
    assert found is not None and found.name == name
    assert words in found.text


def test_wrong_values_are_located() -> None:
    given = inputs()
    right = multichannel.convolution(given.image, given.mask)

    def place(where: tuple[slice, ...]) -> str:
        got = right.value.astype(np.float64)
        got[where] += 1
        return location.wrong_elements("layers", given, compare(got, right))

    assert place((ALL, ALL, ALL)) == "every value"
    assert place((slice(2, 4), slice(0, 5), ALL)) == "in masks 2..3 and rows 0..4"
    assert place((slice(None, None, 2), ALL, ALL)) == "in masks 0, 2, 4"
    assert place((ALL, slice(0, 1), ALL)).startswith("all within 1 pixel of the image's border")


def test_a_byte_is_right_up_to_what_rounding_leaves_open() -> None:
    near = operations.bytes_near(np.array([7.4, 7.5, 7.6, 255.4, -0.2]), 1e-6)
    assert compare(np.array([7, 7, 8, 255, 0], dtype=np.uint8), near).right()
    assert compare(np.array([7, 8, 8, 255, 0], dtype=np.uint8), near).right()
    seen = compare(np.array([8, 9, 7, 254, 1], dtype=np.uint8), near)
    assert seen.count() == 5
    assert not compare(np.full(5, 255, dtype=np.uint8), near).unwritten.any()  # a legal value


def test_the_output_has_the_operations_type_and_shape() -> None:
    given = inputs("f8")
    assert OPERATIONS["layers"].output(given.arrays) == ("f8", (MASKS, HEIGHT, WIDTH))
    assert OPERATIONS["depthwise"].output(given.arrays) == ("f8", (CHANNELS, HEIGHT, WIDTH))
    plane = {"image": generate.noise(7, 5, 1), "mask": generate.mask("ando3", 0)}
    assert OPERATIONS["correlate"].output(plane) == ("f4", (5, 7))
    assert OPERATIONS["layers"].subscript((1, 2, 3)) == "[n=1][y=2][x=3]"


@pytest.mark.parametrize("kind", ["f4", "f8", "u1"])
def test_a_run_gives_back_what_was_written(kind: str, tmp_path: Path) -> None:
    values = np.arange(24).reshape(2, 3, 4).astype(kind)
    file = tmp_path / "out.raw"
    file.write_bytes(values.tobytes())
    wanted = run.Wanted(np.dtype(kind), (2, 3, 4))
    read = run._output(file, wanted)
    assert read is not None and read.dtype == values.dtype and np.array_equal(read, values)
    file.write_bytes(values.tobytes()[:-1])
    assert run._output(file, wanted) is None


def test_settings_are_the_border_where_there_is_one() -> None:
    assert CASE.settings() == {}
    case = Case(name="c", part="A", image="noise", points=1, border="zero", set={"a": "1"})
    assert case.settings() == {"border": "zero", "a": "1"}


def test_every_operation_of_a_lab_is_known() -> None:
    for lab in spec.available():
        for part in spec.load(lab).part:
            assert set(OPERATIONS[part.operation].inputs.values()) <= set(cases.MAKERS)


def test_numbers_show_every_bit() -> None:
    assert float(number(1 / 3, np.dtype("f8"))) == 1 / 3
    assert np.float32(number(float(np.float32(0.1)), np.dtype("f4"))) == np.float32(0.1)
    assert number(200.0, np.dtype("u1")) == "200"


def test_planes_and_weights_are_what_they_say() -> None:
    f = data.image("noise", (7, 5), 3, "f8", 4)
    assert f.shape == (3, 5, 7) and f.dtype == np.float64
    assert not np.array_equal(f, f.astype(np.float32))  # more than 24 bits
    assert f.min() > 0 and f.max() <= 1
    one = data.image("noise", (7, 5), 1, "f4", 4)
    assert np.array_equal(one[0], generate.image("noise", (7, 5), 4))
    bytes_ = data.image("noise", (97, 61), 3, "u1", 4)
    assert bytes_.dtype == np.uint8 and len(np.unique(bytes_)) == 256
    ramp = data.image("ramp", (4, 3), 2, "f4", 0)
    assert ramp[1, 2, 3] == 1 and len(np.unique(ramp)) == ramp.size
    photo = data.image("photo", None, 3, "u1", 0)
    assert photo.shape == (3, 400, 600) and np.array_equal(photo[1], generate.rgb()[..., 1])
    g = data.weights("bank20x3", 12, "f8", 5)
    assert g.shape == (20, 12, 3, 3) and g.min() < 0 < g.max()
    assert len(np.unique(g)) == g.size  # no two alike: an exchange shows
    pick = data.weights("pick4x3", 3, "f4", 0)
    assert pick.sum() == 4 and pick[3, 0, 1, 1] == 1
    assert data.weights("impulse3", 9, "f4", 0).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("name", ["bank4x2", "bank0x3", "random19", "ando3", ""])
def test_unknown_weights_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="there are no weights"):
        data.weights(name, 3, "f4", 0)


@pytest.mark.parametrize("wrong", [("noise", None, 3), ("photo", (3, 3), 3), ("photo", None, 4),
                                   ("noise", (3, 0), 3), ("photo_1080p", None, 3)])  # fmt: skip
def test_images_that_cannot_be_are_refused(wrong: tuple[str, tuple[int, int] | None, int]) -> None:
    with pytest.raises(ValueError, match="image"):
        data.image(*wrong, "f4", 0)
