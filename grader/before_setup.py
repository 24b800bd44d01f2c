"""What ./grade does before anything is installed: help, list, hint, exam, doctor, setup; and it
refuses a command or a lab that does not exist. The standard library alone."""

import importlib
import os
from collections.abc import Callable, Sequence

from grader import exit_codes, outside_labs
from grader.commands import errors, overview
from grader.setup import stamp

COMMANDS = ("list", "hint", "exam", "doctor", "setup")  # modules of grader/commands/ with a run()
HELP = ("-h", "--help")


def run_before_setup(arguments: Sequence[str]) -> int | None:
    """Runs `./grade arguments...`. Returns the exit status, or None for a command that needs the
    installed packages; nothing has been printed then."""
    return errors.reported(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int | None:
    if overview.COMPLETION_VARIABLE in os.environ:  # Tab installs nothing
        return None if stamp.valid("run") else exit_codes.FAULT
    try:
        outside_labs.link()
    except outside_labs.OutsideError as problem:
        raise errors.UsageError(str(problem)) from problem
    name, rest = (arguments[0], arguments[1:]) if arguments else (HELP[0], [])
    if name in HELP:
        print(overview.help_text())
        return 0
    if name.startswith(("--show-completion", "--install-completion")):
        return None
    if name.startswith("-"):
        raise errors.UsageError(f"there is no option {name}; see ./grade --help")
    overview.require_command(name)
    if name in overview.TAKE_A_LAB and rest and not rest[0].startswith("-"):
        overview.require_lab(rest[0])
    if name in COMMANDS:
        # Imported here: every other command passes through this module as well.
        command: Callable[[Sequence[str]], int]
        command = importlib.import_module(f"grader.commands.{name}").run
        try:
            return command(rest)
        except SystemExit as leave:  # argparse has printed the help of the command
            return int(leave.code or 0)
    own = rest[: rest.index("--")] if "--" in rest else rest
    if not stamp.valid("run") and any(argument in HELP for argument in own):
        from grader.commands import source_help

        print(f"{overview.sentence(name)}\n\noptions\n{source_help.text(name)}")
        return 0
    return None
