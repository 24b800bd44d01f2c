"""From the checks of a plan to a score and an exit code."""

from collections.abc import Iterable

from grader.exit_codes import FAULT, FULL_MARKS, LESS
from grader.model.result import Check
from grader.model.score import Score, Unmeasured
from grader.session.plan import NO_SOLUTION, Plan

UNCERTAIN = "uncertain on this machine"
OUR_FAULT = "could not be checked: the grader or machine is at fault"
HIDDEN = "are in your instructor's hidden checks"


def score(plan: Plan, checks: list[Check]) -> Score:
    """The points earned, of those measured.

    `uncertain` and `error` cost nothing: their points count as unmeasured, and so do those of a
    check that cannot run here (a skip that needs no other check). Where the plan is a part of the
    lab's checks, the score covers only what ran.
    """
    faulty = {c.name for c in checks if c.verdict == "error"}
    at_fault = [c for c in checks if c.verdict == "error" or c.needs in faulty]
    not_here = [c for c in checks if c.verdict == "skip" and c.needs is None and c.max_points]
    uncertain = [c for c in checks if c.verdict == "uncertain"]
    measured = [c for c in checks if c not in at_fault + not_here + uncertain]
    earned_points = sum(c.points for c in measured)
    measured_points = sum(c.max_points for c in measured)
    if plan.pattern is not None:
        return Score(earned_points, measured_points, measured_points)
    reasons = [(_why_uncertain(c), c.max_points) for c in uncertain]
    reasons += [(_why_not_here(plan, c), c.max_points) for c in not_here]
    reasons += [(OUR_FAULT, c.max_points) for c in at_fault if c.max_points]
    unmeasured = [*_summed(reasons), *plan.left_out]
    total = plan.lab.points.total()
    rest = total - measured_points - sum(u.points for u in unmeasured)
    if rest > 0:
        unmeasured.append(Unmeasured(rest, HIDDEN))
    return Score(earned_points, measured_points, total, tuple(unmeasured))


def _summed(reasons: Iterable[tuple[str, float]]) -> list[Unmeasured]:
    """The points of each reason, in the order in which the reasons first appear."""
    points: dict[str, float] = {}
    for reason, more in reasons:
        points[reason] = points.get(reason, 0) + more
    return [Unmeasured(total, reason) for reason, total in points.items()]


def _why_uncertain(check: Check) -> str:
    if check.diagnosis == NO_SOLUTION:
        return "are for speed against the course's solution, in your instructor's grader"
    return UNCERTAIN


def _why_not_here(plan: Plan, check: Check) -> str:
    """What a check that was skipped would need."""
    lacking = (p.cpu_lacks for p in plan.checks if p.check.part == check.part)
    if instructions := next(filter(None, lacking), ""):
        return f"need a CPU with {instructions}"
    return "cannot be timed here" if check.kind == "speed" else "need the simulator"


def exit_code(checks: list[Check], score: Score) -> int:
    """0: full marks on everything measured; 1: less; 3: the grader or the machine is at fault."""
    if any(c.verdict == "error" for c in checks):
        return FAULT
    if any(c.verdict == "fail" for c in checks) or score.earned < score.measured:
        return LESS
    return FULL_MARKS
