"""Which of two programs is faster: from their terms, or too close to tell."""

import pytest

from grader.commands import compare as command
from grader.commands.errors import UsageError
from grader.model import spec
from grader.model.prediction import PredictedTime, Prediction
from grader.predict import compare
from grader.render import predicted_words


def prediction(**terms: float) -> Prediction:
    us = sum(terms.values())
    time = PredictedTime(us, us / 1.2, us * 1.3, terms)
    return Prediction("lab4/B/fast", "NVIDIA H200", time=time, with_nvcc=True)


def test_errors_that_two_programs_share_cancel() -> None:
    """10 % less of the same is told; of something else it is not."""
    slow = prediction(issue=100.0, shared=20.0)
    alike, other = prediction(issue=89.0, shared=20.0), prediction(issue=20.0, shared=89.0)
    assert predicted_words.compared(alike, slow).startswith("faster, 1.0")
    assert predicted_words.compared(slow, alike).startswith("slower, 0.8")
    assert "too close to tell" in predicted_words.compared(other, slow)
    assert "they differ most in issuing instructions" in predicted_words.compared(alike, slow)


def test_a_program_is_as_fast_as_itself() -> None:
    one = prediction(issue=100.0)
    speed = compare.ratio(one, one)
    assert speed is not None and 0.95 < speed.low < speed.middle == 1 < speed.high < 1.05
    assert predicted_words.compared(one, one).startswith("too close to tell: 0.9")


def test_what_is_not_predicted_is_not_compared() -> None:
    none = Prediction("lab4/B/fast", "NVIDIA H200", reason="your program crashes")
    assert compare.ratio(prediction(issue=1.0), none) is None
    assert "your program crashes" in predicted_words.compared(prediction(issue=1.0), none)


@pytest.mark.parametrize(
    ("high", "text"), [(290.0, "150 us (100 to 290)"), (310.0, "100 to 310 us")]
)
def test_a_wide_interval_is_not_printed_as_a_number(high: float, text: str) -> None:
    assert predicted_words.duration(PredictedTime(150, 100, high, {"issue": 150})) == text


def test_another_file_is_built_and_predicted() -> None:
    """Lab 2's solution is slower than what takes a microsecond. Lab 1 has no kernel."""
    lab = spec.load("lab2")
    check = next(lab.id_of(speed) for speed in lab.speed)
    mine = Prediction(check, "NVIDIA H200", time=PredictedTime(1.0, 0.9, 1.1, {"launch": 1.0}))
    said = command.text([mine], command.other("lab2", "solutions", "sim"))
    assert "whose results were not checked" in said and ": faster, " in said
    with pytest.raises(UsageError, match="where a GPU is not used"):
        command.other("lab1", "solutions", "cpu")
