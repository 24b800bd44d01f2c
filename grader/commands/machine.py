"""`./grade setup` and `./grade doctor`: the machine that the labs run on."""

from __future__ import annotations

from typing import Annotated

import typer

from grader.commands import common


def setup(
    dev: Annotated[
        bool, typer.Option(help="Also what the tests need: Check, clang, pytest.")
    ] = False,
) -> None:
    """Install what is missing, and nothing else; every command does so when it must."""
    from grader import bootstrap

    raise typer.Exit(bootstrap.command(["--dev"] if dev else []))


def doctor(colour: common.ColourOption = common.Colour.auto) -> None:
    """What this machine has, what it lacks, and what to do about it."""
    from grader import doctor as examination

    rows = examination.report()
    print(examination.render(rows, common.coloured(colour)))
    raise typer.Exit(examination.exit_code(rows))
