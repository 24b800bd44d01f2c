"""From colour to grey: the rule, the mistakes with it, and a CPU that lacks what a part needs."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from grader import exit_codes
from grader.execute import backend
from grader.grading import score
from grader.model import spec
from grader.model.lab import Case
from grader.model.result import Check
from grader.oracle.compare import bytes_before, compare
from grader.oracle.grayscale import DECIMALS, WEIGHTS, grey
from grader.oracle.inputs import Inputs, inputs
from grader.session import plan
from grader.tests.diagnose.explained import explained
from grader.tests.lab_operations import named

LAB = spec.load("lab8")
CASE = Case(
    name="c",
    part="A",
    image="noise",
    points=1,
    size=(61, 53),
    set={"weights": "709"},
)
GIVEN = inputs(LAB, CASE, 8)
RIGHT = grey(GIVEN.image, WEIGHTS["709"])
I64 = npt.NDArray[np.int64]
BYTES = "in pixel 1 of every 4: it is made from the bytes 5, 4 and 3 of the 12"


def test_products_that_are_cut_apart() -> None:
    out = sum(GIVEN.image[..., i].astype(np.int64) * WEIGHTS["709"][i] >> 15 for i in range(3))
    assert "cut separately" in explained(CASE, "grey", GIVEN, np.asarray(out)).text


def test_the_image_is_what_the_driver_wants() -> None:
    assert GIVEN.image.shape == (53, 61, 3) and GIVEN.image.dtype == np.uint8
    assert named("grey").output(GIVEN.arrays) == ("u1", (53, 61))


@pytest.mark.parametrize("name", WEIGHTS)
def test_the_weights_are_the_decimals_and_keep_white(name: str) -> None:
    assert sum(WEIGHTS[name]) == 32768
    for weight, decimal in zip(WEIGHTS[name], DECIMALS[name], strict=True):
        assert abs(weight - decimal * 32768) < 0.6 and weight < 32768


@pytest.mark.parametrize("name", WEIGHTS)
def test_one_byte_is_right_and_floats_find_it(name: str) -> None:
    """lab.h promises that a float's 24 bits hold every sum: any arithmetic gives the same byte."""
    steps = np.arange(0, 256, 5, dtype=np.uint8)
    image = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(len(steps), -1, 3)
    scaled = [np.float32(weight) / np.float32(32768) for weight in WEIGHTS[name]]
    total = np.full(image.shape[:2], 0.5, dtype=np.float32)
    for channel in (2, 0, 1):
        total += scaled[channel] * image[..., channel].astype(np.float32)
    expected = named("grey").expected({"image": image}, {"weights": name})
    assert not expected.bound.any()
    assert compare(total.astype(np.uint8), expected).right()
    assert not compare((total + np.float32(1)).astype(np.uint8), expected).right()


BEFORE = bytes_before(RIGHT.size).reshape(RIGHT.shape).astype(np.int64)
TOTAL = GIVEN.image.astype(np.int64) @ np.array(WEIGHTS["709"]) + 16384


def reordered(vector: int, order: list[int]) -> I64:
    flat = RIGHT.reshape(-1).copy()
    whole = len(flat) // vector * vector
    flat[:whole] = flat[:whole].reshape(-1, vector)[:, order].reshape(-1)
    return flat.reshape(RIGHT.shape)


def left_over(count: int) -> I64:
    got = RIGHT.reshape(-1).copy()
    got[len(got) - count :] = BEFORE.reshape(-1)[len(got) - count :]
    return got.reshape(RIGHT.shape)


def lanes(order: list[int]) -> I64:
    """Each 32 pixels from their six lanes of 16 bytes in another order."""
    flat, got = GIVEN.image.reshape(-1), RIGHT.reshape(-1).copy()
    groups = got.size // 32
    moved = flat[: groups * 96].reshape(groups, 6, 16)[:, order].reshape(groups, 32, 3)
    got[: groups * 32] = grey(moved, WEIGHTS["709"]).reshape(-1)
    return got.reshape(RIGHT.shape)


def maddubs(weights: list[int], image: I64 | None = None) -> I64:
    red, green, blue = np.moveaxis((GIVEN.image if image is None else image).astype(np.int64), 2, 0)
    pairs = np.clip(red * weights[0] + green * weights[1], -32768, 32767)
    return np.asarray(np.clip((pairs + blue * weights[2] + 128) >> 8, 0, 255))


MISTAKES: dict[str, Callable[[], I64]] = {
    "nothing-written": lambda: BEFORE,
    "not-all-written": lambda: left_over(33),
    "channels-swapped": lambda: grey(GIVEN.image[..., ::-1], WEIGHTS["709"]),
    "channel-left-out": lambda: grey(GIVEN.image, (6966, 23436, 0)),
    "one-channel": lambda: GIVEN.image[..., 1].astype(np.int64),
    "weights-ignored": lambda: grey(GIVEN.image, WEIGHTS["601"]),
    "averaged": lambda: GIVEN.image.astype(np.int64).sum(axis=2) // 3,
    "truncated": lambda: (GIVEN.image.astype(np.int64) @ np.array(WEIGHTS["709"])) >> 15,
    "wrong-shift": lambda: (GIVEN.image.astype(np.int64) @ np.array(WEIGHTS["709"]) + 16384) >> 16,
    "narrow-weights": lambda: (GIVEN.image.astype(np.int64) @ np.array([54, 183, 18]) + 128) >> 8,
    "maddubs-signed": lambda: maddubs([54, 183 - 256, 19]),
    "rounded-apart": lambda: (
        (GIVEN.image.astype(np.int64) * np.array(WEIGHTS["709"]) + 16384) >> 15
    ).sum(axis=2),
    "channel-order": lambda: grey(
        np.moveaxis(GIVEN.image.reshape(3, 53, 61), 0, 2), WEIGHTS["709"]
    ),
    "transposed": lambda: np.ascontiguousarray(RIGHT.T).reshape(RIGHT.shape),
    "image-transposed": lambda: RIGHT.reshape(RIGHT.shape[::-1]).T,
    "channel-stride": lambda: grey(
        np.resize(GIVEN.image.reshape(-1), (RIGHT.size, 4))[:, :3].reshape(GIVEN.image.shape),
        WEIGHTS["709"],
    ),
    "shifted": lambda: np.roll(RIGHT.reshape(-1), 1).reshape(RIGHT.shape),
    "row-pitch": lambda: np.stack([RIGHT.reshape(-1)[y * 60 : y * 60 + 61] for y in range(53)]),
    "not-normalised": lambda: TOTAL & 255,
    "accumulated": lambda: (RIGHT + BEFORE) & 255,
    "channel-twice": lambda: grey(GIVEN.image, (6966, 23436 + 2366, 0)),
    "signed-saturation": lambda: np.minimum(RIGHT, 127),
    "signed-bytes": lambda: np.clip(
        (GIVEN.image.view(np.int8).astype(np.int64) @ np.array(WEIGHTS["709"]) + 16384) >> 15,
        0,
        255,
    ),
    "lane-order": lambda: lanes([0, 2, 4, 1, 3, 5]),
    "wrong-order": lambda: reordered(16, [*range(8, 16), *range(8)]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_grayscale_mistake_is_diagnosed(name: str) -> None:
    assert explained(CASE, "grey", GIVEN, MISTAKES[name]()).name == name


def test_narrow_weights_and_signed_operands_are_told_apart() -> None:
    """Of 7 bits, green is what the others leave; the pixels are the second operand."""
    seven = (GIVEN.image.astype(np.int64) @ np.array([27, 92, 9]) + 64) >> 7
    assert "weights of 7 bits" in explained(CASE, "grey", GIVEN, seven).text
    signed = maddubs([54, 183, 18], GIVEN.image.view(np.int8))
    assert "with pixels above 127" in explained(CASE, "grey", GIVEN, signed).text


@pytest.mark.parametrize(
    ("size", "part", "words"),
    [
        ((17, 3), slice(48, None), "in the last 3 pixels, which remain after the last whole"),
        ((17, 3), slice(0, 48), "in the pixels before the last 3 pixels, which remain after"),
        # 48 pixels are three vectors of 16, so a wrong third one was said to remain after groups
        # of 32, which part C does not have.
        ((16, 3), slice(32, None), "in the last 16 pixels, which remain after the last whole"),
    ],
)
def test_mistake_in_a_part_names_the_part(size: tuple[int, int], part: slice, words: str) -> None:
    given = inputs(LAB, msgspec.structs.replace(CASE, size=size), 8)
    right = grey(given.image, WEIGHTS["709"])
    got = right.reshape(-1).copy()
    got[part] = grey(given.image[..., ::-1], WEIGHTS["709"]).reshape(-1)[part]
    diagnosis = explained(CASE, "grey", given, got.reshape(right.shape))
    assert diagnosis.name == "channels-swapped" and diagnosis.text.startswith(words)
    assert "32" not in diagnosis.text


def test_colours_swapped_in_one_pixel_of_a_word_are_named() -> None:
    """A kernel takes four pixels out of three words, each in a line of its own."""
    at = np.arange(RIGHT.size).reshape(RIGHT.shape) % 4
    for places, said in (([2], "in pixel 2 of every 4: red and blue are swapped"), ([1, 2], BYTES)):
        swapped = np.where(np.isin(at, places), grey(GIVEN.image[..., ::-1], WEIGHTS["709"]), RIGHT)
        assert explained(CASE, "grey", GIVEN, swapped).text[: len(said) or None] == said


@pytest.mark.parametrize(
    ("vector", "words", "no_words"), [(4, "lowest byte", "shuffle"), (16, "shuffle", "lowest byte")]
)
def test_reordered_pixels_are_located(vector: int, words: str, no_words: str) -> None:
    text = explained(CASE, "grey", GIVEN, reordered(vector, [*range(vector)][::-1])).text
    assert words in text and no_words not in text


@pytest.mark.parametrize(
    ("floors", "to_even", "words"),
    [
        (
            (0,),
            True,
            "to the even one, as lrintf() and _mm_cvtps_epi32() do, or always rounded down",
        ),
        ((0, 1), True, "to the even one, as lrintf() and _mm_cvtps_epi32() do;"),
        ((0, 1), False, "is rounded down;"),
    ],
)
def test_halfway_value_is_diagnosed(floors: tuple[int, ...], to_even: bool, words: str) -> None:
    """Of all colours, one in some ten thousand is such a value. floors: even or odd below it."""
    steps = np.stack(np.meshgrid(np.arange(256), np.arange(256), [77, 78]), axis=-1).reshape(-1, 3)
    total = steps @ np.array(WEIGHTS["709"])
    image = GIVEN.image.copy()
    for floor in floors:
        halves = steps[(total % 32768 == 16384) & (total // 32768 % 2 == floor)]
        image[20, 30 + floor] = halves[0]
    exact = image.astype(np.float64) @ (np.array(WEIGHTS["709"]) / 32768)
    got = np.rint(exact) if to_even else np.ceil(exact - 0.5)
    diagnosis = explained(CASE, "grey", Inputs(image), got)
    assert diagnosis.name == "rounded-half" and words in diagnosis.text


@pytest.mark.parametrize("change", [1, -1, 40])
def test_single_wrong_pixel_has_no_diagnosis(change: int) -> None:
    got = RIGHT.copy()
    got[20, 30] += change
    assert explained(CASE, "grey", GIVEN, got).name == ""


def test_saturated_output_is_not_called_a_missing_shift() -> None:
    """Bytes in the wrong order saturate as well. Only the file's text can tell."""
    got = np.full(RIGHT.shape, 255)
    got[::9, 5] = 3
    assert explained(CASE, "grey", GIVEN, got).name in ("", "all-255")
    line = "__m128i p = _mm_set_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1);"
    assert explained(CASE, "grey", GIVEN, got, source=line).name == "set-not-setr"
    other = np.minimum(RIGHT, 127)
    assert explained(CASE, "grey", GIVEN, other, source=line).name == "signed-saturation"


def test_bytes_off_by_one_here_and_there_are_not_explained() -> None:
    got = RIGHT.copy()
    got[::2, ::3] ^= 1
    assert explained(CASE, "grey", GIVEN, got).name == ""


def test_a_white_image_left_unwritten_is_right() -> None:
    white = Inputs(np.full((4, 4, 3), 255, dtype=np.uint8))
    expected = named("grey").expected(white.arrays, CASE.settings())
    assert compare(np.full((4, 4), 255, dtype=np.uint8), expected).right()


def test_saturated_pixels_are_not_called_unwritten() -> None:
    got = RIGHT.copy()
    got.reshape(-1)[::4] = 255
    assert explained(CASE, "grey", GIVEN, got).name not in ("not-all-written", "nothing-written")


# ---- a CPU that lacks a part's instructions


def test_flags_are_read_word_by_word(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("flags\t: fpu ssse3 avx\nflags\t: fpu ssse3 avx2\n")
    assert backend.cpu_has("ssse3", cpuinfo)
    assert not backend.cpu_has("avx2", cpuinfo)  # one core has it: threads move
    assert not backend.cpu_has("sse3", cpuinfo)
    cpuinfo.write_text("Features\t: fp asimd\n")
    assert not backend.cpu_has("ssse3", cpuinfo)
    assert not backend.cpu_has("ssse3", tmp_path / "none")


def test_instructions_the_cpu_lacks_cost_no_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "cpu_has", lambda instructions: instructions != "avx2")
    checks = [
        Check("lab8/C/c", "c", "correct", "pass", points=10, max_points=10, part="C"),
        Check("lab8/D/d", "d", "correct", "skip", max_points=10, part="D"),
        Check("lab8/E/e", "e", "correct", "skip", max_points=3, part="E"),
    ]
    marks = score.score(plan.plan_for(LAB, "gpu"), checks)
    reasons = {u.reason: u.points for u in marks.unmeasured}
    assert (marks.earned, marks.measured) == (10, 10)
    assert reasons["need a CPU with AVX2"] == 10
    assert reasons["need the simulator"] == 3
    assert score.exit_code(checks, marks) == exit_codes.FULL_MARKS


def made_from(vector: int, places: dict[int, tuple[int, int, int]]) -> I64:
    """The grey of whole vectors, some of whose pixels are made from these bytes of theirs."""
    count = RIGHT.size // vector
    groups = GIVEN.image.reshape(-1)[: 3 * vector * count].reshape(count, 1, 3 * vector)
    value = RIGHT.reshape(-1).copy()
    for place, three in places.items():
        value[place : vector * count : vector] = grey(groups[..., list(three)], WEIGHTS["709"])[
            :, 0
        ]
    return value.reshape(RIGHT.shape)


@pytest.mark.parametrize(
    ("vector", "places", "words"),
    [
        (
            4,
            {1: (0, 7, 6)},
            "in pixel 1 of every 4: it is made from the bytes 0, 7 and 6 of the 12",
        ),
        (16, {4: (8, 9, 10), 5: (11, 12, 13)}, "8, 9 and 10 of the 48, counted from 0, and needs"),
        (32, {30: (80, 81, 82)}, "pixel 30 of every 32"),
        (16, {4: (8, 19, 30)}, ""),  # no such slip
        (12, {4: (8, 9, 10)}, ""),  # no such vector
    ],
)
def test_the_wrong_bytes_of_a_vector_are_named(
    vector: int, places: dict[int, tuple[int, int, int]], words: str
) -> None:
    diagnosis = explained(CASE, "grey", GIVEN, made_from(vector, places))
    assert words in diagnosis.text and (diagnosis.name == "wrong-order") == bool(words)
