"""The one place where a line of a grade is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.model.result import Check, Verdict
from grader.model.spec import AnyCheck, Case, Lab


def grade_line(
    lab: Lab,
    planned: AnyCheck,
    verdict: Verdict,
    message: Sequence[str] = (),
    *,
    points: float | None = None,
    diagnosis: str | None = None,
    needs: str | None = None,
    details: Mapping[str, Any] | None = None,
    seconds: float = 0,
) -> Check:
    """The line of a planned check.

    points: None for all of them on a pass and none otherwise. needs: of a skip, the check that
    failed. seconds: how long the check's program ran. A hidden case that fails shows its rationale
    and its hint, never its input, its figures or the mistake.
    """
    hidden = isinstance(planned, Case) and planned.hidden
    if isinstance(planned, Case) and hidden and verdict == "fail":
        hint = f"hint: {planned.hint}" if planned.hint else ""
        message = [line for line in (planned.rationale, hint) if line]
        diagnosis, details = None, None
    if points is None:
        points = planned.points if verdict == "pass" else 0
    return Check(
        id=lab.id_of(planned),
        name=planned.name,
        kind=planned.kind,
        verdict=verdict,
        points=points,
        max_points=planned.points,
        part=planned.part,
        hidden=hidden,
        message=list(message),
        diagnosis=diagnosis,
        needs=needs,
        details=dict(details or {}),
        seconds=round(seconds, 4),
    )


def build_line(
    lab: Lab, name: str, verdict: Verdict, message: Sequence[str] = (), seconds: float = 0
) -> Check:
    """The line of a build, which belongs to no part and has no points."""
    return Check(
        id=f"{lab.id}/{name}",
        name=name,
        kind="build",
        verdict=verdict,
        message=list(message),
        seconds=round(seconds, 4),
    )
