"""What the checks of a part so far decide about those still to run: which are skipped, and why.

Each rule returns the check after whose verdict it is pointless to run another one, or None.
"""

import math
from collections.abc import Sequence

from grader.execute.case import Outcome
from grader.model.lab import Case, CheckSpec, Contract, Lab, Speed, Technique
from grader.model.result import Check

STOPPED = 2  # cases of a part that must be stopped before the part counts as endless
ENDLESS = ("timeout", "waiting")  # diagnoses of those cases
SMALL = 20_000  # pixels; a right program needs a small part of the time limit for so few
NOTHING = ("returned-error", "nothing-written", "call-not-made")  # diagnoses of a starter


def not_begun(checks: Sequence[Check], part: str) -> bool:
    """Did every public case of the part that ran give no result, as those of a starter do?"""
    cases = [c for c in checks if c.part == part and c.kind == "correct" and not c.hidden]
    return bool(cases) and all(c.diagnosis in NOTHING for c in cases)


def has_begun(checks: Sequence[Check], part: str) -> bool:
    """Did a public case of the part give a result, right or wrong?"""
    cases = [c for c in checks if c.part == part and c.kind == "correct" and not c.hidden]
    return any(c.diagnosis not in NOTHING and c.verdict in ("pass", "fail") for c in cases)


def first_wrong_case(checks: Sequence[Check], part: str) -> str:
    """What a check needs that could not use a wrong result: the part's first failed case."""
    return _failed_case(checks, part) or "a right result"


def without_end(checks: Sequence[Check], part: str, outcome: Outcome) -> list[str]:
    """Why an observed run, of a part whose cases have not failed, gave no result; [] if it did."""
    if outcome.end == "completed" or _failed_case(checks, part):
        return []
    notes = [f.render() for f in outcome.findings[:3]]
    return [f"with its accesses observed, your program {outcome.reason}", *notes]


def _failed_case(checks: Sequence[Check], part: str) -> str | None:
    cases = (c for c in checks if c.part == part and c.kind == "correct")
    return next((c.name for c in cases if c.verdict == "fail"), None)


def never(_lab: Lab, _checks: Sequence[Check], _planned: CheckSpec) -> None:
    """A safe check always runs: what it finds may explain what went wrong before."""


def with_wrong_result(_lab: Lab, checks: Sequence[Check], planned: Speed) -> str | None:
    """A part with a wrong result, or one that could not be checked, is not timed."""
    cases = (c for c in checks if c.part == planned.part and c.kind == "correct")
    return next((c.name for c in cases if c.verdict in ("fail", "error")), None)


def without_result(lab: Lab, checks: Sequence[Check], planned: Contract) -> str | None:
    """The calls of a contract are pointless for a part that has given no result, or is endless."""
    if not_begun(checks, planned.part):
        return first_wrong_case(checks, planned.part)
    return endless(lab, checks, planned)


def endless(lab: Lab, checks: Sequence[Check], planned: Case | Contract | Technique) -> str | None:
    """Of an endless part no more cases are run, and nothing is counted: no case of the part has
    ended by itself, one of them has a small image, and one has this border.

    A case whose CUDA calls are made to fail may end before it reaches the endless loop, so it is
    always run and does not count here.
    """
    if isinstance(planned, Case) and planned.inject:
        return None
    cases = {c.name: c for c in lab.case if not (c.inject or c.hidden)}
    ran = [c for c in checks if c.part == planned.part and c.name in cases and c.verdict != "skip"]
    if len(ran) < STOPPED or any(c.diagnosis not in ENDLESS for c in ran):
        return None
    specs = [cases[c.name] for c in ran]
    small = any(c.size and math.prod(c.size) <= SMALL for c in specs)
    same_border = isinstance(planned, Contract) or any(c.border == planned.border for c in specs)
    return ran[0].name if small and same_border else None
