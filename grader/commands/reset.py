"""`./grade reset labN`: the unsolved starter again, with a backup of the student's file."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from grader import paths
from grader.commands import options
from grader.commands.errors import UsageError
from grader.model import plain_text
from grader.student import starter_files


def reset(
    lab: options.LabName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Reset without asking.")] = False,
) -> None:
    """Put the unsolved starter of a lab back. Your file is kept next to it, in backup-DATE/."""
    loaded = options.load(lab)
    folder = paths.STARTER / loaded.folder
    names = starter_files.changed(loaded, folder)
    shown = f"starter/{loaded.folder}"
    if not names:
        print(f"{lab}: {shown} is already the unsolved starter; there is nothing to do")
        return
    what = " and ".join(f"{shown}/{name}" for name in names)
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "reset asks before it replaces a file, and there is no terminal to ask on; "
                f"./grade reset {lab} --yes does not ask"
            )
        question = f"Replace {what} by the unsolved starter? Yours is kept in {shown}/backup-DATE/."
        if not typer.confirm(question, default=False):
            print("nothing was changed")
            return
    backup = starter_files.restore(loaded, folder, datetime.now())
    print(f"{lab}: {what} {'is' if len(names) == 1 else 'are'} the unsolved starter again")
    if backup is not None:
        print(f"your version is kept in {plain_text.name(f'{shown}/{backup.name}')}/")
