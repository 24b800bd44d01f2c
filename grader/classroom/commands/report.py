"""`./grade report`: the class page of a bulk run."""

import importlib
import os
from pathlib import Path
from typing import Annotated

import typer

from grader import files, paths
from grader.classroom.commands import run_folder
from grader.commands.errors import UsageError
from grader.setup import install, python_packages

NAMES, PSEUDONYMS = "class.html", "class-pseudonyms.html"


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.html", help=f"RUN/{NAMES} if left out."),
    ] = None,
    pseudonyms: Annotated[
        bool,
        typer.Option(
            "--pseudonyms",
            help=f"Show no names; RUN/{PSEUDONYMS}. A student keeps the pseudonym within a run.",
        ),
    ] = False,
) -> None:
    """Make a page of the class: points, checks, mistakes, times, and every student's report."""
    target = out or run / (PSEUDONYMS if pseudonyms else NAMES)
    if target.is_dir() or not (target.parent.is_dir() or target.parent == run):
        raise UsageError(f"{target} cannot be written: name a file in a folder that exists")
    with run_folder.opened(run) as store:
        if python_packages.lacking("charts") and (status := install.set_up("charts")):
            raise typer.Exit(status)
        importlib.invalidate_caches()
        # Where it keeps what it knows of the fonts; the home folder may not be writable.
        os.environ.setdefault("MPLCONFIGDIR", str(paths.BUILD / "matplotlib"))
        from grader.classroom.page import page  # needs what was just installed

        text = page.page(store, target.parent, pseudonyms)
        files.update(target, text.encode(errors="replace"))
    print(f"class page: {target}")
