"""From checks to a score and an exit code."""

from __future__ import annotations

from grader.backend import cpu_has
from grader.result import Check, Score, Unmeasured
from grader.spec import Lab

FULL_MARKS, LESS, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


def score(lab: Lab, backend: str, checks: list[Check], selected: bool, timed: bool = True) -> Score:
    """The points earned and measured.

    `uncertain` and `error` cost nothing: their points count as unmeasured, and so do those of a
    check that this backend does not have (a skip that needs no other check). With `selected` (a
    run of part of the checks) the score covers only what ran. `timed`: speed was asked for.
    """
    ours = {c.name for c in checks if c.verdict == "error"}  # a skip for their sake is ours too
    lost = [c for c in checks if c.verdict == "error" or c.needs in ours]
    elsewhere = [c for c in checks if c.verdict == "skip" and c.needs is None]
    counted = [
        c for c in checks if c.verdict in ("pass", "fail", "skip") and c not in lost + elsewhere
    ]
    earned = sum(c.points for c in counted)
    measured = sum(c.max_points for c in counted)
    if selected:
        return Score(earned, measured, measured)
    unmeasured = [
        Unmeasured(c.max_points, "uncertain on this machine")
        for c in checks
        if c.verdict == "uncertain"
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
    checked = {c.kind for c in checks}
    if lab.points.speed and "speed" not in checked:
        gpu = all(name.endswith(".cu") for name in lab.submit) and backend != "gpu"
        reason = "need a GPU" if gpu else "are for speed, which this version does not time yet"
        if lab.speed and not timed and not gpu:
            reason = "are for speed, left out by --no-speed"
        unmeasured.append(Unmeasured(lab.points.speed, reason))
    total = lab.points.total()
    rest = total - measured - sum(u.points for u in unmeasured)
    if rest > 0:
        unmeasured.append(Unmeasured(rest, "are in your instructor's hidden checks"))
    return Score(earned, measured, total, unmeasured)


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
