"""What the checks of a part so far say about those that are still to run."""

from __future__ import annotations

import math

from grader.model.result import Check
from grader.model.spec import Case, Lab, Technique

STOPPED = 2  # cases of a part that have to be stopped before it counts as endless
SMALL = 20_000  # pixels; a right program needs a small part of the time limit for no more
NOTHING = ("returned-error", "nothing-written", "call-not-made")  # diagnoses of a starter


def unbegun(checks: list[Check], part: str) -> bool:
    """Whether all public cases of a part that ran came to nothing, as those of a starter do."""
    cases = [c for c in checks if c.part == part and c.kind == "correct" and not c.hidden]
    return bool(cases) and all(c.diagnosis in NOTHING for c in cases)


def stuck(lab: Lab, checks: list[Check], planned: Case | Technique) -> str | None:
    """The case at which a part was first stopped, when waiting for another is in vain: the part
    has come back from none, and was stopped at a small image and at one with this border.

    A case whose calls are made to fail may end before it comes to the loop that does not end: it
    is always run, and does not count here.
    """
    if isinstance(planned, Case) and planned.inject:
        return None
    cases = {c.name: c for c in lab.case if not (c.inject or c.hidden)}
    done = [c for c in checks if c.part == planned.part and c.name in cases]
    done = [c for c in done if c.verdict != "skip"]
    if len(done) < STOPPED or any(c.diagnosis != "timeout" for c in done):
        return None
    given = [cases[c.name] for c in done]
    small = any(c.size and math.prod(c.size) <= SMALL for c in given)
    return done[0].name if small and any(c.border == planned.border for c in given) else None
