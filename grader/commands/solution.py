"""`./grade solution labN`: our answer, once the student has one and the instructor allows it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from grader import paths
from grader.commands import common
from grader.grading import score
from grader.model import spec
from grader.model import submission as submissions
from grader.student import progress


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

    texts = {
        name: starters.solved((paths.SOLUTIONS / loaded.folder / name).read_text())
        for name in loaded.submit
    }
    if to:
        _copy(texts, Path(to))
    else:
        print("\n".join(texts.values()), end="")


def _copy(texts: dict[str, str], folder: Path) -> None:
    """Writes the files, where none of them is yet."""
    there = [name for name in texts if os.path.lexists(folder / name)]
    if there:
        raise common.UsageError(f"{folder} has {', '.join(there)} already; name another folder")
    for name, text in texts.items():
        common.write(str(folder / name), text.encode())
        print(f"{submissions.harmless(str(folder / name))} is written")


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
