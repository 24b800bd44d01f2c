"""Grades one submission of one lab: cases -> build -> run -> judge -> score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from datasets.generate import DatasetMissing
from grader import __version__, correctness, score
from grader.backend import Backend, machine
from grader.build import Build, BuildError, Submission, build
from grader.result import Check, GradedFile, Result
from grader.run import workspace
from grader.spec import Case, Lab


@dataclass(frozen=True)
class Observer:
    """Who is told what happens while it happens. Both are called in the grader's process."""

    starting: Callable[[str], None] = field(default=lambda _: None)
    checked: Callable[[Check], None] = field(default=lambda _: None)


def matching(lab: Lab, pattern: str) -> list[Case]:
    """The cases that -k selects: its text stands in "part name", whatever the case of letters."""
    return [c for c in lab.case if pattern.lower() in f"{c.part} {c.name}".lower()]


def grade(
    submission: Submission,
    backend: Backend,
    observer: Observer,
    pattern: str | None = None,
    verbose: bool = False,
) -> Result:
    """The whole grade of one lab. What goes wrong on our side is a check of verdict `error`."""
    lab = submission.lab
    selected = lab.case if pattern is None else matching(lab, pattern)
    checks: list[Check] = []

    def made(check: Check) -> Check:
        checks.append(check)
        observer.checked(check)
        return check

    observer.starting("building")
    built, compiles = _compile(submission, backend, verbose)
    made(compiles)
    if built is None or built.binary is None:
        for case in selected:
            made(_skipped(lab, case))
    else:
        with workspace() as work:
            for case in selected:
                observer.starting(f"{case.part}  {case.name}")
                made(_checked(submission, case, built.binary, backend, work))
    marks = score.score(lab, backend, checks, selected=pattern is not None)
    return Result(
        lab=lab.id,
        title=lab.title,
        backend=backend,
        files=[
            GradedFile(f"{submission.shown}/{name}", submission.digest(name))
            for name in submission.contents
        ],
        checks=checks,
        score=marks,
        exit_code=score.exit_code(checks, marks),
        machine=machine(backend),
        grader_version=__version__,
        hidden_included=lab.hidden_included,
        selected=pattern,
        open_todos=submission.open_todos(),
    )


def _compile(submission: Submission, backend: Backend, verbose: bool) -> tuple[Build | None, Check]:
    lab = submission.lab
    name, identity = "compiles", f"{lab.id}/compiles"
    if submission.problems:
        lines = [*submission.problems, f"{lab.id} is graded from {', '.join(lab.submit)}"]
        return None, Check(identity, name, "build", "fail", message=lines)
    try:
        built = build(submission, backend, verbose)
    except (BuildError, OSError) as fault:
        return None, Check(identity, name, "build", "error", message=_fault(fault))
    seconds = round(built.seconds, 3)
    if built.binary is None:
        return built, Check(identity, name, "build", "fail", message=built.errors, seconds=seconds)
    warnings = [f"warning: {w.render()}" for w in built.warnings[:5]]
    return built, Check(identity, name, "build", "pass", message=warnings, seconds=seconds)


def _fault(fault: BuildError | OSError) -> list[str]:
    if isinstance(fault, OSError):
        return [f"this machine does not let the grader work: {fault.strerror or fault}"]
    last = [line for line in fault.log.splitlines() if line.strip()][-4:]
    return [str(fault), *last, "./grade doctor says what this machine lacks"]


def _skipped(lab: Lab, case: Case) -> Check:
    return Check(
        id=f"{lab.id}/{case.part}/{case.name}",
        name=case.name,
        kind="correct",
        verdict="skip",
        max_points=case.points,
        part=case.part,
        hidden=case.hidden,
        needs="compiles",
    )


def _checked(
    submission: Submission, case: Case, binary: Path, backend: Backend, work: Path
) -> Check:
    try:
        return correctness.check(submission, case, binary, backend, work)
    except DatasetMissing as missing:
        reason = str(missing)
    except (OSError, MemoryError) as problem:
        what = getattr(problem, "strerror", None) or str(problem) or "out of memory"
        reason = f"this machine does not let the grader work: {what}"
    return Check(
        id=f"{submission.lab.id}/{case.part}/{case.name}",
        name=case.name,
        kind="correct",
        verdict="error",
        max_points=case.points,
        part=case.part,
        hidden=case.hidden,
        message=[reason],
    )
