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
from grader.session.plan import Plan


def corrections(
    plan: Plan, submission: Submission, checks: Sequence[Check], seconds: float
) -> list[Correction]:
    """Those of the parts that fail; none on a GPU, and where the search cannot run. seconds: how
    long edits are tried."""
    if plan.backend == "gpu":
        return []
    try:
        return find(plan, submission, checks, partial(_passed, plan), seconds)
    except FAULTS:
        return []


def _passed(plan: Plan, edited: Submission, checks: list[Check]) -> set[str]:
    """The ids of those of these checks that the edited submission passes."""
    wanted = {check.id for check in checks}
    chosen = tuple(p for p in plan.checks if plan.lab.id_of(p.check) in wanted)
    programs = frozenset(planned.program for planned in chosen)
    again = replace(plan, checks=chosen, programs=programs, left_out=(), predicted=())
    graded = pipeline.grade(again, edited, Observer(), cores=cores())
    return {check.id for check in graded.checks if check.verdict == "pass"}
