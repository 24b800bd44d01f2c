"""`./grade reset labN`."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Annotated

import typer

from grader import paths
from grader.commands import common
from grader.model import submission as submissions
from grader.student import starter_files


def reset(
    lab: common.LabName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put the unsolved starter of a lab back. Yours is kept beside it, in backup-DATE/."""
    loaded = common.load(lab)
    folder = paths.STARTER / loaded.folder
    names = starter_files.changed(loaded, folder)
    shown = f"starter/{loaded.folder}"
    if not names:
        print(f"{lab}: {shown} is as it was at the beginning; there is nothing to do")
        return
    what = " and ".join(f"{shown}/{name}" for name in names)
    if not yes:
        if not sys.stdin.isatty():
            raise common.UsageError(
                "reset asks first, and there is no terminal to ask on; "
                f"./grade reset {lab} --yes does not ask"
            )
        question = f"Put {what} back as at the beginning? Yours is kept in {shown}/backup-DATE/"
        if not typer.confirm(question, default=False):
            print("nothing was changed")
            return
    backup = starter_files.restore(loaded, folder, datetime.now())
    print(f"{lab}: {what} {'is' if len(names) == 1 else 'are'} as at the beginning")
    if backup is not None:
        print(f"what was there is kept in {submissions.harmless(f'{shown}/{backup.name}')}/")
