"""Judges one check on the program that was built for it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from grader.checks import crash, prerequisites
from grader.checks.contract import judge_contract
from grader.checks.correct import judge_case
from grader.checks.safe import judge_safety
from grader.checks.speed import judge_speed
from grader.checks.technique import judge_counter
from grader.compile.probable_causes import CERTAIN
from grader.grading.pass_cache import PassCache
from grader.model.grade_line import grade_line
from grader.model.lab import Case, CheckSpec, Contract, Lab, Safe, Speed, Technique
from grader.model.result import Check
from grader.sandbox.ending import TooBusyError
from grader.session.could_not_run import FAULTS, CouldNotRun, at_fault
from grader.session.plan import Planned
from grader.session.programs import Binary
from grader.session.session import Session


@dataclass(frozen=True)
class Rule:
    """How a kind of check is judged. pointless_after: the check after whose verdict it is pointless
    to run another one, or None; given the lab, the checks so far and the one to run."""

    judge: Callable[[Session, Any, Binary], Check]
    pointless_after: Callable[[Lab, Sequence[Check], Any], str | None]


RULES: dict[type[CheckSpec], Rule] = {
    Case: Rule(judge_case, prerequisites.endless),
    Contract: Rule(judge_contract, prerequisites.without_result),
    Safe: Rule(judge_safety, prerequisites.never),
    Technique: Rule(judge_counter, prerequisites.endless),
    Speed: Rule(judge_speed, prerequisites.with_wrong_result),
}


def judge(session: Session, planned: Planned, cache: PassCache | None) -> Check:
    """The verdict of a planned check: a pass from before, where they may be used, or that of a
    run. It is not noted yet."""
    check = planned.check
    binary = session.binary(planned)
    session.observer.starting(f"{check.part}  {check.name}")
    cache = cache if planned.program != "timed" else None
    if isinstance(binary, Binary) and cache and (known := cache.find(check, binary.file)):
        return known
    outcome = binary if isinstance(binary, CouldNotRun) else _run(session, planned, binary)
    if isinstance(outcome, CouldNotRun):
        return grade_line(session.lab, check, outcome.verdict, outcome.lines, needs=outcome.needs)
    return outcome


def _run(session: Session, planned: Planned, binary: Binary) -> Check | CouldNotRun:
    """Runs the check, and once more alone where other programs did not let it run. A fault of the
    grader or the machine is a verdict of `error`; `uncertain`, when it is still busy."""
    check, rule = planned.check, RULES[type(planned.check)]
    if planned.cpu_lacks:
        return CouldNotRun("skip", [f"this machine's processor has no {planned.cpu_lacks}"])
    if needed := rule.pointless_after(session.lab, session.so_far, check):
        return CouldNotRun("skip", needs=needed)
    try:
        if planned.program != "timed":
            with suppress(TooBusyError):
                return _with_cause(session, rule.judge(session, check, binary))
        with session.observer.exclusive():
            return _with_cause(session, rule.judge(session, check, binary))
    except TooBusyError as busy:
        lines = [f"your program {busy.strerror}", "try again when the machine is idle"]
        return CouldNotRun("uncertain", lines)
    except FAULTS as fault:
        return at_fault(fault)


def _with_cause(session: Session, check: Check) -> Check:
    """What fails, after what the compiler warned of in its functions: a kernel that is called
    without <<<>>>, and of a crash all that may be its cause."""
    if check.verdict != "fail" or check.hidden:
        return check
    causes = [c for c in session.programs.causes if c.explains_crash(session.lab, check.part or "")]
    if check.diagnosis in crash.DIAGNOSES:
        lines = [f"{cause.render()}: that may be why it crashes" for cause in causes]
    else:
        said = "\n".join(check.message)
        lines = [c.render() for c in causes if c.kind in CERTAIN and c.render() not in said]
    return msgspec.structs.replace(check, message=[*lines[:1], *check.message])
