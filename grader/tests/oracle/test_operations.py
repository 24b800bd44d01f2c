"""The operations: what goes in, what comes out, and how an element is shown and judged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from datasets import generate, layers, values
from grader import paths
from grader.model import outline, spec
from grader.oracle import expected, inputs, operations, rounding_bound
from grader.oracle.compare import number
from grader.oracle.expected import Expected, exact
from grader.tests.lab_operations import named


def test_the_output_has_the_operations_type_and_shape() -> None:
    image = layers.image("noise", (11, 9), 6, "f8", 1)
    bank = {"image": image, "mask": layers.weights("bank5x3", 6, "f8", 2)}
    assert named("layers").output(bank) == ("f8", (5, 9, 11))
    one = {"image": image, "mask": layers.weights("random3", 6, "f8", 2)}
    assert named("depthwise").output(one) == ("f8", (6, 9, 11))
    plane = {"image": generate.noise(7, 5, 1), "mask": generate.mask("ando3", 0)}
    assert named("correlate").output(plane) == ("f4", (5, 7))
    assert named("layers").subscript((1, 2, 3)) == "[n=1][y=2][x=3]"


def test_oracle_covers_every_operation() -> None:
    for lab in outline.available():
        loaded = spec.load(lab)
        for part in loaded.part:
            made = operations.of(loaded, part.id).spec.inputs.values()
            assert {given.make for given in made} <= {*inputs.MAKERS, *values.CONTENTS}


def test_numbers_show_every_bit() -> None:
    assert float(number(1 / 3, np.dtype("f8"))) == 1 / 3
    assert np.float32(number(float(np.float32(0.1)), np.dtype("f4"))) == np.float32(0.1)
    assert number(200.0, np.dtype("u1")) == "200"


@pytest.mark.parametrize(
    ("oracle", "said"),
    [
        (None, "No such file"),
        ("def grey(image:\n", "SyntaxError"),
        ("grey = 3\n", "there is no function grey()"),
        ("import no_such_module\n", "no_such_module"),
    ],
)
def test_a_bad_oracle_is_an_error_of_the_course_that_names_the_file(
    oracle: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = msgspec.structs.replace(spec.load("lab8"), folder="lab99_grey")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "LABS", tmp_path / "labs")
    (tmp_path / "labs" / "lab99_grey").mkdir(parents=True)
    if oracle is not None:
        (tmp_path / "labs" / "lab99_grey" / "oracle.py").write_text(oracle)
    with pytest.raises(outline.SpecError, match=r"labs/lab99_grey/oracle\.py: ") as refused:
        operations.of(lab, "A")
    assert said in str(refused.value)


def test_arrays_that_do_not_fit_each_other_are_refused() -> None:
    layers_ = named("layers")
    with pytest.raises(ValueError, match="the axis c of `mask` has 2 elements"):
        layers_.output({"image": np.zeros((3, 4, 5)), "mask": np.zeros((6, 2, 3, 3))})
    with pytest.raises(ValueError, match="needs 'border'"):
        named("correlate").expected({"image": np.ones((4, 5)), "mask": np.ones((3, 3))}, {})
    arrays = {"image": np.zeros((3, 4, 5)), "mask": np.zeros((6, 3, 3, 3))}
    assert layers_.taps(arrays) == 27 and layers_.things() == "values"
    assert named("lines").taps({"image": np.zeros((4, 5)), "mask": np.zeros((2, 7))}) == 14


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda image: image, "must return an Expected"),
        (lambda image: exact(image), "arrays of the output's shape, (4, 5), not (4, 5, 3)"),
        (lambda image: Expected(image[..., 0], -np.ones((4, 5))), "a bound of 0 or more"),
        (lambda image: image.no_such_thing, "AttributeError"),
        (lambda image: image[9], "IndexError"),
    ],
)
def test_an_oracle_that_returns_nonsense_is_the_courses_fault(
    function: Callable[..., object], said: str
) -> None:
    grey = named("grey")
    broken = replace(grey, functions={None: function})
    with pytest.raises(outline.SpecError, match=r"oracle\.py: ") as refused:
        broken.expected({"image": np.zeros((4, 5, 3))}, {})
    assert said in str(refused.value)


@pytest.mark.parametrize("count", [1 << 16, 1 << 20, 1 << 24])
def test_a_long_sum_has_a_bound_that_0_does_not_keep(count: int) -> None:
    terms = np.random.RandomState(1).uniform(0, 1, count).astype(np.float32)
    right = expected.summed(terms[np.newaxis])
    assert abs(np.add.reduce(terms, dtype=np.float32) - right.value[0]) <= right.bound[0]
    by_warp = terms.reshape(-1, 32).sum(axis=1, dtype=np.float32).cumsum(dtype=np.float32)[-1]
    assert abs(by_warp - right.value[0]) <= right.bound[0]
    assert right.bound[0] < 0.01 * right.value[0]
    assert rounding_bound.gamma(1 << 24) == np.inf
