"""Calls generated from a part's contract, under all checks: none may find an error.

A `safe` check has one input that its author chose. A data race or an access outside an array may
show only for another radius, type or shape: so the first safe check of a part also plays a short
sequence of its contract.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from grader.contract import arrays, draw
from grader.contract import words as in_words
from grader.contract.failed_step import explain_callers_finding, tell_failed_call
from grader.contract.play import Played, Player
from grader.contract.step import Sequence
from grader.execute.case import run_case
from grader.execute.instrumented import Runner
from grader.execute.modes import (
    CHECKED,
    CHECKED_ENDS,
    CHECKED_REVERSED,
    OPENMP_RACES,
    SANITIZED,
    Mode,
)
from grader.model.finding import Finding
from grader.model.lab import Case, Contract, Limits
from grader.oracle import compare
from grader.sandbox.ending import TooBusyError

IN_A_CALL = "in a call with"
LEFT = "after calls that lab.h allows, and calls during which a CUDA runtime call failed:"
SECONDS = 1.0  # of processor time for a run of a few blocks
NOISE, TIMES = 127 * 1024, 16  # elements of a vast image that come again, with another addend
# The findings of such a run that count, and what helps.
AT_THE_ENDS = {
    "shared-race": "a block that processes several tiles in turn must call __syncthreads() "
    "before it loads the next one: until then other threads still read the previous tile",
    "out-of-bounds": "this image has {pixels} pixels: compute indices and offsets in size_t, as in "
    "(size_t)y * width + x",
}


@dataclass(frozen=True)
class Unsafe:
    """What the calls of a contract found. lines: for the student. is_fault: the grader's or the
    machine's, not the student's. in_call: it happened in a call that the lines name, which is none
    of the case's own."""

    name: str
    lines: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    is_fault: bool = False
    in_call: bool = True


def find(runner: Runner, contract: Contract, any_order: bool = False) -> Unsafe | None:
    """The first error in the contract's short sequence, or None. any_order: as of a Safe. Raises
    OSError."""
    sequence = draw.draw_checked(runner.submission.lab, contract)
    if runner.backend != "sim" or not _is_traced(runner, contract):
        # First, as an access outside an array may break whatever the other runs are judged by.
        if unsafe := _errors(_play(runner, contract, sequence, SANITIZED)):
            return unsafe
        if sequence[0].threads:
            return _errors(_play(runner, contract, sequence, OPENMP_RACES))
        return None
    forwards = _play(runner, contract, sequence, CHECKED)
    if unsafe := _errors(forwards):
        return unsafe
    # Without the last call, which takes as long as all others: the first run has searched it for
    # races, and without a race the order has no effect. Nor has it one on a call that fails.
    backwards = _play(runner, contract, sequence[: draw.FEW], CHECKED_REVERSED)
    unsafe = _errors(backwards) or _order_dependent(forwards, backwards, any_order)
    return unsafe or _at_the_ends(runner, contract)


def _at_the_ends(runner: Runner, contract: Contract) -> Unsafe | None:
    """What the first and the last block of each launch do wrong in a call with a vast image: a
    block that takes many tiles has a race, or an index overflows. Anything else may be due to the
    blocks that do not run, such as an error, a wait for them or a value that they should set.
    Raises OSError."""
    step = draw.draw_vast(runner.submission.lab, contract)
    if step is None:
        return None
    small = arrays.inputs(replace(step, width=1, height=1))
    noise = np.random.default_rng(step.seed).random(NOISE, dtype=np.float32)
    band = np.add.outer(np.arange(TIMES, dtype=np.float32), noise).reshape(-1)
    sides = (step.height, step.width)
    planes = step.mask in ("depthwise", "weights")
    shape = (step.channels, *sides) if planes else (*sides, *small.image.shape[2:])
    case = Case(name=contract.name, part=contract.part, border=step.border, set=dict(step.settings))
    lab = msgspec.structs.replace(runner.submission.lab, limits=Limits(seconds=SECONDS))
    given = small.with_band(band.view(small.image.dtype), shape)
    with suppress(TooBusyError):
        outcome = run_case(lab, case, runner.binary, given, runner.work, CHECKED_ENDS)
        errors = [f for f in outcome.findings if f.severity == "error" and f.kind in AT_THE_ENDS]
        if errors:
            words = in_words.tell_sequence((step,))
            advice = AT_THE_ENDS[errors[0].kind].format(
                pixels=step.width * step.height * step.channels
            )
            lines = (f"{IN_A_CALL} {words}:", errors[0].render(), advice)
            return Unsafe(errors[0].kind, lines, tuple(errors))
    return None


def _is_traced(runner: Runner, contract: Contract) -> bool:
    """Is the part's file one for the simulator? One in plain C has no kernels."""
    return runner.submission.lab.file_of(contract).endswith(".cu")


def _play(runner: Runner, contract: Contract, sequence: Sequence, mode: Mode) -> Played:
    binary: Path = runner.binary.with_name("raced") if mode.openmp_races else runner.binary
    return Player(runner.submission.lab, contract, binary, runner.work, mode=mode).play(
        sequence, is_drawn=True
    )


def _errors(played: Played) -> Unsafe | None:
    """The first findings, or how the program was stopped."""
    if played.end == "our-fault":
        return Unsafe(
            "error", (f"the runner failed: {played.reason}",), is_fault=True, in_call=False
        )
    errors = [f for f in played.findings if f.severity == "error"]
    if errors:
        first = errors[0]
        known = 0 <= first.step < len(played.sequence)
        index = first.step if known else min(len(played.results), len(played.sequence) - 1)
        words = explain_callers_finding(first)
        is_left = first.kind == "leak" and not known
        where = LEFT if is_left else _where(played, index)
        failed = tell_failed_call(played, index) if known else ""
        lines = (where, *filter(None, [failed]), words or first.render())
        name = "wrote-outside" if words else first.kind
        return Unsafe(name, lines, tuple(errors), in_call=not is_left)
    if played.fault:
        where = _where(played, len(played.results))
        return Unsafe("out-of-bounds", (where, f"your function {played.fault}"))
    return None  # what was stopped without a finding, the checks of results report


def _where(played: Played, index: int) -> str:
    return f"{IN_A_CALL} {in_words.tell_sequence((played.sequence[index],))}:"


def _order_dependent(forwards: Played, backwards: Played, any_order: bool) -> Unsafe | None:
    """Does a result change when threads and blocks run in reverse order? any_order: by more than
    rounding."""
    pairs = zip(forwards.results, backwards.results, strict=False)
    for index, (one, other) in enumerate(pairs):
        same = one.output.tobytes() == other.output.tobytes()
        if not same and any_order and backwards.prepared:
            same = compare.compare(other.output, backwards.prepared.expected(index)).right()
        if not same:
            lines = (
                _where(forwards, index),
                "the result changes when threads and blocks run in reverse order, and a GPU "
                "guarantees no order: look for a value that one thread writes and another uses, "
                "or a sum that many threads add to",
            )
            return Unsafe("order-dependent", lines)
    return None
