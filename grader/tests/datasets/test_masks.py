"""Masks that are made of two lines."""

import hashlib

import numpy as np
import pytest

from datasets import generate, masks


@pytest.mark.parametrize("size", [1, 3, 13, 17])
def test_masks_have_their_shapes_and_products(size: int) -> None:
    made = {
        kind: masks.mask(f"{kind}{size}", 5) for kind in ("row", "column", "outer", "lines", "zero")
    }
    assert made["row"].shape == (1, size)
    assert made["column"].shape == (size, 1)
    assert np.array_equal(made["outer"], made["column"] * made["row"])
    assert np.array_equal(made["lines"], [made["column"][:, 0], made["row"][0]])
    assert not made["zero"].any() and made["zero"].shape == (size, size)


def test_random_lines_have_both_signs_and_no_symmetry() -> None:
    column, row = masks.mask("lines13", 1)
    for line in (column, row):
        assert line.min() < -0.3 and line.max() > 0.3 and len(set(np.abs(line))) == 13
    assert not np.array_equal(column, row)


def test_offset_begins_with_zeros() -> None:
    mask = masks.mask("offset13", 3)
    assert not mask[0].any() and not mask[:, 0].any() and mask[1:, 1:].all()
    assert np.linalg.matrix_rank(mask.astype(np.float64), tol=1e-5) == 1


def test_gaussian_lines_make_the_gaussian() -> None:
    column, row = masks.mask("gausslines17", 0).astype(np.float64)
    mask = generate.mask("gaussian17", 0)
    np.testing.assert_allclose(np.outer(column, row), mask, rtol=3e-7)


def test_masks_are_bitwise_reproducible() -> None:
    digests = {
        name: hashlib.sha256(masks.mask(name, 1).astype("<f4").tobytes()).hexdigest()[:16]
        for name in ("lines13", "outer17", "offset13", "gausslines17")
    }
    assert digests == {
        "lines13": "dbcb3308d55dcabf",
        "outer17": "17885e9545284be0",
        "offset13": "dc3af0e67e0c9e97",
        "gausslines17": "60b1fcf93a54851c",
    }


@pytest.mark.parametrize("name", ["row12", "outer19", "lines", "offset", "column0"])
def test_unknown_masks_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"no mask '{name}'"):
        masks.mask(name, 0)


def test_other_masks_are_those_of_generate() -> None:
    assert np.array_equal(masks.mask("random13", 7), generate.mask("random13", 7))
