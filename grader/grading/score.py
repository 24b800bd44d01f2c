"""From checks to a score and an exit code."""

from __future__ import annotations

from grader.execute.backend import Backend, cpu_has, timed_on
from grader.exit_codes import FAULT, FULL_MARKS, LESS
from grader.model.result import Check
from grader.model.score import Score, Unmeasured
from grader.model.spec import Lab
from grader.timing.statistics import NO_SOLUTION


def score(lab: Lab, backend: Backend, checks: list[Check], selected: bool) -> Score:
    """The points earned and measured.

    `uncertain` and `error` cost nothing: their points count as unmeasured, and so do those of a
    check that this backend does not have (a skip that needs no other check). With `selected` (a
    run of part of the checks) the score covers only what ran.
    """
    ours = {c.name for c in checks if c.verdict == "error"}  # a skip for their sake is ours too
    lost = [c for c in checks if c.verdict == "error" or c.needs in ours]
    elsewhere = [c for c in checks if c.verdict == "skip" and c.needs is None and c.max_points]
    counted = [
        c for c in checks if c.verdict in ("pass", "fail", "skip") and c not in lost + elsewhere
    ]
    earned = sum(c.points for c in counted)
    measured = sum(c.max_points for c in counted)
    if selected:
        return Score(earned, measured, measured)
    unsure = [c for c in checks if c.verdict == "uncertain"]
    unmeasured = [
        Unmeasured(sum(c.max_points for c in unsure if _unsure(c) == why), why)
        for why in dict.fromkeys(map(_unsure, unsure))
    ]
    unmeasured += [
        Unmeasured(sum(c.max_points for c in elsewhere if _elsewhere(lab, c) == why), why)
        for why in dict.fromkeys(_elsewhere(lab, c) for c in elsewhere)
    ]
    faults = sum(c.max_points for c in lost)
    if faults:
        unmeasured.append(
            Unmeasured(faults, "could not be checked: the grader or machine is at fault")
        )
    unmeasured += _untimed(lab, backend, {c.name for c in checks})
    total = lab.points.total()
    rest = total - measured - sum(u.points for u in unmeasured)
    if rest > 0:
        unmeasured.append(Unmeasured(rest, "are in your instructor's hidden checks"))
    return Score(earned, measured, total, tuple(unmeasured))


def _untimed(lab: Lab, backend: Backend, done: set[str]) -> list[Unmeasured]:
    """The points for speed that nobody tried to measure, and why."""
    left = [check for check in lab.speed if check.name not in done]
    here = sum(check.points for check in left if timed_on(lab, check, backend))
    elsewhere = sum(check.points for check in left) - here
    reasons = {"are for speed, left out by --no-speed": here, "need a GPU": elsewhere}
    return [Unmeasured(points, reason) for reason, points in reasons.items() if points]


def _unsure(check: Check) -> str:
    """Why a check was not decided."""
    if check.diagnosis == NO_SOLUTION:
        return "are for speed beside the course's solution, in your instructor's grader"
    return "uncertain on this machine"


def _elsewhere(lab: Lab, check: Check) -> str:
    """What a check waits for that was not done here."""
    cpu = next((part.cpu for part in lab.part if part.id == check.part), "")
    if cpu and not cpu_has(cpu):
        return f"need a CPU with {cpu.upper()}"
    return "cannot be timed here" if check.kind == "speed" else "need the simulator"


def exit_code(checks: list[Check], score: Score) -> int:
    """0 full marks of what was measured, 1 less, 3 grader or machine fault."""
    if any(c.verdict == "error" for c in checks):
        return FAULT
    if any(c.verdict == "fail" for c in checks) or score.earned < score.measured:
        return LESS
    return FULL_MARKS
