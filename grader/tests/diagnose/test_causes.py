"""A cause is said only where it explains every wrong output of its part."""

import numpy as np
import pytest

from grader.diagnose import causes
from grader.diagnose.causes import WrongOutput
from grader.diagnose.explain import Hypothesis
from grader.diagnose.mistake import FACTS, Diagnosis
from grader.model import spec
from grader.model.lab import Case
from grader.model.result import Check
from grader.oracle.inputs import Inputs, inputs
from grader.tests.diagnose.explained import compared
from grader.tests.lab_operations import named

LAB = spec.load("lab3")


def case(mask: str, size: tuple[int, int] = (21, 17), border: str = "zero") -> Case:
    return Case(
        name=f"{mask} {size}",
        part="A",
        image="noise",
        points=1,
        size=size,
        mask=mask,
        border=border,
    )


def right(this: Case, given: Inputs) -> np.ndarray:
    return named("correlate").expected(given.arrays, this.settings()).value


def line(name: str, said: Diagnosis | None) -> Check:
    return Check(name, name, "correct", "fail", diagnosis=said.name if said else None)


def output(this: Case, got: np.ndarray, given: Inputs | None = None) -> WrongOutput:
    given = given or inputs(LAB, this, 8)
    hypothesis = Hypothesis(
        this, named("correlate"), given, compared(this, "correlate", given, got)
    )
    return WrongOutput(
        this.name,
        "A",
        False,
        hypothesis.diagnosis(),
        hypothesis,
        lambda said: Check(
            this.name, this.name, "correct", "fail", diagnosis=said.name if said else None
        ),
    )


def shifted(this: Case) -> WrongOutput:
    return output(this, np.roll(right(this, inputs(LAB, this, 8)), 1, axis=1))


def mask_read_late(this: Case) -> WrongOutput:
    given = inputs(LAB, this, 8)
    late = np.append(given.mask.reshape(-1)[1:], np.float32(0)).reshape(given.mask.shape)
    changed = Inputs(given.image, late)
    return output(this, right(this, changed), given)


def name_of(outputs: list[WrongOutput]) -> str:
    cause = causes.cause_of(outputs)
    return cause.name if cause else ""


def test_mistake_that_explains_each_output_is_the_cause() -> None:
    outputs = [shifted(case("ando3")), shifted(case("ando5")), shifted(case("gaussian17"))]
    assert name_of(outputs) == "shifted"
    assert causes.agreed(outputs) == {}


def test_mistake_refuted_by_another_output_is_not_said() -> None:
    """A single coefficient read one too late is a picture that is shifted, too."""
    outputs = [mask_read_late(case("impulse3")), shifted(case("ando3")), output(
        case("ando5"), right(case("ando5"), inputs(LAB, case("ando5"), 8)) * 1.5 + 1
    )]  # fmt: skip
    assert causes.cause_of(outputs) is None
    withdrawn = causes.agreed(outputs)
    assert withdrawn and all(check.diagnosis is None for check in withdrawn.values())


def test_cause_that_a_later_output_shows_is_said_of_the_first() -> None:
    outputs = [mask_read_late(case("impulse3")), mask_read_late(case("ando5"))]
    assert outputs[0].named and outputs[0].named.name == "shifted"
    assert name_of(outputs) == "mask-offset"
    assert [c.diagnosis for c in causes.agreed(outputs).values()] == ["mask-offset"]


def test_single_pixel_names_nothing_and_refutes_what_it_contradicts() -> None:
    tiny = output(case("ando3", (1, 1)), np.full((1, 1), 3.0))
    assert tiny.named is None
    assert causes.cause_of([mask_read_late(case("ando5")), tiny]) is None


def test_output_of_which_a_mistake_says_nothing_does_not_refute_it() -> None:
    """What comes in from outside a single pixel is unknown."""
    tiny = output(case("ando3", (1, 1)), np.full((1, 1), 3.0))
    assert name_of([shifted(case("ando3")), tiny]) == "shifted"


def test_output_that_was_never_written_refutes_nothing() -> None:
    this = case("ando3")
    missing = np.full((17, 21), np.uint32(0xFFB5C3A7).view(np.float32))
    assert name_of([shifted(this), output(case("ando5"), missing)]) == "shifted"


@pytest.mark.parametrize("name", sorted(FACTS))
def test_fact_of_one_output_stays(name: str) -> None:
    of_one = output(case("ando3"), np.full((17, 21), np.nan))
    fact = WrongOutput("x", "A", False, Diagnosis(name, ""), of_one.hypothesis, of_one.line)
    assert causes.agreed([fact, shifted(case("ando5"))]).get("x") is None
