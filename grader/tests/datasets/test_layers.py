"""Images of several channels and weights: values, types and errors."""

import numpy as np
import pytest

from datasets import generate, layers


def test_planes_and_weights_hold_what_their_names_promise() -> None:
    f = layers.image("noise", (7, 5), 3, "f8", 4)
    assert f.shape == (3, 5, 7) and f.dtype == np.float64
    assert not np.array_equal(f, f.astype(np.float32))  # more than 24 bits
    assert f.min() > 0 and f.max() <= 1
    one = layers.image("noise", (7, 5), 1, "f4", 4)
    assert np.array_equal(one[0], generate.image("noise", (7, 5), 4))
    bytes_ = layers.image("noise", (97, 61), 3, "u1", 4)
    assert bytes_.dtype == np.uint8 and len(np.unique(bytes_)) == 256
    ramp = layers.image("ramp", (4, 3), 2, "f4", 0)
    assert ramp[1, 2, 3] == 1 and len(np.unique(ramp)) == ramp.size
    photo = layers.image("photo", None, 3, "u1", 0)
    assert photo.shape == (3, 400, 600) and np.array_equal(photo[1], generate.rgb()[..., 1])
    g = layers.weights("bank20x3", 12, "f8", 5)
    assert g.shape == (20, 12, 3, 3) and g.min() < 0 < g.max()
    assert len(np.unique(g)) == g.size  # no two alike: an exchange shows
    pick = layers.weights("pick4x3", 3, "f4", 0)
    assert pick.sum() == 4 and pick[3, 0, 1, 1] == 1
    assert layers.weights("impulse3", 9, "f4", 0).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("name", ["bank4x2", "bank0x3", "random19", "ando3", ""])
def test_unknown_weights_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="there are no weights"):
        layers.weights(name, 3, "f4", 0)


@pytest.mark.parametrize("wrong", [("noise", None, 3), ("photo", (3, 3), 3), ("photo", None, 4),
                                   ("noise", (3, 0), 3), ("photo_1080p", None, 3)])  # fmt: skip
def test_impossible_images_are_refused(wrong: tuple[str, tuple[int, int] | None, int]) -> None:
    with pytest.raises(ValueError, match="image"):
        layers.image(*wrong, "f4", 0)
