"""What was graded so far: a small record a lab, for `./grade list`, `hint`, `submit`, `solution`.

A record is the student's own note. Nobody else's grade comes from it, so nothing guards it against
its owner; it is only made to survive killed graders, two at once and damage.
"""

from __future__ import annotations

import fcntl
from datetime import datetime
from typing import Literal

import msgspec

from grader import files, paths
from grader.grading import score
from grader.model.result import Result, Score
from grader.model.submission import Submission


class Failed(msgspec.Struct, frozen=True):
    """The first check that failed."""

    part: str | None
    name: str


class Grade(msgspec.Struct, frozen=True):
    """One full grading. `files`: their SHA-256 by name."""

    when: datetime
    backend: str
    score: Score
    exit_code: int
    files: dict[str, str]
    failed: Failed | None = None

    def full(self) -> bool:
        """Everything that was measured was earned."""
        return self.exit_code == score.FULL_MARKS and self.score.measured > 0

    def of(self, submission: Submission) -> bool:
        """Whether it graded these files as they are."""
        return self.files == digests(submission)


class Record(msgspec.Struct, frozen=True):
    """The best grade of a lab, and the last."""

    best: Grade
    last: Grade
    schema: Literal["convlabs-progress/v1"] = "convlabs-progress/v1"


def digests(submission: Submission) -> dict[str, str]:
    return {name: submission.digest(name) for name in submission.contents}


def own(submission: Submission) -> bool:
    """Whether it is the student's own, in starter/: a grade of anything else is not noted."""
    return submission.folder.resolve() == (paths.STARTER / submission.lab.folder).resolve()


def keep(submission: Submission, graded: Result) -> str | None:
    """Records a grading of all checks. Returns why it could not, which costs no grade."""
    failed = next((c for c in graded.checks if c.verdict == "fail"), None)
    grade = Grade(
        when=datetime.now().astimezone().replace(microsecond=0),
        backend=graded.backend,
        score=graded.score,
        exit_code=graded.exit_code,
        files=digests(submission),
        failed=Failed(failed.part, failed.name) if failed else None,
    )
    target = paths.PROGRESS / f"{graded.lab}.json"
    try:
        paths.PROGRESS.mkdir(parents=True, exist_ok=True)
        with (paths.PROGRESS / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = read(graded.lab)
            best = max(before.best, grade, key=_worth) if before else grade
            data = msgspec.json.encode(Record(best, grade))
            files.replace(target, msgspec.json.format(data, indent=2) + b"\n")
    except OSError as problem:
        return f"{target.relative_to(paths.ROOT)} cannot be written: {problem.strerror}"
    return None


def _worth(grade: Grade) -> tuple[float, float]:
    return grade.score.earned, grade.score.measured


def read(lab: str) -> Record | None:
    """A lab's record; None where there is none, or none that can be understood."""
    try:
        data = files.read_regular(paths.PROGRESS / f"{lab}.json")
        return msgspec.json.decode(data, type=Record)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
