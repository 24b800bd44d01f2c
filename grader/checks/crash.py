"""What a crash was, where the runner's handler or the simulator knows more than the signal says."""

import re

from grader.model.finding import Finding
from grader.model.submission import Submission

# Findings that say what a crash was, and the names that they give it.
NAMES = {
    "protection-fault": "crashed",
    "null-pointer": "null-pointer",
    "stack-overflow": "stack-overflow",
    "crash": "crashed",
    "division-by-zero": "division-by-zero",
    "aborted": "crashed",
    "wrong-space": "wrong-space",
}
DIAGNOSES = frozenset([*NAMES, *NAMES.values()])
_STEPPING = re.compile(r"^\s*for\s*\([^/%]*\+=\s*(\w+)\s*\)")
_ALIGNED = re.compile(r"(?P<width>_mm(?:256|512)?)_(?P<way>load|store)_(?P<kind>\w+)")
_SIZES = {"_mm": 16, "_mm256": 32, "_mm512": 64}


def explain(submission: Submission, finding: Finding) -> tuple[list[str], str]:
    """The crash in words, with the student's line, and its name."""
    text = submission.line(finding.file, finding.line)
    said = misaligned(submission, finding)
    lines = [f"crashed: {said or finding.render()}", *([f"    {text}"] if text else [])]
    if said:
        return lines, "misaligned"
    stepping = _STEPPING.match(text) if finding.kind == "division-by-zero" else None
    if stepping:  # OpenMP divides by the step, to know how many iterations there are
        lines.append(f"the step of this loop, {stepping[1]}, is 0: was it rounded down?")
    return lines, NAMES[finding.kind]


def misaligned(submission: Submission, finding: Finding) -> str:
    """A fault at a line that loads or stores a whole register, in words; "" for another one."""
    call = _ALIGNED.search(submission.line(finding.file, finding.line))
    if finding.kind != "protection-fault" or not call:
        return ""
    return (
        f"{finding.where()}: {call[0]}() needs an address that is a multiple of "
        f"{_SIZES[call['width']]}, and got another one; "
        f"{call['width']}_{call['way']}u_{call['kind']}() takes any"
    )
