"""`./grade calibrate`: how the speed checks behave on this machine, and thresholds that fit it."""

import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer

from grader import exit_codes, paths
from grader.classroom.calibration import terminal
from grader.classroom.calibration.calibration import Calibration, calibration
from grader.commands import options, output
from grader.commands.errors import CommandError, UsageError
from grader.commands.grade_screen import StatusLine
from grader.execute import backend as backends
from grader.execute.backend import Backend
from grader.grading import pipeline
from grader.model import outline, spec
from grader.model import submission as submissions
from grader.model.lab import Lab, Speed
from grader.model.plain_text import line
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.observer import Observer
from grader.session.plan import NO_GPU, Plan, matching, plan_for
from grader.session.programs import COMPILES

BUSY = 0.5  # of the cores, that other programs use: the load at which a warning is due


def calibrate(
    lab_id: Annotated[
        str, typer.Option("--lab", metavar="lab1", help="This lab alone; all if left out.")
    ] = "",
    backend: options.BackendOption = options.BackendName.auto,
    rounds: Annotated[
        int,
        typer.Option("--rounds", metavar="N", min=1, max=100, help="Gradings of our solution."),
    ] = 3,
    pattern: Annotated[
        str | None,
        typer.Option(
            "-k", metavar="PATTERN", help="Only the checks of this part, or with this in the name."
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--write", metavar="FILE", help="Write the TOML; - for stdout alone."),
    ] = None,
) -> None:
    """Say how the speed checks behave on this machine, and which thresholds fit it.

    Grades our own solution, prints a table and TOML to paste, and changes no lab.toml."""
    labs = [options.load(lab_id)] if lab_id else [spec.load(name) for name in outline.available()]
    chosen = _chosen(labs, backend.value, pattern, bool(lab_id))
    plans = [plan_for(lab, where, pattern) for lab, where in chosen]
    selected = [(plan, _selected(plan)) for plan in plans]
    if not any(checks for _, checks in selected):
        matches = f" that matches '{line(pattern)}'" if pattern is not None else ""
        raise UsageError(f"{lab_id or 'the course'} has no speed check{matches}")
    missing = [
        (plan.lab.id, check.part)
        for plan, checks in selected
        for check in checks
        if check not in _timed(plan)
    ]
    table = sys.stderr if file == "-" else sys.stdout
    plans = [plan for plan in plans if _timed(plan)]
    if not plans:
        print(terminal.not_measured(missing, NO_GPU), file=table)
        raise CommandError("this machine can measure none of these checks", exit_codes.FAULT)
    solutions = [_solution(plan.lab) for plan in plans]
    _warn_of_load()
    output.announce_first_build()
    found: list[Calibration] = []
    for plan, solution in zip(plans, solutions, strict=True):
        found += _measured(plan, solution, rounds)
    blocks = [terminal.table(found), terminal.LEGEND.rstrip()]
    blocks += [terminal.below(found, min(output.columns(), 100))]
    blocks += [terminal.not_measured(missing, NO_GPU)] if missing else []
    print("\n\n".join(filter(None, blocks)), file=table)
    timed_on = {planned.backend for plan in plans for planned in plan.checks}
    machine = backends.machine("gpu" if "gpu" in timed_on else "cpu")
    toml = terminal.fragment(found, machine, f"{datetime.now(UTC):%Y-%m-%d}", rounds)
    if file != "-":
        print(f"\n{toml}", end="", flush=True)
    if file is not None:
        output.write(file, toml.encode())
    if file not in (None, "-"):
        print(f"calibrate: wrote {file}", file=sys.stderr)
    raise typer.Exit(exit_codes.FAULT if any(one.problem for one in found) else 0)


def _chosen(
    labs: list[Lab], backend: str, pattern: str | None, named: bool
) -> list[tuple[Lab, Backend]]:
    """The labs with their backends. Where no lab is named, one without this backend uses its first:
    lab 1 has the CPU alone. Raises UsageError, BackendError."""
    chosen: list[tuple[Lab, Backend]] = []
    for lab in labs:
        if pattern is not None and not matching(lab, pattern):
            continue
        name = backend if named or backend in ("auto", *lab.backends) else lab.backends[0]
        chosen.append((lab, options.backend(lab, name)))
    return chosen


def _selected(plan: Plan) -> list[Speed]:
    """The speed checks that -k selects, also those that this machine does not time."""
    checks = plan.lab.checks() if plan.pattern is None else matching(plan.lab, plan.pattern)
    return [check for check in checks if isinstance(check, Speed)]


def _timed(plan: Plan) -> list[Speed]:
    return [p.check for p in plan.checks if isinstance(p.check, Speed)]


def _solution(lab: Lab) -> Submission:
    """Our solution of a lab. Raises CommandError where this copy has none."""
    try:
        return submissions.find(lab, str(paths.SOLUTIONS))
    except submissions.SourceError as problem:
        raise CommandError(
            f"this copy has no solution of {lab.id} to measure: {problem}", exit_codes.FAULT
        ) from problem


def _measured(plan: Plan, solution: Submission, rounds: int) -> list[Calibration]:
    """Grades the speed of the solution of one lab `rounds` times."""
    lab, speeds = plan.lab, _timed(plan)
    only = tuple(planned for planned in plan.checks if isinstance(planned.check, Speed))
    plan = replace(plan, checks=only, programs=frozenset(p.program for p in only))
    live = StatusLine()
    gradings: dict[str, list[Check]] = {lab.id_of(speed): [] for speed in speeds}
    for number in range(1, rounds + 1):
        now = f"{lab.id}, grading {number} of {rounds}"
        if not live.live:
            print(f"calibrate: {now}", file=sys.stderr, flush=True)

        def show(what: str, now: str = now) -> None:
            live.show(f"{now}: {what}"[: output.columns() - 10])  # a second line would stay

        try:
            graded = pipeline.grade(plan, solution, Observer(show))
        finally:
            live.clear()
        unbuilt = [c for c in graded.checks if c.name == COMPILES and c.verdict != "pass"]
        for check in graded.checks:
            if check.id in gradings:
                gradings[check.id].append(_with_cause(check, unbuilt))
        if unbuilt:
            break
    return [calibration(lab, speed, gradings[lab.id_of(speed)]) for speed in speeds]


def _with_cause(check: Check, unbuilt: list[Check]) -> Check:
    """A check of a solution that does not build says so itself: no other line is shown."""
    if not unbuilt:
        return check
    why = unbuilt[0].message[0] if unbuilt[0].message else unbuilt[0].name
    return msgspec.structs.replace(
        check, needs=None, message=[f"our solution does not build: {why}"]
    )


def _warn_of_load() -> None:
    try:
        load = os.getloadavg()[0]
    except OSError:  # a container without /proc/loadavg
        return
    cores = len(os.sched_getaffinity(0))
    if load > BUSY * cores:
        print(
            f"calibrate: the machine is busy (load {load:.1f} on {cores} cores); "
            "thresholds measured on an idle machine are better",
            file=sys.stderr,
        )
