"""The command line once the packages are installed: declares the commands for Typer.

Every lab in labs/ has a command, so a new lab needs nothing here. What a command does is in
grader/commands/ and grader/classroom/commands/.
"""

import functools
import importlib
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

from grader import before_setup, exit_codes
from grader.assistant import command as assistant
from grader.commands import (
    ask,
    build,
    completion,
    errors,
    grade_options,
    log,
    nvcc_options,
    overview,
    reset,
    run,
    solution,
    submit,
)
from grader.compile.make_process import BuildError
from grader.execute.backend import BackendError
from grader.model import outline, plain_text

P = ParamSpec("P")
R = TypeVar("R")

COMMANDS: dict[str, Callable[..., None]] = {
    **completion.ARGUMENTS,
    "reset": reset.reset,
    "submit": submit.submit,
    "solution": solution.solution,
    "build": build.build,
    "run": run.run,
    "ask": ask.ask,
    "log": log.log,
    "mcp": assistant.mcp,
}


def main() -> int:
    """Runs the command line. Returns the exit status; a student never sees a traceback."""
    arguments, program_arguments = _split(sys.argv[1:])
    status = before_setup.run_before_setup(arguments)
    if status is None:
        status = errors.reported(lambda: _run(arguments, program_arguments))
    return status or 0


def _run(arguments: list[str], program_arguments: list[str]) -> int:
    """Runs one command with Typer, whose exceptions become ours."""
    completion.use_scripts()
    if said := _misused(arguments):
        raise errors.UsageError(said)
    given = nvcc_options.Given(program_arguments)
    if arguments[:1] == ["run"]:
        given = nvcc_options.parse(arguments[1:], program_arguments)
        arguments = ["run", *given.rest]
    try:
        status = _app(arguments)(
            arguments,
            prog_name=completion.NAME if completion.requested(arguments) else "./grade",
            complete_var=overview.COMPLETION_VARIABLE,
            standalone_mode=False,
            obj=given,
        )
        return int(status or 0)
    except typer.TyperException as error:  # an option that does not exist, and the like
        message = f"{error.format_message().rstrip('.')}; see ./grade --help"
        raise errors.CommandError(message, error.exit_code) from error
    except typer.Exit as leave:
        return int(leave.exit_code)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except (outline.SpecError, BackendError, BuildError) as fault:
        log = getattr(fault, "log", "")
        raise errors.CommandError(f"{fault}\n{log}".strip(), exit_codes.FAULT) from fault


def _misused(arguments: list[str]) -> str:
    """What to type instead of a lab's grade with another lab, or with an option of a program."""
    labs = [word for word in arguments if word in outline.available()]
    if len(labs) > 1 and labs == arguments[: len(labs)]:
        return f"one lab at a time: {', then '.join(f'./grade {lab}' for lab in labs)}"
    if arguments[:1] == labs and arguments[1:] and not arguments[1].startswith("-"):
        word = plain_text.line(arguments[1], 40)
        return (
            f"{labs[0]} takes no '{word}': ./grade {labs[0]} -k '{word}' runs the checks that have "
            f"it in their names, ./grade {labs[0]} --src FILE grades another file"
        )
    of_program = [word for word in ("--predict", "--check") if word in arguments]
    if not of_program or arguments[:1] != labs:
        return ""
    does = "predicts its speed, too" if of_program[0] == "--predict" else "runs all checks, too"
    return (
        f"{of_program[0]} is for a program of your own, ./grade run FILE; ./grade {labs[0]} {does}"
    )


def _said(command: Callable[P, R]) -> Callable[P, R]:
    """The command, whose Ctrl-C is reported as any other early end: Typer would exit in silence."""

    @functools.wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> R:
        try:
            return command(*args, **options)
        except KeyboardInterrupt as end:
            raise errors.InterruptedByUserError from end

    return run


def _app(arguments: list[str]) -> typer.Typer:
    """The commands that these arguments can call; all of them where a shell completes."""
    app = typer.Typer(
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name, function in COMMANDS.items():
        epilog = nvcc_options.HELP if name == "run" else None
        app.command(name=name, help=overview.sentence(name), epilog=epilog)(_said(function))
    labs = outline.available()
    first = arguments[0] if arguments else ""
    everything = completion.requested(arguments) or first not in {*COMMANDS, *labs}
    if everything and overview.IN_CLASSROOM.is_dir():  # not in a student's copy
        for name in overview.INSTRUCTOR:
            plain = name.replace("-", "_")
            module = importlib.import_module(f"grader.classroom.commands.{plain}")
            app.command(name=name)(_said(getattr(module, plain)))
    for lab_id in labs if everything else {first} & labs.keys():
        app.command(name=lab_id, help=overview.sentence(lab_id))(
            _said(grade_options.command(lab_id))
        )
    return app


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and those after -- for the program that `run` runs."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]
