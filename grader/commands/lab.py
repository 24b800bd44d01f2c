"""`./grade labN`: the command that is made for every lab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from grader.commands import common


def command(lab_id: str) -> Callable[..., None]:
    """The function that Typer makes `./grade <lab_id>` from."""

    def grade(
        src: common.Src = "starter",
        backend: common.BackendOption = common.BackendName.auto,
        pattern: Annotated[
            str | None,
            typer.Option("-k", metavar="PATTERN", help="Only the checks whose name has this text."),
        ] = None,
        json_file: Annotated[
            str | None,
            typer.Option("--json", metavar="FILE", help="Write convlabs-grade/v1; - for stdout."),
        ] = None,
        colour: common.ColourOption = common.Colour.auto,
        verbose: Annotated[
            bool, typer.Option("-v", "--verbose", help="Times, every message, the build commands.")
        ] = False,
        timed: Annotated[
            bool, typer.Option("--speed/--no-speed", help="Time what is right; some seconds more.")
        ] = True,
        profiled: Annotated[
            bool,
            typer.Option("--profile", help="The counters of the technique checks, line by line."),
        ] = False,
    ) -> None:
        from grader.commands import grading

        request = grading.Request(
            lab=lab_id,
            src=src,
            backend=backend.value,
            pattern=pattern,
            json_file=json_file,
            colour=common.coloured(colour),
            verbose=verbose,
            timed=timed,
            profiled=profiled,
        )
        raise typer.Exit(grading.grade(request))

    return grade
