"""What a grade on a GPU takes from the simulator: counters, checks and calls that fail.

No GPU is needed: the plain program that a GPU would run is the simulator's here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from grader.compile import make
from grader.compile.make import Build, BuildRequest
from grader.compile.make_process import Waiting
from grader.grading import pipeline
from grader.model import result, spec
from grader.model import submission as submissions
from grader.model.submission import Submission
from grader.session.observer import Observer
from grader.session.plan import plan_for

PATTERN = "B "  # correctness, failing calls, safe and technique


@pytest.fixture
def submission(monkeypatch: pytest.MonkeyPatch) -> Submission:
    start = make.start

    @contextmanager
    def instead(request: BuildRequest, is_prepared: bool = False) -> Iterator[Waiting[Build]]:
        with start(replace(request, backend="sim"), is_prepared) as wait:
            yield wait

    monkeypatch.setattr(make, "start", instead)
    return submissions.find(spec.load("lab3"), "solutions")


def graded(submission: Submission) -> result.Result:
    return pipeline.grade(
        plan_for(submission.lab, "gpu", PATTERN, timed=False), submission, Observer()
    )


def test_counters_checks_and_failing_calls_come_from_the_simulator(submission: Submission) -> None:
    grade = graded(submission)
    assert {c.kind for c in grade.checks} == {"build", "correct", "safe", "technique"}
    assert all(c.verdict == "pass" for c in grade.checks), grade.checks
    assert any("fails" in c.name for c in grade.checks)


def test_without_a_compiler_they_are_not_measured(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.session.builds.shutil.which", lambda _: None)
    grade = graded(submission)
    skipped = {c.kind for c in grade.checks if c.verdict == "skip"}
    assert skipped == {"correct", "safe", "technique"}
    assert grade.exit_code == 0 and grade.score.earned == grade.score.measured
    reasons = [c.message for c in grade.checks if c.kind == "technique"]
    assert reasons and all("g++" in reason[0] for reason in reasons)
