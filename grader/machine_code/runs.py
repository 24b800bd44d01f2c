"""Runs a submission's traced program once for each part, to count how often each line ran."""

from contextlib import suppress
from pathlib import Path

from grader.execute.instrumented import Runner, is_quick
from grader.execute.profile import Launch, read_launches
from grader.grading import stepping
from grader.model.lab import Input, Lab, Technique
from grader.model.submission import Submission
from grader.sandbox.workspace import workspace
from grader.session.could_not_run import FAULTS
from grader.session.plan import matching


def launches(submission: Submission, binary: Path, pattern: str | None) -> list[Launch]:
    """The launches of the inputs of checks(); none of one that cannot be run."""
    found: list[Launch] = []
    with workspace() as work:
        runner = Runner(submission, binary, "sim", work)
        for check in checks(submission.lab, pattern):
            with suppress(*FAULTS):
                found += read_launches(runner.forwards(check).outcome.profile, strict=False)
    return found


def checks(lab: Lab, pattern: str | None) -> list[Input]:
    """A small check of each part that runs kernels: of the technique, if the part has such. With a
    pattern, of those that it selects."""
    selected = lab.checks() if pattern is None else matching(lab, pattern)
    able = [c for c in selected if isinstance(c, Input) and not stepping.no_page(lab, c, "sim")]
    able.sort(key=lambda check: not isinstance(check, Technique))
    found: dict[str, Input] = {}
    for check in able:
        small = check.at_public_size()
        if check.part not in found and is_quick(lab, small, "sim"):
            found[check.part] = small
    return list(found.values())
