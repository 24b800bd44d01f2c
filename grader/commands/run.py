"""`./grade run FILE...`: a program of the user's own on the simulator."""

from __future__ import annotations

import sys
from typing import Annotated

import msgspec
import typer

from grader.commands import common
from grader.grading import score


def run(
    context: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=".cu, .cpp or .c")],
    include: Annotated[
        list[str] | None, typer.Option("-I", metavar="DIR", help="Where #includes are looked for.")
    ] = None,
    profiled: Annotated[
        bool, typer.Option("--profile", help="Count memory traffic, per launch and source line.")
    ] = False,
    checked: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Look for races, stray and uninitialised accesses, barriers that not all reach.",
        ),
    ] = False,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Count about N blocks of each launch, for all; 0: all. Exact where the blocks "
            "between the edges of the grid do the same.",
        ),
    ] = 0,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write convlabs-profile/v1.")
    ] = None,
) -> None:
    """Run a CUDA program with its own main() on the simulator; its arguments follow after --."""
    from grader.execute import program
    from grader.render import profile as render_profile

    common.announce_first_build()
    traced = profiled or checked or json_file is not None
    try:
        built = program.build(files, include or [], traced)
    except program.ProgramError as problem:
        raise common.CommandError(str(problem), score.LESS) from problem
    status, seen = program.execute(built, context.obj, checked, sample)
    if profiled:
        print(render_profile.render(seen), file=sys.stderr)
    if checked:
        print(render_profile.findings(seen), file=sys.stderr)
    if json_file is not None:
        common.write(json_file, msgspec.json.format(msgspec.json.encode(seen), indent=2) + b"\n")
    raise typer.Exit(status)
