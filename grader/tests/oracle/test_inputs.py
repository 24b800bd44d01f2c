"""What an input is where only its shape counts."""

import msgspec
import pytest

from grader.model import outline, spec
from grader.model.lab import Lab, Speed
from grader.oracle import inputs

TIMED = [(lab, speed) for lab in map(spec.load, outline.available()) for speed in lab.speed]


@pytest.mark.parametrize(
    ("lab", "speed"), TIMED, ids=[f"{lab.id} {speed.part}" for lab, speed in TIMED]
)
def test_what_is_timed_has_the_shapes_of_a_whole_input(lab: Lab, speed: Speed) -> None:
    sizes = dict.fromkeys(speed.sizes, 20)
    small = msgspec.structs.replace(speed, size=(37, 20), sizes=sizes)
    whole = inputs.inputs(lab, small, speed.seed)
    timed = inputs.for_timing(lab, small, speed.seed)
    assert (timed.image.shape, timed.image.dtype) == (whole.image.shape, whole.image.dtype)
    assert timed.arrays.keys() == whole.arrays.keys() and timed.radius == whole.radius
    for name in list(timed.arrays)[1:]:
        assert (timed.arrays[name] == whole.arrays[name]).all()
