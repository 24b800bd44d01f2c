"""Grades one submission of one lab: follows a plan, builds, runs and judges, and scores."""

from __future__ import annotations

from grader import __version__
from grader.checks import early_stop
from grader.compile import staging
from grader.execute.backend import machine
from grader.grading import programs, score
from grader.grading.evidence import Evidence
from grader.grading.judge import Judge
from grader.grading.observer import Observer
from grader.grading.pass_cache import PassCache
from grader.grading.plan import Plan
from grader.model.result import Check, GradedFile, Result
from grader.model.submission import Submission
from grader.sandbox.workspace import workspace


def grade(
    plan: Plan,
    submission: Submission,
    observer: Observer,
    verbose: bool = False,
    use_cache: bool = False,
    evidence: Evidence | None = None,
) -> Result:
    """The grade of one lab. A fault of the grader or the machine is a check of verdict `error`.

    use_cache: a check that this very file has passed before is not run again; for a student's own
    file only. evidence: takes what a report shows beyond the grade; what fails is then run once
    more, traced.
    """
    checks: list[Check] = []

    def add(check: Check) -> None:
        checks.append(check)
        observer.checked(check)

    observer.starting("building")
    try:
        building = programs.built(plan, submission, verbose, observer.exclusive)
        with building as ready, workspace() as work:
            for check in ready.checks:
                add(check)
            cache = None
            if use_cache and ready.plain and plan.backend == "sim":
                cache = PassCache.of(ready.plain, plan.lab.id)
            judge = Judge(
                plan, submission, ready, work, observer, checks, evidence, cache, use_cache
            )
            for planned in plan.checks:
                needed = early_stop.pointless_after(plan.lab, checks, planned.check)
                add(judge.check(planned, needed))
            if cache:
                cache.write()
    finally:
        staging.release()
    marks = score.score(plan, checks)
    return Result(
        lab=plan.lab.id,
        title=plan.lab.title,
        backend=plan.backend,
        files=[
            GradedFile(f"{submission.shown}/{name}", submission.digest(name))
            for name in submission.contents
        ],
        checks=checks,
        score=marks,
        exit_code=score.exit_code(checks, marks),
        machine=machine(plan.backend),
        grader_version=__version__,
        hidden_included=plan.lab.hidden_included,
        selected=plan.pattern,
        open_todos=submission.open_todos(),
    )
