"""`./grade submit labN`: makes the zip to hand in."""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes, paths
from grader.commands import options, output
from grader.commands.errors import CommandError, UsageError
from grader.compile import make
from grader.model import course_version, plain_text
from grader.model.submission import Submission, digests
from grader.render import terminal
from grader.student import grade_log, progress, submission_zip


def submit(
    lab: options.LabName,
    src: options.Src = options.STARTER,
    out: Annotated[
        str,
        typer.Option("--out", metavar="FILE", help="The zip; build/submit/labN.zip by default."),
    ] = "",
    backend: options.BackendOption = options.BackendName.auto,
    with_log: Annotated[
        bool, typer.Option("--log", help="Also pack the log of your grades: ./grade log.")
    ] = False,
) -> None:
    """Make the zip to hand in, once the files have the right names and build."""
    loaded = options.load(lab)
    submission = options.submission(loaded, src)
    if reasons := submission_zip.refusals(submission):
        raise CommandError("nothing was packed: " + "\n       ".join(reasons), exit_codes.LESS)
    output.announce_first_build()
    request = make.BuildRequest(submission, options.backend(loaded, backend.value))
    build = make.build(request)
    if build.binary is None:
        lines = [f"nothing was packed: {submission.shown} does not build", *build.errors]
        raise CommandError("\n       ".join(lines), exit_codes.LESS)
    target = Path(out) if out else paths.BUILD / "submit" / f"{lab}.zip"
    log = grade_log.packed(lab) if with_log else {}
    if with_log and not log:
        raise UsageError(f"{lab} has no log yet: ./grade {lab} creates it")
    data = submission_zip.pack(submission, log)
    if not out:
        target.parent.mkdir(parents=True, exist_ok=True)
    output.write(str(target), data)
    print(f"{lab}  {loaded.title}")
    for name in loaded.submit:
        digest = submission.digest(name)
        own = submission.own_names.get(name)
        taken = f"  from {submission.path(name)}" if own else ""
        print(f"  {name}  {len(submission.contents[name])} bytes  sha256 {digest}{taken}")
    print(f"  {submission_zip.VERSION}  convlabs {course_version.shown()}")
    for name, content in log.items():
        print(f"  {name}  {len(content)} bytes")
        if len(content) > grade_log.MOST_HANDED_IN:
            print(f"  warning: the course does not read a {name} of more than 1 MB")
    if log and not grade_log.has_grade_of(grade_log.read(lab), digests(submission.contents)):
        print(f"  warning: {lab}.log has no grade of these files: ./grade {lab} first")
    for warning in submission_zip.warnings(submission):
        print(f"  warning: {warning}")
    print(f"  {_grade(submission, src)}")
    name = plain_text.name(out or str(target.relative_to(paths.ROOT)))
    print(f"upload this: {name}  {len(data)} bytes  sha256 {hashlib.sha256(data).hexdigest()}")


def _grade(submission: Submission, src: str) -> str:
    """The points of exactly these files when they were last graded on this machine."""
    record = progress.read_progress(submission.lab.id)
    for grade in (record.last, record.best) if record else ():
        if grade.of(submission.contents):
            points = terminal.points(grade.score, None)
            return f"graded {grade.when:%Y-%m-%d %H:%M}: {points}"
    return f"these files have not been graded yet: run {options.again(submission.lab, src)} first"
