"""Judges all checks of a plan, in their order, and predicts meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from grader.checks.predicted_points import judge_predictions
from grader.grading.judge import judge
from grader.grading.pass_cache import PassCache
from grader.grading.predictions import Predictions
from grader.model.prediction import Prediction
from grader.session.session import Session


def judge_all(session: Session, judged: Callable[[], None]) -> list[Prediction]:
    """Judges the checks of the plan. judged: called once all have their verdict, unless predictions
    earn points. Returns what was predicted meanwhile."""
    plan, plain = session.plan, session.programs.plain
    for check in session.programs.checks:
        session.add(check)
    cache = None
    if session.keep_notes and plain and plan.backend == "sim":
        cache = PassCache.of(plain, plan.lab.id)
    with Predictions(session, noted=cache is not None) as predictions:
        for planned in plan.checks:
            if planned.program != "plain":
                session.add_nvccs()
            if planned.program == "instrumented":
                predictions.begin()
            if planned.program == "timed":  # nothing else may run then
                predictions.finish()
            session.add(judge(session, planned, cache))
        session.add_nvccs()
        predictions.begin()
        if plan.prediction != "points":
            judged()
        if predictions.under_way():
            session.observer.starting("predicting the speed on a GPU")
        predicted = predictions.finish()
    for check in judge_predictions(plan, predicted):
        session.add(check)
    if cache:
        cache.write()
    return predicted
