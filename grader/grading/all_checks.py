"""Judges all checks of a plan, in their order, and predicts meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

from grader.grading import side_by_side
from grader.grading.pass_cache import PassCache
from grader.model.prediction import Prediction
from grader.model.result import Check
from grader.predict.process import PredictionProcess
from grader.session.plan import Planned
from grader.session.programs import Binary
from grader.session.session import Session


def judge_all(session: Session, judged: Callable[[], None]) -> list[Prediction]:
    """Judges the checks of the plan. judged: called once all have their verdict. Returns what was
    predicted meanwhile."""
    plan, plain = session.plan, session.programs.plain
    for check in session.programs.checks:
        session.add(check)
    if "instrumented" in plan.programs:
        session.programs.begin_instrumented()
    cache = None
    if session.keep_notes and plain and plan.backend == "sim":
        cache = PassCache.of(plain, plan)
    noted = cache is not None
    with PredictionProcess(session.submission, session.work, noted) as predictions:
        for timed, stage in groupby(plan.checks, lambda planned: planned.program == "timed"):
            if timed:  # nothing else may run then
                session.add_nvccs(wait=True)
                session.programs.begin_timed()
                predictions.finish()
            checks = _in_order(session, stage, cache)
            for planned, check in side_by_side.judged(session, checks, cache):
                session.add(check)
                session.add_nvccs(wait=False)
                if planned.program == "instrumented":  # of all parts, the results are known
                    session.programs.begin_timed()
                    _begin(predictions, session)
                if cache and not timed and not _is_unsure(session):
                    binary = session.binary(planned)
                    if isinstance(binary, Binary):
                        cache.add(planned.check, binary.file, check)
        session.add_nvccs(wait=True)
        places = {plan.lab.id_of(planned.check): i for i, planned in enumerate(plan.checks)}
        session.so_far.sort(key=lambda check: places.get(check.id, -1))  # others came first
        _begin(predictions, session)
        judged()
        if predictions.under_way():
            session.observer.starting("predicting the speed on a GPU")
        predicted = predictions.finish()
    if cache:
        cache.write()
    return predicted


def _begin(predictions: PredictionProcess, session: Session) -> None:
    """Begins to predict the parts whose results are right, once all results are known and the
    program is built."""
    if predictions.begun or not session.plan.predicted or session.programs.plain is None:
        return
    binary = session.programs.instrumented()
    if isinstance(binary, Path):
        right = [s for s in session.plan.predicted if _is_right(session.so_far, s.part)]
        predictions.begin(binary, right)


def _is_right(checks: list[Check], part: str) -> bool:
    """Has the part no wrong result?"""
    verdicts = [c.verdict for c in checks if c.part == part and c.kind == "correct"]
    return "fail" not in verdicts and "error" not in verdicts


def _in_order(session: Session, stage: Iterable[Planned], cache: PassCache | None) -> list[Planned]:
    """The checks of a stage in the order in which they are judged: what changed is shown first."""
    checks = list(stage)
    plain = session.programs.plain
    if cache is None or plain is None or checks[0].program != "plain":
        return checks
    return cache.changed_first(checks, plain)  # and not in each of the processes


def _is_unsure(session: Session) -> bool:
    """Did a check have no verdict of its own? What comes after it may have asked less."""
    return any(check.verdict in ("error", "uncertain") for check in session.so_far)
