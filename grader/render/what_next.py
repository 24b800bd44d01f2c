"""What a student can do next about a check that failed, for the report."""

import shlex
from dataclasses import dataclass

from grader.model.lab import Lab
from grader.model.result import Check

CALCULATOR = "handouts/calculator.md"


@dataclass(frozen=True)
class Next:
    """A thing to do: its words, and a command or a page that is shown, or an address to open."""

    words: str
    shown: str = ""
    address: str = ""


def of_check(
    check: Check, lab: Lab, again: str, step: str, step_page: str, calculator: str | None
) -> list[Next]:
    """In the order in which to do it. step: the command that steps through the check; step_page:
    the page that it made. calculator: the address of its access there, "" if only the handout is
    known; None if the check is about no pattern of addresses."""
    if check.verdict != "fail":
        return []
    if check.part is None:
        return [Next("correct the first message, then grade again", again)]
    steps = []
    if step or step_page:
        steps.append(Next("step through it, lane by lane", step, step_page))
    if calculator is not None:
        shown = "" if calculator else CALCULATOR
        steps.append(Next("try another index in the access calculator", shown, calculator))
    if any(part.id == check.part and part.hints for part in lab.part):
        steps.append(Next("read a hint", f"./grade hint {lab.id} {check.part}"))
    if not check.hidden:
        steps.append(Next("grade it alone", f"{again} -k {shlex.quote(check.name)}"))
    return steps
