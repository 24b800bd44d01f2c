"""Images of several channels: the oracle against its definition, and the bound of each type."""

import numpy as np
import pytest

from datasets import layers
from grader.oracle import multichannel
from grader.oracle.compare import compare
from grader.oracle.inputs import Inputs

CHANNELS, HEIGHT, WIDTH = 6, 9, 11


def make_inputs(kind: str, mask: str = "bank5x3") -> Inputs:
    image = layers.image("noise", (WIDTH, HEIGHT), CHANNELS, kind, 1)
    return Inputs(image, layers.weights(mask, CHANNELS, kind, 2))


def by_definition(image: np.ndarray, bank: np.ndarray) -> np.ndarray:
    """The sums as they are printed in multichannel.py, in Python's floats."""
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
    inputs = make_inputs(kind, mask)
    right = by_definition(inputs.image, inputs.mask)
    result = multichannel.convolution(inputs.image, inputs.mask)
    np.testing.assert_allclose(result.value.astype(np.float64), right, rtol=0, atol=1e-13)
    assert compare(right.astype(kind), result).right()


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_depthwise_is_its_definition(kind: str) -> None:
    inputs = make_inputs(kind, "random3")
    result = multichannel.depthwise(inputs.image, inputs.mask)
    for channel in range(CHANNELS):
        plane = inputs.image[channel : channel + 1]
        right = by_definition(plane, inputs.mask[np.newaxis, np.newaxis])[0]
        np.testing.assert_allclose(
            result.value[channel].astype(np.float64), right, rtol=0, atol=1e-13
        )


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_sums_in_another_type_are_outside_the_bound(kind: str) -> None:
    """Any order of summation in the type is within the bound; a narrower type anywhere is not."""
    inputs = make_inputs(kind)
    right = multichannel.convolution(inputs.image, inputs.mask)
    total = np.zeros(right.value.shape, dtype=kind)
    narrow = np.zeros(right.value.shape, dtype={"f8": "f4", "f4": "f2"}[kind])
    for channel in reversed(range(CHANNELS)):
        term = multichannel.convolution(
            inputs.image[channel:][:1], inputs.mask[:, channel:][:, :1]
        ).value
        total += term.astype(kind)
        narrow += term.astype(narrow.dtype)
    assert compare(total, right).right()
    assert not compare(narrow.astype(kind), right).right()
    rounded = multichannel.convolution(
        inputs.image.astype(narrow.dtype).astype(kind), inputs.mask
    ).value
    assert not compare(rounded.astype(kind), right).right()
