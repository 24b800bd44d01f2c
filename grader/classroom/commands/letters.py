"""`./grade letters`: a letter to each student of a run, as files. Nothing is sent."""

from pathlib import Path
from typing import Annotated

import typer

from grader import files
from grader.classroom.commands import run_folder
from grader.classroom.export import grades as grading
from grader.classroom.export import letters as export
from grader.commands import output
from grader.commands.errors import UsageError


def letters(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    labs: Annotated[
        list[str] | None,
        typer.Option("--lab", metavar="lab3", help="This lab alone; give it again for more."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="Where to write them; RUN/letters by default."
        ),
    ] = None,
) -> None:
    """Write a letter to each student: the grades, what changed and why, and what to do."""
    folder = out or run / "letters"
    with run_folder.opened(run) as store:
        grades = grading.of(store, labs)
        if not grades.every:
            raise UsageError(f"{run} has no grades for letters yet; ./grade bulk makes them")
        written = list(export.render(grades))
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in written:
            files.update(folder / name, data, sync=False)
    count = len(written) - 1
    output.say(
        f"{count} letter{'s' * (count != 1)} in {folder}; {folder / export.TABLE} has them for a "
        "program that sends mail"
    )
