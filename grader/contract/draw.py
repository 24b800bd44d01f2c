"""The sequences that a contract's generator draws: a class of the lab's calls.py."""

import runpy
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from grader import paths
from grader.contract.any_arrays import AnyArrays
from grader.contract.generator import MANY_TILES, ROW_OF_TILES, Generator
from grader.contract.step import Sequence, Step, consistent
from grader.model.lab import Contract, Lab
from grader.oracle import operations

LENGTH = 80  # steps of a sequence
MIXED = 1  # sequences with calls of several parts
FEW = 24  # steps of a sequence that is run under all checks
MOST_CHOICES = 3  # of settings that are all tried
BEFORE = (5, 40)  # calls before one that is counted
MANY = (100, 180)  # steps of the longest one: only a secret seed tells where a process ends


def generator(lab: Lab, contract: Contract, seed: int) -> Generator:
    """The generator of a contract's calls."""
    made: Generator
    if contract.calls:
        file = paths.LABS / lab.folder / "calls.py"
        made = _classes(file)[contract.calls](contract, seed)
    else:
        made = AnyArrays(contract, seed)
    if isinstance(made, AnyArrays):
        made.prepare(operations.of(lab, contract.part).spec)
    if lab.variant:
        made.vary(lab.variant)
    if lab.file_of(contract).endswith(".c"):
        made.timed = next((s.size for s in lab.speed if s.part == contract.part and s.size), None)
    return made


@cache
def _classes(file: Path) -> dict[str, Any]:
    return runpy.run_path(str(file))


def draw_sequences(lab: Lab, contract: Contract, seed: int) -> list[Sequence]:
    """All sequences that a seed draws."""
    steps = [*generator(lab, contract, seed).steps()]
    steps += generator(lab, contract, seed ^ 0xFA7).far_steps()
    steps += generator(lab, contract, seed ^ 0x4EF).rarely_refused_steps()
    steps += generator(lab, contract, seed ^ 0xC4A).changed_steps()
    steps += generator(lab, contract, seed ^ 0x512).resized_steps()
    endless = generator(lab, contract, seed ^ 0xE4D).endless_steps()
    known = seed == contract.seed
    longest = LENGTH if known else generator(lab, contract, seed ^ 0x3A9).number(*MANY)
    return [*_cut(steps, longest), *((step,) for step in endless)]


def draw_mixed(lab: Lab, contracts: list[Contract], seed: int) -> list[Sequence]:
    """Sequences in which calls of several parts alternate: what one part leaves behind must not
    change what another computes."""
    sources = [generator(lab, contract, seed + i) for i, contract in enumerate(contracts)]
    last: dict[str, Step] = {}
    steps: list[Step] = []
    while len(steps) < LENGTH * MIXED:
        source = sources[0].one_of(sources)
        step = source.step()
        before = last.get(step.part)
        if before and source.kept and source.chance(0.4):
            step = step.with_the_mask_of(before)
        last[step.part] = step
        steps.append(step)
    return _cut(steps)


def draw_checked(lab: Lab, contract: Contract) -> Sequence:
    """A sequence for a run under all checks. FEW calls with every radius, type and border where
    there are few of them, and small images; each failure of a call of the CUDA runtime once, which
    may leave host memory behind; then an image that has more tiles than a GPU runs blocks at a
    time. Where a vast image follows, that is a row of tiles: blocks that take many are seen there.
    """
    source = generator(lab, contract, contract.seed ^ 0x5AFE)
    many_tiles = source.large(*(ROW_OF_TILES if source.vast else MANY_TILES))
    radius = min(source.radius[1], many_tiles.radius + 1)  # so that threads share pixels
    calls = source.checked_steps(FEW)
    failing = _failing_steps(lab, contract)
    return consistent([*calls, *failing, replace(many_tiles, radius=radius)])


def draw_counted(lab: Lab, contract: Contract) -> Sequence:
    """A call on a tiny image, with each choice of settings if there are few, and each once more,
    for what only the first one does: the calls of the CUDA runtime that they make are counted. None
    for a function that makes none."""
    source = generator(lab, contract, contract.seed ^ 0xC0DE)
    if not source.fails:
        return ()
    steps = [
        replace(_plain(source.small()), settings=settings, counted=True)
        for settings in _few_choices(contract) or [source.small().settings]
    ]
    return tuple(step for step in steps for _ in range(2))


def draw_resized(lab: Lab, contract: Contract, seed: int) -> Callable[[bool], list[Step]]:
    """What draws calls on larger images for calls of the CUDA runtime that fail: given whether a
    kernel runs before."""
    source = generator(lab, contract, seed ^ 0x512)
    return lambda runs: [_plain(s) for s in ([source.little()] if runs else source.resized())]


def draw_extreme(lab: Lab, contract: Contract, seed: int) -> Callable[[float], Step]:
    """What draws calls on tiny images with this share of the largest radius."""
    source = generator(lab, contract, seed ^ 0xE87)
    return lambda share: _plain(source.extreme(share))


def _plain(step: Step) -> Step:
    """The call by itself: one that must return a result."""
    return replace(step, kept=False, held=False, refuse=0, failing=None, inseparable=False)


def _few_choices(contract: Contract) -> list[tuple[tuple[str, str], ...]]:
    """Each choice of settings; none if there are many."""
    choices = [
        tuple(zip(contract.choose, c, strict=True)) for c in product(*contract.choose.values())
    ]
    return choices if len(choices) <= MOST_CHOICES else []


def _failing_steps(lab: Lab, contract: Contract) -> list[Step]:
    """Each failure once, with each choice of settings if there are few."""
    steps = [*generator(lab, contract, contract.seed ^ 0x5AFE).failing_steps(turns=1)]
    choices = _few_choices(contract)
    return [replace(step, settings=choice) for choice in choices for step in steps] or steps


def draw_vast(lab: Lab, contract: Contract) -> Step | None:
    """A call whose image is too large for a run of all blocks, where the contract has one."""
    step = generator(lab, contract, contract.seed ^ 0x7A57).vast_step()
    return _plain(step) if step else None


def draw_before(lab: Lab, contract: Contract, seed: int) -> Sequence:
    """A few calls on tiny images that must be right, so that what follows is not the first one of
    its program: how many, only the seed tells."""
    source = generator(lab, contract, seed ^ 0xBEF0)
    calls = [source.small() for _ in range(source.number(*BEFORE))]
    return tuple(map(_plain, calls))


def _cut(steps: list[Step], longest: int = LENGTH) -> list[Sequence]:
    """In pieces of LENGTH; the first one has `longest`. A call that differs from the one before in
    one number stays with it, so a piece may be a few calls longer."""
    ends = [0]
    for end in range(longest, len(steps), LENGTH):
        while end < len(steps) and steps[end].nudged:
            end += 1
        ends += [end] * (end < len(steps))
    ends.append(len(steps))
    return [consistent(steps[i:j]) for i, j in pairwise(ends)]
