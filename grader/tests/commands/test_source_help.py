"""Before set-up, --help lists the same options as after it."""

import importlib

import pytest
import typer

from grader import cli
from grader.commands import grade_options, overview, source_help

BY_ARGPARSE = {"list", "hint", "exam", "doctor", "setup"}


def declared(command: str) -> set[str]:
    """The names of the options that Typer has."""
    if command in overview.INSTRUCTOR:
        plain = command.replace("-", "_")
        function = getattr(importlib.import_module(f"grader.classroom.commands.{plain}"), plain)
    else:
        function = cli.COMMANDS.get(command) or grade_options.command(command)
    app = typer.Typer(add_completion=False)
    app.command()(function)
    params = typer.main.get_command(app).params
    return {name for p in params for name in (*p.opts, *p.secondary_opts) if name.startswith("-")}


@pytest.mark.parametrize("command", [*sorted({*overview.commands()} - BY_ARGPARSE), "lab1"])
def test_source_has_the_options_that_typer_has(command: str) -> None:
    listed = {n for each in source_help.flags(command) for n in each.replace("/", ", ").split(", ")}
    assert listed == declared(command)


def test_each_option_of_bulk_has_its_help() -> None:
    text = source_help.text("bulk")
    assert "--roster                Who should hand in: a gradebook" in text
    assert "for ./grade export" in text and "moodle-xml or qti" in text, "a text in two parts"
    assert max(map(len, text.splitlines())) <= source_help.WIDTH
