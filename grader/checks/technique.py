"""One `technique` check: a counter of a traced run, held against its limit."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from grader.execute.instrumented import InstrumentedRun, Runner
from grader.execute.profile import Kernel, Line, Profile, profile, read
from grader.model import counters
from grader.model.counters import Counters
from grader.model.result import Check, Verdict
from grader.model.spec import Technique
from grader.model.submission import Submission


@dataclass(frozen=True)
class Measured:
    """The counter of all launches that count. `value` is None when it would divide by 0."""

    value: float | None
    divisor: float  # pixels, launches, or the quotient's denominator
    kernels: list[Kernel]
    worst: Line | None  # the line that speaks most against the limit
    share: float  # that line's own value


def check(
    submission: Submission, technique: Technique, runner: Runner, needs: str
) -> tuple[Check, Profile | None]:
    """Counts, and gives the check with the profile that it was read from. `needs`: what is said
    when the result is not right: what a wrong kernel counts means nothing. Raises OSError or
    DatasetMissing for what is not the student's."""
    run = runner.forwards(technique)
    if run.outcome.end == "our-fault":
        lines = [f"the runner failed: {run.outcome.reason}"]
        return _made(submission, technique, "error", run, lines), None
    if not run.right:
        return _made(submission, technique, "skip", run, needs=needs), None
    try:
        seen = profile(runner.binary, read(run.outcome.profile), run.outcome.findings)
    except msgspec.DecodeError:
        lines = ["the traced run left counters that cannot be read"]
        return _made(submission, technique, "error", run, lines), None
    measured = measure(technique, seen, run.pixels)
    if not measured.kernels:
        lines = [_no_launch(technique, seen), *_why(technique)]
        return _made(submission, technique, "fail", run, lines, measured), seen
    if not all(kernel.complete for kernel in measured.kernels):
        lines = ["this machine has too little memory to count this run"]
        return _made(submission, technique, "error", run, lines), seen
    if _holds(technique, measured.value):
        return _made(submission, technique, "pass", run, None, measured), seen
    lines = _against(submission, technique, measured)
    return _made(submission, technique, "fail", run, lines, measured), seen


def measure(technique: Technique, seen: Profile, pixels: int) -> Measured:
    """The counter's value over the launches whose kernel the check is about."""
    kernels = [k for k in seen.kernels if fnmatchcase(k.name, technique.kernel)]
    total, below = 0, 0
    lines: dict[tuple[str, int], Line] = {}
    for kernel in kernels:
        above, under = counters.terms(technique.counter, kernel.counters)
        total, below = total + above, below + (under or 0)
        for line in kernel.lines:
            key = (line.file, line.line)
            known = lines.setdefault(key, Line(line.file, line.line, Counters()))
            counters.accumulate(known.counters, line.counters)
    divisor = float(_divisor(technique, below, pixels, len(kernels)))
    worst = None
    if technique.at_most is not None:  # what is too little is at no line
        worst = max(lines.values(), key=lambda line: _excess(technique, line), default=None)
    share = 0.0
    if worst is not None:
        above, under = counters.terms(technique.counter, worst.counters)
        share = above / (under or divisor or 1)
    return Measured(total / divisor if divisor else None, divisor, kernels, worst, share)


def _divisor(technique: Technique, below: int, pixels: int, launches: int) -> int:
    if counters.is_quotient(technique.counter):
        return below
    return {"pixel": pixels, "launch": launches, None: 1}[technique.per]


def _excess(technique: Technique, line: Line) -> float:
    """How much a line adds to what is above the limit; a quotient's good lines take some away."""
    above, under = counters.terms(technique.counter, line.counters)
    return above - (technique.at_most or 0) * (under or 0)


def _holds(technique: Technique, value: float | None) -> bool:
    if value is None:
        return False
    if technique.at_most is not None:
        return value <= technique.at_most
    return technique.at_least is not None and value >= technique.at_least


def _no_launch(technique: Technique, seen: Profile) -> str:
    names = ", ".join(sorted({k.name for k in seen.kernels}))
    if not names:
        return "your function launched no kernel"
    return f"no kernel named {technique.kernel} was launched, only {names}"


def _against(submission: Submission, technique: Technique, measured: Measured) -> list[str]:
    words = counters.in_words(technique.counter)
    unit = counters.unit(technique.counter, technique.per)
    names = ", ".join(dict.fromkeys(kernel.name for kernel in measured.kernels))
    if measured.value is None:
        nothing = counters.denominator_in_words(technique.counter)
        return [f"{names} makes no {nothing}: there is nothing to judge", *_why(technique)]
    limit = (
        f"at most {technique.at_most:g}"
        if technique.at_most is not None
        else f"at least {technique.at_least:g}"
    )
    lines = [f"{names}: {number(measured.value)} {words}{unit}; it should be {limit}"]
    if worst := measured.worst:
        place = f"{worst.file}:{worst.line}" if worst.line else "a line that is not known"
        if counters.is_quotient(technique.counter):
            lines.append(f"worst at {place}, where it is {number(measured.share)}")
        else:
            lines.append(f"{place} makes {number(measured.share)} of the {number(measured.value)}")
        if source := submission.line(worst.file, worst.line):
            lines.append(f"    {source}")
    return lines + _why(technique)


def number(value: float) -> str:
    """Four digits are enough: 169, 33.75, 0.125."""
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def _why(technique: Technique) -> list[str]:
    return [f"why: {technique.why}"] if technique.why else []


def _made(
    submission: Submission,
    technique: Technique,
    verdict: Verdict,
    run: InstrumentedRun,
    lines: list[str] | None = None,
    measured: Measured | None = None,
    needs: str | None = None,
) -> Check:
    return Check(
        id=f"{submission.lab.id}/{technique.part}/{technique.name}",
        name=technique.name,
        kind="technique",
        verdict=verdict,
        points=technique.points if verdict == "pass" else 0,
        max_points=technique.points,
        part=technique.part,
        message=lines or [],
        needs=needs,
        details=_details(technique, measured) if measured else {},
        seconds=round(run.outcome.seconds, 4),
    )


def _details(technique: Technique, measured: Measured) -> dict[str, Any]:
    """The figures. Without a value nothing could be divided by; the limit's name is its key."""
    details: dict[str, Any] = {
        "counter": technique.counter,
        "value": measured.value,
        "limit": technique.at_most if technique.at_most is not None else technique.at_least,
        "limit_is": "at_most" if technique.at_most is not None else "at_least",
        "per": technique.per,
        "kernels": [kernel.name for kernel in measured.kernels],
    }
    if measured.worst:
        details |= {"file": measured.worst.file, "line": measured.worst.line}
    return details
