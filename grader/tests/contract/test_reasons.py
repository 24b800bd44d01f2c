"""Only what a failure needs is named, on predicates in place of programs."""

from dataclasses import replace

import pytest

from grader.contract import reasons, words
from grader.contract.reasons import Reasons
from grader.contract.shrink import Budget, Fails
from grader.contract.step import Failing, Sequence, Step

STEP = Step("A", 5, 1, 2, "zero")
ALL = replace(
    STEP,
    border="replicate",
    image_content="wide",
    mask_content="average",
    weights="601",
    settings=(("host_memory", "pinned"),),
    threads=4,
    kept=True,
    held=True,
    shared=65536,
    failing=Failing(3, 214),
)
CHOICES = {"host_memory": ["pageable", "pinned"]}


def found(sequence: Sequence, fails: Fails, budget: Budget | None = None) -> Reasons:
    return reasons.find_reasons(sequence, CHOICES, fails, budget or Budget(1000, 60))


def told(sequence: Sequence, fails: Fails) -> str:
    result = found(sequence, fails)
    return words.tell_sequence(result.sequence, needed=result.needed)


def test_irrelevant_properties_are_not_named() -> None:
    assert told((STEP,), lambda _: True) == "radius 2 on a 5x1 image"
    assert told((STEP, ALL), lambda _: True) == (
        "radius 2 on a 5x1 image, on the second call, after one with radius 2 on a 5x1 image"
    )


def test_a_call_that_fails_is_named_only_where_it_must_fail() -> None:
    """A shrinker whose budget is at its end leaves it in."""
    failing = replace(STEP, failing=Failing(3, 214))
    assert "that fails" not in told((STEP, failing), lambda _: True)
    assert "that fails" not in told((failing, STEP), lambda s: len(s) == 2)
    assert told((failing,), lambda s: s[-1].failing is not None).endswith(
        "with a CUDA runtime call that fails"
    )
    assert "that fails" in told((failing, STEP), lambda s: s[0].failing is not None)


@pytest.mark.parametrize(
    ("name", "words_of_it"),
    [
        ("border", "replicate border"),
        ("image_content", "with values of very different sizes"),
        ("mask_content", "a mask of sum 1"),
        ("weights", "weights of BT.601"),
        ("settings", "host memory pinned"),
        ("threads", "4 threads"),
        ("kept", "without setting the mask again"),
        ("held", "in the memory of the previous call"),
        ("shared", "64 KB of shared memory"),
        ("failing", "that fails"),
    ],
)
def test_each_property_is_named_alone(name: str, words_of_it: str) -> None:
    def fails(sequence: Sequence) -> bool:
        return bool(getattr(sequence[-1], name) == getattr(ALL, name))

    text = told((replace(ALL, kept=False, failing=None), ALL), fails)
    alone = words.tell_sequence((STEP, STEP), needed=[])
    last = text.split(", on the second call")[0]
    assert words_of_it in last
    assert len(last) <= len(alone.split(", on the second call")[0]) + len(words_of_it) + 40
    others = {"border", "fails", "threads", "pinned", "shared memory", "memory of", "BT.601"}
    assert sum(word in text for word in others if word not in words_of_it) == 0


def test_irrelevant_properties_leave_the_pasted_test() -> None:
    result = found((replace(STEP, failing=Failing(1, 2), image_content="huge"),), lambda _: True)
    assert result.sequence == (STEP,)


def test_two_properties_of_which_one_is_enough_leave_one() -> None:
    both = replace(STEP, image_content="huge", failing=Failing(1, 2))
    result = found((both,), lambda s: s[-1].failing is not None or s[-1].image_content == "huge")
    assert result.needed == {(0, "image")}
    assert result.sequence[-1].failing is None


def test_a_property_without_another_value_is_not_named() -> None:
    step = replace(STEP, settings=(("transfer", "plain"),))
    assert told((step,), lambda _: False).endswith("zero border")


def test_the_budget_ends_it() -> None:
    played: list[Sequence] = []

    def fails(sequence: Sequence) -> bool:
        played.append(sequence)
        return False

    result = found((STEP, replace(ALL, kept=False)), fails, Budget(3, 60))
    assert len(played) <= 3
    assert len(result.needed) <= 3
