"""The table of borders: each one means the same in SciPy, in NumPy, and in its picture."""

import numpy as np
import pytest
from scipy import ndimage

from grader.model import spec_problems
from grader.oracle import borders, correlation, multichannel
from grader.oracle.borders import BORDERS

# The modes of scipy.ndimage.correlate(), and what the table calls them.
SCIPY = {"zero": "constant", "replicate": "nearest"} | {
    name: name for name in ("wrap", "mirror", "reflect")
}


def random(seed: int, *shape: int) -> np.ndarray:
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def test_every_border_of_scipy_and_of_the_labs_is_in_the_table() -> None:
    assert BORDERS.keys() == SCIPY.keys()
    assert set(spec_problems.BORDERS) - {""} <= set(BORDERS)


@pytest.mark.parametrize("name", BORDERS)
@pytest.mark.parametrize("shape", [(7, 11), (4, 3), (3, 1), (1, 1)])
def test_padding_then_correlating_is_what_scipy_gives(name: str, shape: tuple[int, int]) -> None:
    """Also where the mask reaches further than the image is large."""
    image, mask = random(1, *shape), random(2, 5, 5)
    right = ndimage.correlate(
        image.astype(np.float64), mask.astype(np.float64), mode=SCIPY[name], cval=0.0
    )
    padded = borders.pad(image, 2, 2, name).astype(np.float64)
    height, width = shape
    total = np.zeros(shape)
    for row, column in np.ndindex(5, 5):
        total += padded[row : row + height, column : column + width] * float(mask[row, column])
    np.testing.assert_allclose(total, right, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        correlation.correlate64(image, mask, name), right, rtol=0, atol=1e-12
    )
    planes = np.stack([image, -image])
    channels = multichannel.depthwise(planes, mask, name).value
    np.testing.assert_allclose(channels, [right, -right], rtol=0, atol=1e-12)
    bank = mask[np.newaxis, np.newaxis].repeat(2, axis=1)
    np.testing.assert_allclose(
        multichannel.convolution(np.stack([image, image]), bank, name).value,
        [2 * right],
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("name", BORDERS)
def test_the_picture_shows_the_padding(name: str) -> None:
    padded = borders.pad(np.array([[1, 2, 3, 4]]), 0, 2, name)[0]
    letters = ["0abcd"[number] for number in padded]
    picture = " ".join([*letters[:2], "|", *letters[2:6], "|", *letters[6:]])
    assert picture == BORDERS[name].picture


def test_rows_and_columns_are_padded_apart() -> None:
    assert borders.pad(random(3, 2, 5, 7), 1, 4, "zero").shape == (2, 7, 15)
