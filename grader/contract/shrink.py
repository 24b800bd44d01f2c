"""Makes a failing sequence as small as it gets while it still fails.

Greedy, as property testing does it: drop steps, then make the arguments of those that are left
smaller one by one, and keep every change after which the sequence still fails in the same way.
Candidates are played in processes of their own, since what a call leaves behind may be the mistake.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from grader.contract.step import Sequence, Step, consistent

SIMPLE_CONTENTS = ("whole", "ramp")
SIMPLE_IMAGE = {"noise": 0, "flat": 1, "ramp": 1, "extreme": 1, "close": 2}
LEAST = {"width": 1, "height": 1, "channels": 1, "masks": 1, "radius": 0}
SIMPLEST = {
    "held": False,
    "kept": False,
    "shared": 0,
    "weights": "709",
    "at_end": True,
    "out_at_end": True,
}


@dataclass
class Budget:
    """What shrinking may cost, so that a student does not wait: plays, and seconds of processor
    time, so that a busy machine finds the same case; seconds of wall time only end programs that
    wait."""

    plays: int = 120
    seconds: float = 6.0
    wall_seconds: float = 60.0
    began: tuple[float, float] = (0.0, 0.0)

    def start(self) -> None:
        self.began = sum(os.times()[:4]), time.monotonic()  # also of what it has run

    def is_left(self) -> bool:
        used = sum(os.times()[:4]) - self.began[0]
        waited = time.monotonic() - self.began[1]
        return self.plays > 0 and used < self.seconds and waited < self.wall_seconds


Fails = Callable[[Sequence], bool]


def shrink(sequence: Sequence, index: int, fails: Fails, budget: Budget) -> Sequence:
    """The smallest sequence found whose last step fails. `index`: of the failing step. fails: plays
    a sequence; does its last step fail in the same way?"""
    budget.start()
    whole = consistent(sequence[: index + 1])
    alone = consistent([sequence[index]])
    tried = {whole}

    def still(candidate: Sequence) -> bool:
        if candidate in tried:
            return False
        tried.add(candidate)
        budget.plays -= 1
        return budget.is_left() and fails(candidate)

    best = alone if still(alone) else _fewer_steps(whole, still)
    return _smaller_steps(best, still)


def _fewer_steps(best: Sequence, still: Fails) -> Sequence:
    """Drops steps before the last one: halves first, then quarters, then single ones."""
    if len(best) > 2 and still(candidate := consistent(best[-2:])):
        return candidate
    size = max(1, (len(best) - 1) // 2)
    while True:
        start = 0
        while start < len(best) - 1:
            candidate = consistent([*best[:start], *best[min(start + size, len(best) - 1) :]])
            if still(candidate):
                best = candidate
            else:
                start += size
        if size == 1:
            return best
        size //= 2


def _smaller_steps(best: Sequence, still: Fails) -> Sequence:
    """Makes the arguments smaller, those of the last step first."""
    if len(best) > 1:
        best = _smaller_together(best, still)
    improved = True
    while improved:
        improved = False
        for position in reversed(range(len(best))):
            for step in _simpler(best[position]):
                candidate = consistent([*best[:position], step, *best[position + 1 :]])
                if still(candidate):
                    best = candidate
                    improved = True
                    break
    return best


def _smaller_together(best: Sequence, still: Fails) -> Sequence:
    """Gives all steps a smaller size and radius at once: calls that share memory or a mask fail
    only where they agree."""
    for width, height, radius in ((1, 1, 0), (1, 1, 1), (2, 1, 1), (3, 2, 1), (5, 3, 2), (9, 7, 3)):
        candidate = consistent(
            replace(
                step,
                width=min(step.width, width),
                height=min(step.height, height),
                radius=min(step.radius, radius),
            )
            for step in best
        )
        if still(candidate):
            return candidate
    return best


def _simpler(step: Step) -> Iterator[Step]:
    """Steps with one argument smaller or simpler, the largest change first."""
    if step.failing and not step.huge:
        yield replace(step, failing=None)
    if step.shifted:
        yield replace(step, shifted=False)
    if step.refuse:
        yield replace(step, refuse=0)
    yield from _simpler_given(step)
    for name, least in LEAST.items():
        for value in _towards(getattr(step, name), least):
            yield _with(step, name, value)
    for content in ("noise", "flat"):
        if SIMPLE_IMAGE.get(step.image_content, 3) > SIMPLE_IMAGE[content] and (
            step.type != "u1" or content == "noise"
        ):
            yield replace(step, image_content=content)
    if step.mask_content != "signed":
        yield replace(step, mask_content="signed")
    if step.border == "replicate":
        yield replace(step, border="zero")
    if step.threads > 1:
        yield replace(step, threads=step.threads // 2)
    for name, simplest in SIMPLEST.items():
        if getattr(step, name) not in ("", simplest):  # without weights, there are none to simplify
            yield _with(step, name, simplest)


def _simpler_given(step: Step) -> Iterator[Step]:
    """With an axis shorter, or an input of a simpler content."""
    for number, (axis, size) in enumerate(step.sizes):
        for value in _towards(size, 1):
            shorter = (*step.sizes[:number], (axis, value), *step.sizes[number + 1 :])
            yield replace(step, sizes=shorter)
    for number, each in enumerate(step.given):
        if each.content not in SIMPLE_CONTENTS:
            simpler = replace(each, content=SIMPLE_CONTENTS[0])
            yield replace(step, given=(*step.given[:number], simpler, *step.given[number + 1 :]))


def _with(step: Step, name: str, value: object) -> Step:
    changes: dict[str, Any] = {name: value}
    return replace(step, **changes)


def _towards(value: int, least: int) -> Iterator[int]:
    """Smaller values: the least, half, three quarters, one less."""
    tried = {value}
    for smaller in (least, (value + least) // 2, value - (value - least) // 4, value - 1):
        if least <= smaller < value and smaller not in tried:
            tried.add(smaller)
            yield smaller
