"""The operations: what goes in, what comes out, and how an element is shown and judged."""

import numpy as np

from datasets import generate, layers
from grader.model import outline, spec
from grader.oracle import inputs
from grader.oracle.compare import number
from grader.oracle.operations import OPERATIONS


def test_the_output_has_the_operations_type_and_shape() -> None:
    image = layers.image("noise", (11, 9), 6, "f8", 1)
    bank = {"image": image, "mask": layers.weights("bank5x3", 6, "f8", 2)}
    assert OPERATIONS["layers"].output(bank) == ("f8", (5, 9, 11))
    assert OPERATIONS["depthwise"].output(bank) == ("f8", (6, 9, 11))
    plane = {"image": generate.noise(7, 5, 1), "mask": generate.mask("ando3", 0)}
    assert OPERATIONS["correlate"].output(plane) == ("f4", (5, 7))
    assert OPERATIONS["layers"].subscript((1, 2, 3)) == "[n=1][y=2][x=3]"


def test_oracle_covers_every_operation() -> None:
    for lab in outline.available():
        for part in spec.load(lab).part:
            assert set(OPERATIONS[part.operation].inputs.values()) <= set(inputs.MAKERS)


def test_numbers_show_every_bit() -> None:
    assert float(number(1 / 3, np.dtype("f8"))) == 1 / 3
    assert np.float32(number(float(np.float32(0.1)), np.dtype("f4"))) == np.float32(0.1)
    assert number(200.0, np.dtype("u1")) == "200"
