"""Judges all checks of a plan, in their order, and predicts meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from grader.checks.predicted_points import judge_predictions
from grader.grading import side_by_side
from grader.grading.pass_cache import PassCache
from grader.grading.predictions import Predictions
from grader.model.prediction import Prediction
from grader.session.plan import Planned
from grader.session.programs import Binary
from grader.session.session import Session


def judge_all(session: Session, judged: Callable[[], None]) -> list[Prediction]:
    """Judges the checks of the plan. judged: called once all have their verdict, unless predictions
    earn points. Returns what was predicted meanwhile."""
    plan, plain = session.plan, session.programs.plain
    for check in session.programs.checks:
        session.add(check)
    session.programs.begin_instrumented()
    cache = None
    if session.keep_notes and plain and plan.backend == "sim":
        cache = PassCache.of(plain, plan.lab.id)
    with Predictions(session, noted=cache is not None) as predictions:
        for program, stage in groupby(plan.checks, _stage):
            if program != "plain":
                session.programs.begin_timed()
            if program == "instrumented":
                predictions.begin()
            if program == "timed":  # nothing else may run then
                predictions.finish()
            for planned, check in side_by_side.judged(session, list(stage), cache):
                if planned.program != "plain":
                    session.add_nvccs()
                session.add(check)
                if cache and program != "timed":
                    binary = session.binary(planned)
                    if isinstance(binary, Binary):
                        cache.add(planned.check, binary.file, check)
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


def _stage(planned: Planned) -> str:
    """Checks of one stage may be judged at the same time: "plain", "instrumented" or "timed"."""
    return "plain" if planned.program == "failing" else planned.program
