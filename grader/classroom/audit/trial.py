"""Grades a file with the grader's own pipeline, until something catches it or to the end."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.classroom.audit.mutants import Mutant, mutated, solution
from grader.execute import backend
from grader.grading import pipeline
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Lab
from grader.model.result import Check
from grader.session.observer import Observer
from grader.session.plan import plan_for


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
    """Grades a mutant."""
    files = {name: solution(mutant.lab, name).read_bytes() for name in spec.load(mutant.lab).submit}
    return judge_files(mutant.lab, {**files, mutant.file: mutated(mutant)}, mutant.id)


def judge_files(lab_id: str, files: dict[str, bytes], name: str) -> Outcome:
    """The cases first: most mutants fail one, and the checked program need not be built."""
    lab = spec.load(lab_id)
    cases_only = msgspec.structs.replace(lab, safe=[], technique=[], speed=[])
    watched_only = msgspec.structs.replace(lab, case=[], speed=[])
    with written(files) as folder:
        for part in (cases_only, watched_only):
            if caught := _first_failure(part, folder):
                if caught.verdict == "error":
                    return Outcome(name, "error", f"{caught.name}: {caught.message}")
                return Outcome(name, caught.kind, caught.name)
    return Outcome(name, None)


def grade_files(lab_id: str, files: dict[str, bytes]) -> list[Check]:
    """All checks but those that time something."""
    lab = msgspec.structs.replace(spec.load(lab_id), speed=[])
    with written(files) as folder:
        plan = plan_for(lab, backend.choose(lab, "auto"), timed=False)
        return pipeline.grade(plan, submissions.find(lab, folder), Observer()).checks


@contextmanager
def written(files: dict[str, bytes]) -> Iterator[str]:
    """A folder with those files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        yield folder


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
