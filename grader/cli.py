"""The command line: which commands there are, and how each ends.

A command per lab is made from the specs in labs/, so a new lab needs nothing here. What a command
does is in grader/commands/.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable

import typer

from grader import files, paths
from grader.commands import (
    build,
    common,
    completion,
    hint,
    lab,
    reset,
    run,
    setup,
    solution,
    submit,
)
from grader.commands import list as listing
from grader.compile import make as builder
from grader.execute import backend
from grader.grading import score
from grader.model import spec

COMMANDS: dict[str, Callable[..., None]] = {
    "list": listing.labs,
    "hint": hint.hint,
    "submit": submit.submit,
    "reset": reset.reset,
    "solution": solution.solution,
    "build": build.build,
    "run": run.run,
    "setup": setup.setup,
    "doctor": setup.doctor,
}


def _app(arguments: list[str]) -> typer.Typer:
    """The commands that these arguments can call: all where a list of them may be shown."""
    app = typer.Typer(
        help="Grade a lab, and find out why. Start with: make lab1 && ./grade lab1",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit status: 0 full marks of what was measured, 1 less, 2 usage, "
        "3 the grader or the machine is at fault, 130 interrupted.",
    )
    for name, function in COMMANDS.items():
        app.command(name=name)(function)
    labs = spec.available()
    first = arguments[0] if arguments else ""
    everything = completion.wanted(arguments) or first not in {*COMMANDS, *labs}
    if everything and (paths.ROOT / "grader" / "bulk").is_dir():  # not in a student's copy
        importlib.import_module("grader.commands.bulk").add_to(app)
    for lab_id in labs if everything else {first} & labs.keys():
        app.command(name=lab_id, help=_purpose(lab_id))(lab.command(lab_id))
    return app


def _purpose(lab_id: str) -> str:
    """What a lab's command does. A spec that is damaged is said, and stops no other command."""
    try:
        return f"Grade {lab_id}: {spec.load(lab_id).title}."
    except spec.SpecError:
        return f"{lab_id} cannot be graded; ./grade {lab_id} says why."


def main() -> int:
    """Runs the command line. Returns the exit status; a student never sees a traceback."""
    _open_what_is_closed()
    try:
        own, rest = _split(sys.argv[1:])
        completion.adapt()
        code = _app(own)(
            own or ["--help"],
            prog_name=completion.NAME if completion.wanted(own) else "./grade",
            complete_var=completion.VARIABLE,
            standalone_mode=False,
            obj=rest,
        )
        return int(code or 0)
    except common.CommandError as stop:
        return _say(str(stop), stop.code)
    except typer.TyperException as problem:  # an option that is not one, and the like
        return _say(
            f"{problem.format_message().rstrip('.')}; see ./grade --help", problem.exit_code
        )
    except typer.Exit as leave:
        return int(leave.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted; nothing is left behind", score.INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return score.FAULT
    except (spec.SpecError, backend.BackendError, builder.BuildError) as fault:
        log = getattr(fault, "log", "")
        return _say(f"{fault}\n{log}".strip(), score.FAULT)
    except OSError as problem:
        what = f"{problem.filename}: " if problem.filename else ""
        advice = f"; {todo}" if (todo := files.remedy(problem)) else ""
        return _say(f"this machine stops the grader: {what}{problem.strerror}{advice}", score.FAULT)
    except Exception:  # noqa: BLE001 - the last resort: whatever else is wrong is the grader's
        return _say(_our_mistake(), score.FAULT)


def _open_what_is_closed() -> None:
    """Without stdin, stdout or stderr (`>&-`) the next file that is opened would take its place."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - for the whole run


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and those after -- for the program that `run` runs."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _our_mistake() -> str:
    log = paths.BUILD / "grader-fault.log"
    try:
        log.write_text(traceback.format_exc())
        where = f"the details are in {log}"
    except OSError:
        where = "the details could not be written to build/"
    return f"the grader made a mistake, not you; your points are safe. Please report it; {where}"


def _say(text: str, code: int) -> int:
    print(f"grade: {text}", file=sys.stderr)
    return code
