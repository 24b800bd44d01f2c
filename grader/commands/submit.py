"""`./grade submit labN`: makes the file to upload."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from grader import paths
from grader.commands import common
from grader.compile import make as builder
from grader.grading import score
from grader.model import submission as submissions
from grader.model.submission import Submission
from grader.render import terminal
from grader.student import progress, submission_zip


def submit(
    lab: common.LabName,
    src: common.Src = "starter",
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The zip; build/submit/labN.zip when left.")
    ] = "",
    backend: common.BackendOption = common.BackendName.auto,
) -> None:
    """Make the zip to hand in, after a look at the files' names and whether they build."""
    loaded = common.load(lab)
    submission = common.submission(loaded, src)
    if reasons := submission_zip.refusals(submission):
        raise common.CommandError("nothing was packed: " + "\n       ".join(reasons), score.LESS)
    common.announce_first_build()
    request = builder.BuildRequest(submission, common.backend(loaded, backend.value))
    made = builder.build(request)
    if made.binary is None:
        lines = [f"nothing was packed: {submission.shown} does not build", *made.errors]
        raise common.CommandError("\n       ".join(lines), score.LESS)
    target = Path(out) if out else paths.BUILD / "submit" / f"{lab}.zip"
    data = submission_zip.pack(submission)
    if not out:
        target.parent.mkdir(parents=True, exist_ok=True)
    common.write(str(target), data)
    print(f"{lab}  {loaded.title}")
    for name in loaded.submit:
        digest = submission.digest(name)
        print(f"  {name}  {len(submission.contents[name])} bytes  sha256 {digest}")
    for warning in submission_zip.warnings(submission):
        print(f"  warning: {warning}")
    print(f"  {_grade(submission)}")
    name = submissions.harmless(out or str(target.relative_to(paths.ROOT)))
    print(f"upload this: {name}  {len(data)} bytes  sha256 {hashlib.sha256(data).hexdigest()}")


def _grade(submission: Submission) -> str:
    """What these very files were worth when they were last graded here."""
    record = progress.read(submission.lab.id)
    for grade in (record.last, record.best) if record else ():
        if grade.of(submission):
            points = terminal.points(grade.score, None)
            return f"graded {grade.when:%Y-%m-%d %H:%M}: {points}"
    return f"these files were not graded as they are: ./grade {submission.lab.id} first"
