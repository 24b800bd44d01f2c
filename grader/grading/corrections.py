"""Looks for one change that makes a failing submission right, and grades it before it is named."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from grader.checks.prerequisites import not_begun
from grader.correction.edits import Edit, Place
from grader.correction.search import Clock, Search
from grader.grading import pipeline
from grader.model.lab import Limits
from grader.model.result import Change, Check, Correction, Result
from grader.model.submission import Submission
from grader.sandbox.limits import cores
from grader.session.could_not_run import FAULTS
from grader.session.observer import Observer
from grader.session.plan import Plan, plan_for

GRADED = 3  # edits of a part
SECONDS_OF_A_RUN = 3.0  # of processor time: an edit can make a loop endless
MEANT = 4  # edits of one statement that are right: of so many, some do the same
UNSOLVED = "cudaErrorNotSupported"  # what the functions of a starter return


def explained(plan: Plan, submission: Submission, graded: Result, seconds: float) -> Result:
    """The grade with the corrections of its file: in the first failing check of each part that one
    makes right, it is the first line. The arguments are those of corrections()."""
    found = corrections(plan, submission, graded.checks, seconds)
    causes = {part: each.cause() for each in found for part in each.parts}
    checks = [
        msgspec.structs.replace(check, message=[causes.pop(check.part or ""), *check.message])
        if is_wrong(check) and not check.hidden and check.part in causes
        else check
        for check in graded.checks
    ]
    return msgspec.structs.replace(graded, checks=checks, corrections=found)


def is_wrong(check: Check) -> bool:
    """Does it fail for a result that a correction may make right?"""
    return check.verdict == "fail" and check.kind in pipeline.WRONG


def corrections(
    plan: Plan, submission: Submission, checks: Sequence[Check], seconds: float
) -> list[Correction]:
    """At most one of each part that fails, which breaks no other; none on a GPU, and where the
    search cannot run. checks: the grade by that plan. seconds: of processor time on each core,
    for which edits are tried."""
    whole = plan_for(plan.lab, plan.backend, timed=False)
    try:
        return [] if plan.backend == "gpu" else _found(whole, submission, checks, Clock(seconds))
    except FAULTS:
        return []


def _found(
    plan: Plan, submission: Submission, checks: Sequence[Check], clock: Clock
) -> list[Correction]:
    """One that makes more parts right takes the place of another part's own."""
    failing = [c for c in checks if is_wrong(c)]
    wrong = {c.part for c in failing if c.part}
    fine = {c.part for c in checks if c.part} - wrong
    calls = [call for part in plan.lab.part if part.id in fine for call in part.calls]
    left = {part for part in wrong if not _is_unwritten(checks, part)}
    refuted: set[tuple[Place, ...]] = set()
    found: list[Correction] = []
    for part in plan.lab.part:
        if part.id not in left - {known for each in found for known in each.parts}:
            continue
        search = Search(plan, submission, part, {c.id for c in failing}, calls, clock)
        best, right = _best(plan, search, left, fine, refuted)
        if best:
            count = sum(c.part in right for c in failing)
            file = submission.path(search.name)
            changes = [Change(f"{file}:{line}", what) for line, what in best]
            found = [each for each in found if not {*each.parts} < right]
            found.append(Correction(sorted(right), changes, count))
    return found


def _is_unwritten(checks: Sequence[Check], part: str) -> bool:
    """Do its checks fail as those of a starter do? An error that it returns may be another one."""
    said = [line for c in checks if c.part == part for line in c.message]
    is_error = any("returned cuda" in line and UNSOLVED not in line for line in said)
    return not_begun(checks, part) and not is_error


def _best(
    plan: Plan, search: Search, left: set[str], fine: set[str], refuted: set[tuple[Place, ...]]
) -> tuple[list[tuple[int, str]], set[str]]:
    """The lines and words of the edits of a part that are right and earn most, and the parts that
    they make right; none where each breaks one of the parts that are fine. More points: a grid that
    is too large by its mistake is no better for a mistake that makes another one larger. refuted:
    the edits whose grade was not right, which are the cause in no other part either."""
    for some in search.right():
        graded: list[tuple[float, Edit, set[str]]] = []
        least = [one for one in some if not any(_is_part(other[0], one[0]) for other in some)]
        alike = Counter(edit.statement for edit, _ in least)
        least.sort(key=lambda one: alike[one[0].statement] > MEANT)
        # Any larger grid may be right where blocks overlap: the mistake is in the kernel.
        least = [one for one in least if not (one[0].in_grid and alike[one[0].statement] > MEANT)]
        for edit, edited in [one for one in least if one[0].places not in refuted][:GRADED]:
            is_another = edit.in_grid or all(_spans(edit) != _spans(e) for _, e, _ in graded)
            if not is_another:  # another name of a value that is right: a grade takes seconds
                continue
            refuted.add(edit.places)
            kinds = (*pipeline.WRONG, "technique") if edit.in_grid else pipeline.WRONG
            if judged := _judged(plan, edited, left | fine, fine | {search.part.id}, kinds):
                right, points = judged
                graded.append((points, edit, right - fine))
        if graded:
            most = max(points for points, *_ in graded)
            best = [(edit, right) for points, edit, right in graded if points == most]
            ranks = [(alike[edit.statement] > MEANT, edit.rank) for edit, _ in best]
            best = [one for one, rank in zip(best, ranks, strict=True) if rank == min(ranks)]
            best = list({_spans(edit): (edit, right) for edit, right in best[::-1]}.values())[::-1]
            said = {_said(edit, alike[edit.statement]): None for edit, _ in best}
            return list(said), set.intersection(*(right for _, right in best))
    return [], set()


def _is_part(one: Edit, other: Edit) -> bool:
    """Does the other change more places, and these as well?"""
    return {*one.places} < {*other.places}


def _spans(edit: Edit) -> tuple[tuple[int, int], ...]:
    """What it replaces. Two names of one value are no two causes: the first of them is said."""
    return tuple((place.start, place.end) for place in edit.places)


def _said(edit: Edit, alike: int) -> tuple[int, str]:
    """The line of an edit, and what to say of it. alike: how many edits of its statement are right
    where they were tried. Where nearly any value is, none of them is the one that is meant."""
    if alike > MEANT:
        return edit.line, f"look at `{edit.where}`: several other values there are right"
    return edit.line, edit.sentence()


class _NotRight(Exception):  # noqa: N818 -- it ends a grade, and is no error
    """A check that must pass does not."""


def _judged(
    plan: Plan, edited: Submission, parts: set[str], needed: set[str], kinds: Sequence[str]
) -> tuple[set[str], float] | None:
    """Of these parts, those in which the edited submission has right results, no stray access and
    no race; and its points for all of them. None as soon as a check of one that is needed, and of
    these kinds, does not pass: a grid that is only large enough has blocks without work."""

    def checked(check: Check) -> None:
        if check.part in needed and check.verdict != "pass" and check.kind in kinds:
            raise _NotRight

    chosen = tuple(planned for planned in plan.checks if planned.check.part in parts)
    programs = frozenset(planned.program for planned in chosen)
    again = replace(plan, checks=chosen, programs=programs, left_out=(), predicted=())
    lab = msgspec.structs.replace(edited.lab, limits=Limits(SECONDS_OF_A_RUN))
    try:
        graded = pipeline.grade(
            again, replace(edited, lab=lab), Observer(checked=checked), cores=cores()
        )
    except _NotRight:
        return None
    wrong = {c.part for c in graded.checks if c.verdict != "pass" and c.kind in pipeline.WRONG}
    return parts - wrong, sum(c.points for c in graded.checks)
