"""Looks for one change that makes a failing submission right, and grades it before it is named."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from grader.correction.search import find
from grader.grading import pipeline
from grader.model.result import Check, Correction
from grader.model.submission import Submission
from grader.sandbox.limits import cores
from grader.session.could_not_run import FAULTS
from grader.session.observer import Observer
from grader.session.plan import Plan, plan_for


def corrections(
    plan: Plan, submission: Submission, checks: Sequence[Check], seconds: float
) -> list[Correction]:
    """Those of the parts that fail; none on a GPU, and where the search cannot run. checks: the
    grade by that plan. seconds: how long edits are tried."""
    if plan.backend == "gpu":
        return []
    whole = plan_for(plan.lab, plan.backend, timed=False)
    try:
        return find(whole, submission, checks, partial(_right_parts, whole), seconds)
    except FAULTS:
        return []


def _right_parts(plan: Plan, edited: Submission, parts: set[str]) -> set[str]:
    """Of these parts, those in which the edited submission passes all that is no matter of speed
    or technique."""
    chosen = tuple(
        p for p in plan.checks if p.check.part in parts and p.check.kind in pipeline.WRONG
    )
    programs = frozenset(planned.program for planned in chosen)
    again = replace(plan, checks=chosen, programs=programs, left_out=(), predicted=())
    graded = pipeline.grade(again, edited, Observer(), cores=cores())
    return parts - {check.part for check in graded.checks if check.verdict != "pass"}
