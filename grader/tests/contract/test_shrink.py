"""The shrinker, on predicates in place of programs."""

from dataclasses import replace

import pytest

from grader.contract import shrink, words
from grader.contract.shrink import Budget
from grader.contract.step import Failing, Sequence, Step

LARGE = Step("A", 60, 40, 7, "replicate", image_content="wide", mask_content="average", seed=3)


def smallest(sequence: Sequence, fails: shrink.Fails, budget: Budget | None = None) -> Sequence:
    return shrink.shrink(sequence, len(sequence) - 1, fails, budget or Budget(2000, 60))


def test_one_call_becomes_as_small_as_it_can_be() -> None:
    (step,) = smallest((LARGE, LARGE), lambda s: s[-1].width >= 5 and s[-1].radius >= 2)
    assert (step.width, step.height, step.radius) == (5, 1, 2)
    assert (step.border, step.image_content, step.mask_content) == ("zero", "noise", "signed")


def test_shrinking_preserves_relevant_properties() -> None:
    def fails(sequence: Sequence) -> bool:
        last = sequence[-1]
        return last.border == "replicate" and last.image_content == "wide" and last.height > 3

    (step,) = smallest((LARGE,), fails)
    assert step.height == 4
    assert step.border == "replicate"
    assert step.image_content == "wide"


def test_a_sequence_keeps_the_one_call_that_matters() -> None:
    other = replace(LARGE, radius=3, seed=9)

    def fails(sequence: Sequence) -> bool:
        return any(s.radius == 3 for s in sequence[:-1]) and sequence[-1].radius != 3

    sequence = (*[LARGE] * 5, other, *[LARGE] * 11)
    first, last = smallest(sequence, fails)
    assert first.radius == 3
    assert last.radius == 0
    assert (first.width, last.width) == (1, 1)


def test_steps_that_must_agree_shrink_together() -> None:
    def fails(sequence: Sequence) -> bool:
        return len(sequence) == 2 and sequence[-1].held and sequence[0].width == sequence[1].width

    first, last = smallest((LARGE, replace(LARGE, seed=4, held=True)), fails)
    assert first.width == last.width == 1


@pytest.mark.parametrize("refuse", [9, -1])
def test_a_refused_call_goes_unless_it_matters(refuse: int) -> None:
    refused = replace(LARGE, refuse=refuse)
    (step,) = smallest((refused,), lambda _: True)
    assert step.refuse == 0
    (step,) = smallest((refused,), lambda s: s[-1].refuse != 0)
    assert step.refuse == refuse


def test_a_call_that_need_not_fail_does_not() -> None:
    failing = replace(LARGE, failing=Failing(3, 214))
    (step,) = smallest((failing,), lambda _: True)
    assert step.failing is None
    (step,) = smallest((failing,), lambda s: s[-1].failing is not None)
    assert step.failing == Failing(3, 214)


def test_the_budget_ends_it() -> None:
    played: list[Sequence] = []

    def fails(sequence: Sequence) -> bool:
        played.append(sequence)
        return True

    result = smallest((LARGE,), fails, Budget(5, 60))
    assert len(played) <= 5
    assert result[-1] in [s[-1] for s in played] or result == (LARGE,)


def test_shrinking_never_repeats_a_candidate() -> None:
    played: list[Sequence] = []

    def fails(sequence: Sequence) -> bool:
        played.append(sequence)
        return sequence[-1].width > 7

    last = replace(LARGE, seed=4, held=True, mask="outer", radius=2, inseparable=True)
    for sequence in ((replace(LARGE, refuse=9),), (LARGE, last), (LARGE, replace(LARGE, seed=4))):
        played.clear()
        smallest(sequence, fails)
        assert sorted(map(repr, played)) == sorted({*map(repr, played)})


def test_shrunken_case_is_minimal() -> None:
    assert smallest((LARGE,), lambda s: s == (LARGE,)) == (LARGE,)


def test_sequence_is_described_in_words() -> None:
    step = Step("A", 5, 1, 2, "zero")
    assert words.tell_sequence((step,)) == "radius 2 on a 5x1 image, zero border"
    two = words.tell_sequence((replace(step, radius=3), step))
    assert two == (
        "radius 2 on a 5x1 image, zero border, on the second call, after one with radius 3 on a "
        "5x1 image, zero border"
    )
    many = words.tell_sequence((step,) * 9)
    assert many.endswith("on the 9th call, after 8 other calls")
    mixed = words.tell_sequence((replace(step, part="B"), step))
    assert mixed.startswith("part A, radius 2")
    assert "part B, radius 2" in mixed
    refused = words.tell_sequence((replace(step, refuse=-1),), "HOST_MEMORY")
    assert refused.endswith("host_memory = -1, which lab.h does not allow")
    assert "16 threads" in words.tell_sequence((replace(step, threads=16),))


def test_a_mask_that_is_not_separable_has_more_than_one_coefficient() -> None:
    (step,) = smallest((replace(LARGE, mask="outer", inseparable=True),), lambda _: True)
    assert step.radius == 1
