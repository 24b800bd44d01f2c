"""Grades one submission of one lab: follows a plan, builds, runs and judges, and scores."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from grader.compile import staging
from grader.execute.backend import machine
from grader.grading import score
from grader.model import course_version
from grader.model.result import Check, GradedFile, Result, Sandbox
from grader.model.submission import Submission
from grader.sandbox import choice
from grader.sandbox.workspace import workspace
from grader.session import programs
from grader.session.observer import Observer
from grader.session.plan import Plan

WRONG = ("correct", "safe")  # kinds of checks that a warning may explain

if TYPE_CHECKING:
    from grader.model.prediction import Prediction
    from grader.session.report_data import ReportData
    from grader.session.session import Session


def grade(
    plan: Plan,
    submission: Submission,
    observer: Observer,
    verbose: bool = False,
    keep_notes: bool = False,
    report: ReportData | None = None,
    cores: int = 1,
    afterwards: Callable[[Session], None] | None = None,
) -> Result:
    """The grade of one lab. A fault of the grader or the machine is a check of verdict `error`.

    keep_notes: what passed is kept below build/, and is not run again while the file is the same;
    for a student's own file only. The others are those of a Session. afterwards: is called with
    the session while its programs are still there.
    """
    observer.starting("building")
    try:
        building = programs.being_built(
            plan, submission, verbose, observer.exclusive, _import_the_rest
        )
        with building as ready, workspace() as work:
            from grader.grading.all_checks import judge_all
            from grader.session import session as sessions

            session = sessions.Session(
                plan, submission, ready, work, observer, report, keep_notes, cores
            )
            predicted = judge_all(session, lambda: observer.scored(_result(session, [], verbose)))
            if afterwards:
                afterwards(session)
    finally:
        staging.release()
    return _result(session, predicted, verbose)


def _result(session: Session, predicted: list[Prediction], verbose: bool) -> Result:
    plan, submission, checks = session.plan, session.submission, session.so_far
    if not verbose and not any(c.verdict == "fail" and c.kind in WRONG for c in checks):
        checks = [_without_causes(check) for check in checks]
    points = score.score(plan, checks)
    return Result(
        lab=plan.lab.id,
        title=plan.lab.title,
        backend=plan.backend,
        files=[
            GradedFile(submission.path(name), submission.digest(name))
            for name in submission.contents
        ],
        checks=checks,
        score=points,
        exit_code=score.exit_code(checks, points),
        machine=machine(plan.backend),
        grader_version=course_version.shown(),
        hidden_included=plan.lab.hidden_included,
        selected=plan.pattern,
        open_todos=submission.open_todos(),
        sandbox=_sandbox(plan.backend == "gpu"),
        predictions=predicted,
    )


def _without_causes(check: Check) -> Check:
    """A build that passes without what may be why a program is wrong: this one is right."""
    if check.kind != "build" or check.verdict != "pass":
        return check
    lines = [line for line in check.message if line.startswith("warning: ")]
    return msgspec.structs.replace(check, message=lines)


def _import_the_rest() -> None:
    """Imports what judges, and NumPy with it: that takes half as long as the compilers, which run
    meanwhile."""
    if "grader.grading.all_checks" in sys.modules:
        return
    gc.disable()  # as in grader/__main__.py
    import grader.compile.permitted.submission_check
    import grader.grading.all_checks  # noqa: F401

    gc.freeze()
    gc.enable()


def _sandbox(gpu: bool) -> Sandbox:
    """The sandbox that the programs of this grading ran in. gpu: they used a GPU."""
    tier, probed = choice.tier(gpu), choice.probed()
    if tier is None:
        return Sandbox(None, choice.name(gpu))
    probes, day = (probed.probes, probed.day) if probed else (0, "")
    return Sandbox(tier.number, tier.name, tier.version(), probes, day)
