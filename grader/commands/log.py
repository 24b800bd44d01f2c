"""`./grade log labN`: the story of a lab."""

import typer

from grader import exit_codes
from grader.commands import options, output


def log(lab: options.LabName) -> None:
    """Show each grade of a lab: what had changed, why, what it brought, what an assistant asked."""
    loaded = options.load(lab)
    from grader.student import grade_log, log_table

    found = grade_log.read(loaded.id)
    if not (found.entries or found.calls or found.problems):
        print(f"{lab} has no grade yet: make {lab} && ./grade {lab} --why 'what you expect'")
        return
    print(f"{lab}  {loaded.title}")
    print(log_table.table(found, min(output.columns(), 100)))
    if found.problems:
        raise typer.Exit(exit_codes.LESS)
