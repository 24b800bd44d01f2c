"""`./grade solution labN`: our answer, once the student has one and the instructor allows it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader import build as builder
from grader import paths, progress, score, spec
from grader.commands import common


def solution(
    lab: common.LabName,
    to: Annotated[
        str, typer.Option("--to", metavar="DIR", help="Copy it there instead; replaces nothing.")
    ] = "",
) -> None:
    """Show our solution of a lab: after full marks, where your instructor allows it."""
    loaded = common.load(lab)
    if why := _refusal(loaded):
        raise common.CommandError(why, score.LESS)
    from solutions import starters

    for name in loaded.submit:
        text = starters.solved((paths.SOLUTIONS / loaded.folder / name).read_text())
        if not to:
            print(text, end="")
            continue
        target = Path(to) / name
        try:
            with target.open("x") as file:
                file.write(text)
        except OSError as problem:
            raise common.UsageError(f"{target}: {problem.strerror}; nothing replaced") from problem
        print(f"{builder.harmless(str(target))} is written")


def _refusal(lab: spec.Lab) -> str:
    """Why it is not shown; "" when it is. A student with this copy has the files anyway: this keeps
    nobody from looking, it keeps them from looking by accident."""
    if lab.solution == "never":
        return f"the solution of {lab.id} is not given away: labs/{lab.folder}/lab.toml says so"
    if not all((paths.SOLUTIONS / lab.folder / name).is_file() for name in lab.submit):
        return "this copy of the course has no solutions; ask your instructor"
    record = progress.read(lab.id)
    if record is None:
        return f"first full marks, then our solution: ./grade {lab.id}"
    if not record.last.of(common.submission(lab, str(paths.STARTER))):
        return f"your file has changed since it was last graded: ./grade {lab.id}"
    if not record.last.full():
        points = f"{record.last.score.earned:g}/{record.last.score.measured:g}"
        return f"first full marks, then our solution; you have {points}: ./grade {lab.id}"
    return ""
