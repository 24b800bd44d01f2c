"""The oracle against definitions written out, and the bound against float32 programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.oracle import correlation
from grader.oracle.compare import compare
from grader.oracle.correlation import F32


def random(seed: int, *shape: int) -> F32:
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def by_definition(image: F32, mask: F32, border: str) -> np.ndarray:
    """Eq. 1 as it is printed: four loops, in Python's floats."""
    height, width = image.shape
    radius = mask.shape[0] // 2
    out = np.zeros(image.shape)
    for y in range(height):
        for x in range(width):
            for b in range(-radius, radius + 1):
                for a in range(-radius, radius + 1):
                    v, u = y + b, x + a
                    if border == "replicate":
                        v, u = min(max(v, 0), height - 1), min(max(u, 0), width - 1)
                    elif not (0 <= v < height and 0 <= u < width):
                        continue
                    out[y, x] += float(image[v, u]) * float(mask[b + radius, a + radius])
    return out


@pytest.mark.parametrize("border", ["zero", "replicate"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 3), (7, 11)])
@pytest.mark.parametrize("radius", [0, 1, 3])
def test_correlate_is_equation_1(border: str, shape: tuple[int, int], radius: int) -> None:
    image, mask = random(1, *shape), random(2, 2 * radius + 1, 2 * radius + 1)
    right = by_definition(image, mask, border)
    np.testing.assert_allclose(
        correlation.correlate64(image, mask, border), right, rtol=0, atol=1e-13
    )
    exact = correlation.float32_row_major(image, mask, border)
    assert compare(
        exact.value.astype(np.float32), correlation.correlate(image, mask, border)
    ).right()


@pytest.mark.parametrize("exponent", [-100, -60, 60])
def test_a_mask_of_any_size_counts(exponent: int) -> None:
    image = np.arange(12, dtype=np.float32).reshape(3, 4)
    mask = np.arange(-4, 5, dtype=np.float32).reshape(3, 3)
    scale = 2.0**exponent
    result = correlation.correlate64(image, mask * scale, "zero")
    assert (result == correlation.correlate64(image, mask, "zero") * scale).all()
    assert not correlation.correlate64(image, mask * 0, "zero").any()


def test_polyphase_uses_the_mask_of_the_column() -> None:
    image, bank = random(3, 5, 9), random(4, 4, 3, 3)
    value = correlation.polyphase(image, bank, "zero").value
    for x in range(9):
        right = by_definition(image, bank[x % 4], "zero")[:, x]
        np.testing.assert_allclose(value[:, x], right, rtol=0, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), radius=st.integers(0, 4), order=st.sampled_from(["up", "down"]))
def test_any_order_of_summation_is_within_the_bound(seed: int, radius: int, order: str) -> None:
    image, mask = random(seed, 12, 10), random(seed + 1, 2 * radius + 1, 2 * radius + 1)
    padded = np.pad(image, radius)
    total = np.zeros(image.shape, dtype=np.float32)
    taps = [(r, c) for r in range(2 * radius + 1) for c in range(2 * radius + 1)]
    for r, c in taps if order == "up" else reversed(taps):
        total += padded[r : r + 12, c : c + 10] * mask[r, c]
    assert compare(total, correlation.correlate(image, mask, "zero")).right()


def two_passes(image: F32, column: F32, row: F32) -> F32:
    """Rows, then columns, zero border, every product and every sum rounded to float32."""
    height, width = image.shape
    n, m = len(row), len(column)
    padded = np.pad(image, ((0, 0), (n // 2, n // 2)))
    between = np.zeros(image.shape, dtype=np.float32)
    for a in range(n):
        between += padded[:, a : a + width] * row[a]
    padded = np.pad(between, ((m // 2, m // 2), (0, 0)))
    out = np.zeros(image.shape, dtype=np.float32)
    for b in range(m):
        out += padded[b : b + height] * column[b]
    return out


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), radius=st.integers(0, 8), rounded_twice=st.booleans())
def test_two_passes_are_within_their_bound(seed: int, radius: int, rounded_twice: bool) -> None:
    size = 2 * radius + 1
    image, column, row = random(seed, 12, 10), random(seed + 1, size), random(seed + 2, size)
    out = two_passes(image, column, row)
    assert compare(out, correlation.lines(image, np.stack([column, row]), "zero")).right()
    mask = np.outer(column, row)  # rounded once
    if rounded_twice:
        mask = mask / np.float32(3)
    b, a = np.unravel_index(np.abs(mask).argmax(), mask.shape)  # lines found in the mask
    out = two_passes(image, mask[:, a], mask[b] / mask[b, a])
    assert compare(out, correlation.separable(image, mask, "zero")).right()


def test_lines_are_column_then_row() -> None:
    image, column, row = random(9, 6, 7), random(10, 5), random(11, 5)
    right = by_definition(image, np.outer(column, row), "replicate")
    value = correlation.lines(image, np.stack([column, row]), "replicate").value
    np.testing.assert_allclose(value, right, rtol=0, atol=1e-6)
    swapped = correlation.lines(image, np.stack([row, column]), "replicate").value
    assert np.abs(swapped - right).max() > 0.01


def test_a_line_that_is_off_by_a_thousandth_is_outside_the_bound() -> None:
    image, column, row = random(12, 20, 20), random(13, 17), random(14, 17)
    mask = np.outer(column, row)
    column[3] *= np.float32(1.001)
    assert not compare(
        two_passes(image, column, row), correlation.separable(image, mask, "zero")
    ).right()


def test_half_precision_and_a_missed_tap_are_outside_the_bound() -> None:
    image, mask = random(5, 20, 20), random(6, 13, 13)
    right = correlation.correlate(image, mask, "zero")
    rounded = correlation.correlate64(image.astype(np.float16), mask.astype(np.float16), "zero")
    assert not compare(rounded.astype(np.float32), right).right()
    mask[12, 12] = 0
    missed = correlation.correlate64(image, mask, "zero").astype(np.float32)
    assert not compare(missed, right).right()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_never_right(bad: float) -> None:
    image, mask = random(7, 4, 4), random(8, 3, 3)
    right = correlation.correlate(image, mask, "zero")
    got = right.value.astype(np.float32)
    assert compare(got, right).right()
    got[2, 1] = bad
    comparison = compare(got, right)
    assert comparison.count() == 1 and comparison.first() == (2, 1)


def test_tiny_coefficients_contribute() -> None:
    image = np.array([[0.0, 1.0, 3.0]], dtype=np.float32)
    mask = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 2.0**-59], [0.0, 0.0, 0.0]])
    assert correlation.correlate64(image, mask, "zero").tolist() == [[2.0**-59, 3 * 2.0**-59, 1.0]]
    mask[1, 0] = -(2.0**-59)
    assert correlation.correlate64(image, mask, "zero")[0, 1] == 3 * 2.0**-59
