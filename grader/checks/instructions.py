"""A `technique` check of a function in C: compares how many vector instructions of a kind it
executed with a limit."""

from typing import Any

from grader.checks import prerequisites
from grader.execute.instructions import Instructions
from grader.execute.instrumented import InstrumentedRun, Runner
from grader.model import counters
from grader.model.grade_line import grade_line
from grader.model.lab import Technique
from grader.model.result import Check, Verdict
from grader.model.submission import Submission
from grader.session.session import Session

NOT_STEPPED = (
    "your function could not be single-stepped: it calls slow library functions, or this machine "
    "does not allow single-stepping"
)


def judge_instructions(session: Session, technique: Technique, runner: Runner) -> Check:
    """Judges a run, one instruction at a time, where those can be seen."""
    lines = []
    for bound in technique.bounds():
        lines.append(judge_stepped(session, bound, *runner.stepped(bound)))
        if lines[-1].verdict != "pass":
            return lines[-1]
    return lines[0]


def judge_stepped(
    session: Session, technique: Technique, run: InstrumentedRun, counted: Instructions | None
) -> Check:
    """The line of a run. counted: its instructions, or None if they could not be seen."""
    verdict: Verdict = "skip"
    lines: list[str] = []
    if run.outcome.end == "our-fault":
        verdict, lines = "error", [f"the runner failed: {run.outcome.reason}"]
    elif run.right and counted is None:
        verdict, lines = "uncertain", [NOT_STEPPED]
    elif run.right and counted and counted.unknown:
        verdict, lines = "fail", not_known(counted)
        counted = None
    elif run.right and counted:
        verdict = "pass" if technique.holds(counted.value(technique)) else "fail"
        lines = _explanation(session.submission, technique, counted) if verdict == "fail" else []
    needs = prerequisites.first_wrong_case(session.so_far, technique.part)
    return grade_line(
        session.lab,
        technique,
        verdict,
        lines,
        needs=needs if verdict == "skip" else None,
        details=_details(technique, counted) if counted and verdict in ("pass", "fail") else None,
        seconds=run.outcome.seconds,
    )


def not_known(counted: Instructions) -> list[str]:
    """The words for an instruction that the table does not have."""
    file, line = counted.location
    where = f"{file}:{line}" if line else "your function, at a line that is not known,"
    return [
        f"{where} executes {counted.unknown}: the check does not know whether that multiplies. Use "
        "plain C, or another intrinsic of SSE, AVX, AVX2 or AVX-512"
    ]


def _explanation(submission: Submission, technique: Technique, counted: Instructions) -> list[str]:
    words, count = counters.in_words(technique.counter).counted, counted.executed or "none"
    multiply = technique.per == "multiplication"
    among = f"{counted.multiplications} multiplications among the " if multiply else ""
    lines = [
        f"{count} of the {among}{counted.stepped} instructions of your function that were watched "
        f"are {words}; "
        f"{_limit(technique, counted.among(technique))}"
    ]
    file, line = counted.location
    if counted.executed:
        where = f"{file}:{line}" if line else "a line that is not known"
        example = f", such as {counted.text}" if counted.text else ""
        lines.append(f"{where} accounts for {counted.at_location} of them{example}")
        if source := submission.line(file, line):
            lines.append(f"    {source}")
    return [*lines, *([f"why: {technique.why}"] if technique.why else [])]


def _limit(technique: Technique, among: int) -> str:
    """The limit in words; that of a share as a number of those that were seen."""
    bound = technique.at_least if technique.at_most is None else technique.at_most
    number = f"{(bound or 0) * (among if technique.per else 1):g}"
    if technique.at_most is not None:
        return f"there should be {f'at most {number}' if technique.at_most else 'none'}"
    return f"there should be at least {number}"


def _details(technique: Technique, counted: Instructions) -> dict[str, Any]:
    """The figures behind the message, as of other technique checks."""
    file, line = counted.location
    return {
        "counter": technique.counter,
        "value": counted.value(technique),
        "limit": technique.at_most if technique.at_most is not None else technique.at_least,
        "limit_is": "at_most" if technique.at_most is not None else "at_least",
        **({"per": technique.per} if technique.per else {}),
        **({"file": file, "line": line} if line else {}),
    }
