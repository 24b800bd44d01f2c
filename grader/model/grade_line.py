"""The one place where a line of a grade is made."""

from collections.abc import Mapping, Sequence
from typing import Any

from grader.model import plain_text
from grader.model.lab import Case, CheckSpec, Lab, Technique
from grader.model.result import Check, Verdict

# What a hidden case says that has no verdict: the reason could hold what the program printed.
UNJUDGED = {
    "error": "the grader or this machine could not run this hidden check; ./grade doctor says what "
    "this machine lacks",
    "uncertain": "this hidden check could not be decided; try again when the machine is idle",
}


def grade_line(
    lab: Lab,
    planned: CheckSpec,
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
    and its hint, never its input, its figures or the mistake; where it could not be judged, it does
    not say why; no more does a technique check at a size that no student knows. The time of a check
    with such an input is left out: the program decides how its time depends on the input.
    """
    hidden = isinstance(planned, Case) and planned.hidden
    unjudged = planned.is_secret() and isinstance(planned, Technique) and verdict == "error"
    if unjudged or (hidden and verdict in UNJUDGED):
        message, diagnosis, details = [UNJUDGED[verdict]], None, None
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
        message=_lines(message),
        diagnosis=plain_text.line(diagnosis) if diagnosis else None,
        needs=needs,
        details=plain_text.everywhere(dict(details or {})),
        seconds=0 if planned.is_secret() else round(seconds, 4),
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
        message=_lines(message),
        seconds=round(seconds, 4),
    )


def _lines(message: Sequence[str]) -> list[str]:
    """A message, fit to be shown: compilers and programs have written parts of it."""
    return [plain_text.line(line) for text in message for line in text.split("\n")]
