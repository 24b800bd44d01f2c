"""Grades one submission of one lab: follows a plan, builds, runs and judges, and scores."""

from __future__ import annotations

from pathlib import Path

from grader import __version__
from grader.checks import early_stop
from grader.compile import staging
from grader.execute.backend import machine
from grader.grading import predicted_points, programs, score
from grader.grading.evidence import Evidence
from grader.grading.judge import Judge
from grader.grading.observer import Observer
from grader.grading.pass_cache import PassCache
from grader.grading.plan import Plan
from grader.grading.predictions import Predictions
from grader.grading.programs import Programs
from grader.model.prediction import Prediction
from grader.model.result import Check, GradedFile, Result, Sandbox
from grader.model.submission import Submission
from grader.sandbox import choice
from grader.sandbox.workspace import workspace


def grade(
    plan: Plan,
    submission: Submission,
    observer: Observer,
    verbose: bool = False,
    use_cache: bool = False,
    evidence: Evidence | None = None,
    processes: int = 1,
) -> Result:
    """The grade of one lab. A fault of the grader or the machine is a check of verdict `error`.

    use_cache: a check that this very file has passed before is not run again; for a student's own
    file only. evidence: takes what a report shows beyond the grade; what fails is then run once
    more, traced. processes: in which a speed check is timed at least.
    """
    checks: list[Check] = []
    predicted: list[Prediction] = []

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
                plan,
                submission,
                ready,
                work,
                observer,
                checks,
                evidence,
                cache,
                use_cache,
                processes,
            )
            predictions = Predictions(plan, submission, work, noted=cache is not None)
            with predictions:
                for planned in plan.checks:
                    if planned.program == "instrumented":
                        _begin(predictions, ready, checks)
                    if planned.program == "timed":  # nothing else may run then
                        predictions.finish()
                    needed = early_stop.pointless_after(plan.lab, checks, planned.check)
                    add(judge.check(planned, needed))
                _begin(predictions, ready, checks)
                if predictions.under_way():
                    observer.starting("predicting the speed on a GPU")
                predicted = predictions.finish()
            for check in predicted_points.checks(plan, predicted):
                add(check)
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
            GradedFile(submission.path(name), submission.digest(name))
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
        sandbox=_sandbox(plan.backend == "gpu"),
        predictions=predicted,
    )


def _begin(predictions: Predictions, ready: Programs, checks: list[Check]) -> None:
    """Starts them, if there are any, as soon as their program is built."""
    if predictions.wanted() and ready.plain is not None:
        program = ready.instrumented()
        if isinstance(program, Path):
            predictions.begin(program, checks)


def _sandbox(gpu: bool) -> Sandbox:
    """The sandbox that the programs of this grading ran in. gpu: they used a GPU."""
    tier, probed = choice.tier(gpu), choice.probed()
    if tier is None:
        return Sandbox(None, choice.name(gpu))
    probes, day = (probed.probes, probed.day) if probed else (0, "")
    return Sandbox(tier.number, tier.name, tier.version(), probes, day)
