"""Grades one mutant with the grader's own pipeline, until something catches it."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.execute import backend
from grader.grading import pipeline
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Lab
from grader.model.result import Check
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.mutation.mutants import Mutant, mutated, solution


@dataclass(frozen=True)
class Outcome:
    """`caught_by`: the kind of the check that failed, "build": the compiler; None: nothing did.

    "error": the grader could not judge it; `check` says why.
    """

    id: str
    caught_by: str | None
    check: str = ""

    def words(self) -> str:
        return f"{self.caught_by}: {self.check}" if self.caught_by else "not caught"


class _CaughtError(Exception):
    """Ends a grading at the first check that fails."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.name)
        self.check = check


def judge(mutant: Mutant) -> Outcome:
    """The cases first: most mutants fail one, and the checked program need not be built."""
    lab = spec.load(mutant.lab)
    cases_only = msgspec.structs.replace(lab, safe=[], technique=[], speed=[])
    watched_only = msgspec.structs.replace(lab, case=[], speed=[])
    with tempfile.TemporaryDirectory() as folder:
        for name in lab.submit:
            text = solution(lab.id, name).read_bytes()
            (Path(folder) / name).write_bytes(mutated(mutant) if name == mutant.file else text)
        for part in (cases_only, watched_only):
            if caught := _first_failure(part, folder):
                if caught.verdict == "error":
                    return Outcome(mutant.id, "error", f"{caught.name}: {caught.message}")
                return Outcome(mutant.id, caught.kind, caught.name)
    return Outcome(mutant.id, None)


def _first_failure(lab: Lab, folder: str) -> Check | None:
    def look(check: Check) -> None:
        if check.verdict in ("fail", "error") or check.needs:  # it needs a right result
            raise _CaughtError(check)

    try:
        submission = submissions.find(lab, folder)
        observer = Observer(checked=look)
        plan = plan_for(lab, backend.choose(lab, "auto"), timed=False)
        pipeline.grade(plan, submission, observer)
    except _CaughtError as caught:
        return caught.check
    return None
