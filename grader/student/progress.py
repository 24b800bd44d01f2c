"""What was graded so far: a small record a lab, for `./grade list`, `hint`, `submit`, `solution`.

A record is the student's own note: no official grade is read from it, so it is not protected
against its owner. It survives a grader that is killed, two graders at once, and damage. `list` and
`hint` read it before anything is installed, so this module uses the standard library alone.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader import exit_codes, files, paths
from grader.model import submission as submissions
from grader.model.score import Score, Unmeasured

if TYPE_CHECKING:
    from grader.model.result import Result
    from grader.model.submission import Submission

SCHEMA = "convlabs-progress/v1"
# What reading a damaged record can raise: of its JSON, or of a value that is not what it must be.
DAMAGE = (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError, OverflowError)


@dataclass(frozen=True)
class Failed:
    """The first check that failed."""

    part: str | None
    name: str


@dataclass(frozen=True)
class Grade:
    """One full grading. `files`: the SHA-256 of each file by its name."""

    when: datetime
    backend: str
    score: Score
    exit_code: int
    files: dict[str, str]
    failed: Failed | None = None

    def full(self) -> bool:
        """Whether everything that was measured was earned."""
        return self.exit_code == exit_codes.FULL_MARKS and self.score.measured > 0

    def of(self, contents: Mapping[str, bytes]) -> bool:
        """Whether it is the grade of these files, given by name."""
        return self.files == submissions.digests(contents)


@dataclass(frozen=True)
class Record:
    """The best grade of a lab, and the last."""

    best: Grade
    last: Grade


def is_own(submission: Submission) -> bool:
    """Whether it is the student's own, in starter/ and under the lab's names: a grade of any other
    is not recorded."""
    folder = paths.STARTER / submission.lab.folder
    return not submission.own_names and submission.folder.resolve() == folder.resolve()


def keep(submission: Submission, graded: Result) -> str | None:
    """Records a grading of all checks. Returns why it could not, which costs no points."""
    failed = next((c for c in graded.checks if c.verdict == "fail"), None)
    grade = Grade(
        when=datetime.now().astimezone().replace(microsecond=0),
        backend=graded.backend,
        score=graded.score,
        exit_code=graded.exit_code,
        files=submissions.digests(submission.contents),
        failed=Failed(failed.part, failed.name) if failed else None,
    )
    target = paths.PROGRESS / f"{graded.lab}.json"
    try:
        paths.PROGRESS.mkdir(parents=True, exist_ok=True)
        with (paths.PROGRESS / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = read_progress(graded.lab)
            best = max(before.best, grade, key=_worth) if before else grade
            files.replace(target, _to_json(Record(best, grade)))
    except OSError as problem:
        return f"{target.relative_to(paths.ROOT)} cannot be written: {problem.strerror}"
    return None


def _worth(grade: Grade) -> tuple[float, float]:
    return grade.score.earned, grade.score.measured


def read_progress(lab_id: str) -> Record | None:
    """A lab's record; None where there is none, or where it is damaged."""
    try:
        table = json.loads(files.read_regular(paths.PROGRESS / f"{lab_id}.json"))
        if table["schema"] != SCHEMA:
            return None
        return Record(best=_grade(table["best"]), last=_grade(table["last"]))
    except DAMAGE:
        return None


def _to_json(record: Record) -> bytes:
    """convlabs-progress/v1, indented, with a newline at its end."""
    table = dataclasses.asdict(record) | {"schema": SCHEMA}
    return (json.dumps(table, indent=2, default=datetime.isoformat) + "\n").encode()


def _grade(table: dict[str, Any]) -> Grade:
    """A grade as it was read from JSON. Raises KeyError, TypeError, ValueError
    or AttributeError where it is damaged."""
    score, failed = table["score"], table["failed"]
    return Grade(
        when=datetime.fromisoformat(table["when"]),
        backend=str(table["backend"]),
        score=Score(
            earned=float(score["earned"]),
            measured=float(score["measured"]),
            total=float(score["total"]),
            unmeasured=tuple(
                Unmeasured(float(rest["points"]), str(rest["reason"]))
                for rest in score["unmeasured"]
            ),
        ),
        exit_code=int(table["exit_code"]),
        files={str(name): str(digest) for name, digest in table["files"].items()},
        failed=Failed(failed["part"], str(failed["name"])) if failed is not None else None,
    )
