"""`./grade setup` and `./grade doctor`: the machine that the labs run on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.commands import common
from grader.setup import stamp


def setup(
    check: Annotated[bool, typer.Option(help="Also what unit tests in C need: Check.")] = False,
    dev: Annotated[
        bool,
        typer.Option(
            help="Also what the project's tests need: clang, pytest.",
            hidden=not Path(stamp.LOCKS["dev"]).exists(),
        ),
    ] = False,
) -> None:
    """Install what is missing, and nothing else; every command does so when it must."""
    from grader.setup import install

    raise typer.Exit(install.command(["--check"] * check + ["--dev"] * dev))


def doctor(colour: common.ColourOption = common.Colour.auto) -> None:
    """What this machine has, what it lacks, and what to do about it."""
    from grader.commands import doctor_report as examination

    rows = examination.report()
    print(examination.render(rows, common.coloured(colour)))
    raise typer.Exit(examination.exit_code(rows))
