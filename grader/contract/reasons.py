"""Which properties of a failing sequence are part of the reason.

Each property that a message would name is tried without: a call that need not fail is made to
succeed, a border becomes the other one. If the sequence still fails in the same way, the property
has nothing to do with the mistake. So has one for whose try the budget is too small, as far as
anyone knows; the test to paste has them all.
"""

from collections.abc import Callable, Collection, Mapping
from collections.abc import Sequence as Sequence_
from dataclasses import dataclass, replace

from grader.contract.shrink import Budget, Fails
from grader.contract.step import Sequence, Step, consistent
from grader.contract.words import MASKS, WEIGHTS, Property

Choices = Mapping[str, Sequence_[str]]  # the values of each setting


def cost() -> Budget:
    """What the tries may cost, after those that made the sequence small."""
    return Budget(plays=40, seconds=3.0, wall_seconds=20.0)


@dataclass(frozen=True)
class Reasons:
    """A sequence, without what it does not need to fail, and the properties that it needs: pairs of
    a step's index and a property."""

    sequence: Sequence
    needed: frozenset[tuple[int, Property]]


def find_reasons(sequence: Sequence, choices: Choices, fails: Fails, budget: Budget) -> Reasons:
    """The reasons of a sequence whose last step fails. choices: of the contract. fails: plays a
    sequence; does its last step fail in the same way?"""
    budget.start()
    needed: set[tuple[int, Property]] = set()
    for position in reversed(range(len(sequence))):
        for name, without in _WITHOUT.items():
            step = sequence[position]
            other = without(step, choices)
            if other == step:
                continue
            budget.plays -= 1
            if not budget.is_left():
                return Reasons(sequence, frozenset(needed))
            candidate = _with(sequence, position, other)
            if candidate == sequence or not fails(candidate):
                needed.add((position, name))
            elif name in _SIMPLER:
                sequence = candidate
    return Reasons(sequence, frozenset(needed))


def _with(sequence: Sequence, position: int, other: Step) -> Sequence:
    """The sequence with another step at a position. Calls that share its mask get the other one's,
    too: else a call that keeps a mask would have to set it."""
    step = sequence[position]
    shared = (step.mask, step.radius, step.seed, step.mask_content)
    steps = [
        replace(s, mask_content=other.mask_content)
        if (s.mask, s.radius, s.seed, s.mask_content) == shared
        else s
        for s in sequence
    ]
    steps[position] = other
    return consistent(steps)


def _setting(step: Step, choices: Choices) -> Step:
    """The step with another value of each setting that has one."""
    settings = tuple((name, _other(value, choices.get(name, ()))) for name, value in step.settings)
    return replace(step, settings=settings)


def _other(value: str, choices: Collection[str]) -> str:
    return next((choice for choice in choices if choice != value), value)


_OTHER_BORDER = {"zero": "replicate", "replicate": "zero", "": ""}
# The step without a property, or with another value of it; those that matter most come first.
_WITHOUT: dict[Property, Callable[[Step, Choices], Step]] = {
    "failing": lambda step, _: replace(step, failing=None),
    "refuse": lambda step, _: replace(step, refuse=0),
    "inseparable": lambda step, _: (
        replace(step, inseparable=False, mask_content="signed") if step.inseparable else step
    ),
    "kept": lambda step, _: replace(step, kept=False),
    "held": lambda step, _: replace(step, held=False),
    "shared": lambda step, _: replace(step, shared=0),
    "threads": lambda step, _: replace(step, threads={0: 0, 1: 2}.get(step.threads, 1)),
    "settings": _setting,
    "border": lambda step, _: replace(step, border=_OTHER_BORDER[step.border]),
    "image": lambda step, _: replace(
        step,
        image_content="noise",
        given=tuple(replace(each, content="whole") for each in step.given),
    ),
    "mask": lambda step, _: (
        replace(step, mask_content="signed") if step.mask_content in MASKS else step
    ),
    "weights": lambda step, _: (
        replace(step, weights=_other(step.weights, WEIGHTS)) if step.weights else step
    ),
}
# Without these, a sequence is a simpler one; of the others one value is as simple as another.
_SIMPLER = ("failing", "refuse", "inseparable", "kept", "held", "shared", "image", "mask")
