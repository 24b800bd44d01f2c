"""`./grade solution labN`: the course's solution, after full marks, where the instructor allows."""

import os
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes, paths
from grader.commands import options, output
from grader.commands.errors import CommandError, UsageError
from grader.model import plain_text
from grader.model.lab import Lab
from grader.student import exam, progress


def solution(
    lab: options.LabName,
    to: Annotated[
        str,
        typer.Option("--to", metavar="DIR", help="Copy it to DIR instead of printing it."),
    ] = "",
) -> None:
    """Show the course's solution of a lab, after full marks, if your instructor allows it."""
    loaded = options.load(lab)
    if why := _refusal(loaded):
        raise CommandError(why, exit_codes.LESS)
    from solutions import starters

    texts = {
        name: starters.solved((paths.SOLUTIONS / loaded.folder / name).read_text())
        for name in loaded.submit
    }
    if to:
        _copy(texts, Path(to))
    else:
        print("\n".join(texts.values()), end="")


def _copy(texts: dict[str, str], folder: Path) -> None:
    """Writes the files to a folder that has none of them. Raises UsageError where it has one."""
    existing = [name for name in texts if os.path.lexists(folder / name)]
    if existing:
        raise UsageError(f"{folder} already has {', '.join(existing)}; name another folder")
    for name, text in texts.items():
        output.write(str(folder / name), text.encode())
        print(f"wrote {plain_text.name(str(folder / name))}")


def _refusal(lab: Lab) -> str:
    """Why the solution is not shown; "" where it may be. A student who has the files can open them
    anyway: this only prevents looking by accident."""
    if its := exam.running():
        return f"no solution is shown until {its.until()}: an exam is running"
    if lab.solution == "never":
        files = paths.SOLUTIONS / lab.folder
        here = f"; it is in {os.path.relpath(files, paths.ROOT)}/" if files.is_dir() else ""
        return f"labs/{lab.folder}/lab.toml does not allow showing the solution of {lab.id}{here}"
    if not all((paths.SOLUTIONS / lab.folder / name).is_file() for name in lab.submit):
        return "this copy of the course has no solutions; ask your instructor"
    record = progress.read_progress(lab.id)
    if record is None:
        return f"the solution is shown after full marks: ./grade {lab.id}"
    if not record.last.of(options.submission(lab, str(paths.STARTER)).contents):
        return f"your file has changed since it was last graded: ./grade {lab.id}"
    if not record.last.full():
        points = f"{record.last.score.earned:g}/{record.last.score.measured:g}"
        return f"the solution is shown after full marks; you have {points}: ./grade {lab.id}"
    return ""
