"""Tab completion in the shell: Typer's own, adapted to a program that is started as ./grade.

Typer's scripts for zsh and fish call the program by the name that they complete, and `grade` is not
in PATH. Here they call what was typed. The script for bash does so already.
"""

import os
from collections.abc import Callable
from typing import Annotated

import typer
from typer import _completion_shared as shared  # the lock pins it; a test asks for each script

from grader.commands import options, output, overview
from grader.commands.setup import is_left_out
from grader.model import outline

NAME = "grade"  # a shell looks for "./grade" under this name

ZSH = """
#compdef %(prog_name)s

%(complete_func)s() {
  local typed="${words[1,$CURRENT]}"
  eval $(env _TYPER_COMPLETE_ARGS="$typed" %(autocomplete_var)s=complete_zsh ${(Q)words[1]})
}

compdef %(complete_func)s %(prog_name)s
"""

FISH = (
    "function %(complete_func)s\n"
    "    set -l words (commandline -opc)\n"
    "    set -lx _TYPER_COMPLETE_ARGS (commandline -cp)\n"
    "    set -lx _TYPER_COMPLETE_FISH_ACTION $argv[1]\n"
    "    set -lx %(autocomplete_var)s complete_fish\n"
    "    eval $words[1]\n"
    "end\n"
    'complete --command %(prog_name)s --no-files --arguments "(%(complete_func)s get-args)" '
    '--condition "%(complete_func)s is-args"'
)


def use_scripts() -> None:
    """Makes Typer hand out the scripts above. Call it before Typer reads the arguments."""
    shared._completion_scripts.update(zsh=ZSH, fish=FISH)


def requested(arguments: list[str]) -> bool:
    """Whether a shell asks for completions, or the user for the script that makes it ask."""
    flags = ("--show-completion", "--install-completion")
    return overview.COMPLETION_VARIABLE in os.environ or any(
        a.startswith(flags) for a in arguments[:1]
    )


def _parts(context: typer.Context) -> list[str]:
    """The parts of the lab that was typed."""
    try:
        return [part.id for part in outline.load(context.params.get("lab") or "").parts]
    except outline.SpecError:
        return []


def _coloured(colour: options.ColourOption = output.Colour.auto) -> None: ...


def _setup(
    pages: Annotated[bool, typer.Option("--pages", hidden=is_left_out("pages"))] = False,
    dev: Annotated[bool, typer.Option("--dev", hidden=is_left_out("dev"))] = False,
    slurm: Annotated[bool, typer.Option("--slurm", hidden=is_left_out("slurm"))] = False,
    bench: Annotated[bool, typer.Option("--bench", hidden=is_left_out("bench"))] = False,
    charts: Annotated[bool, typer.Option("--charts", hidden=is_left_out("charts"))] = False,
    handouts: Annotated[bool, typer.Option("--handouts", hidden=is_left_out("handouts"))] = False,
    nvcc: Annotated[bool, typer.Option("--nvcc", hidden=is_left_out("nvcc"))] = False,
    check: Annotated[bool, typer.Option("--check", hidden=is_left_out("check"))] = False,
    system: Annotated[bool, typer.Option("--system")] = False,
) -> None: ...


def _hint(
    lab: options.LabName,
    part: Annotated[str | None, typer.Argument(autocompletion=_parts)] = None,
    number: Annotated[int | None, typer.Argument()] = None,
) -> None: ...


def _exam(folder: Annotated[str, typer.Argument()]) -> None: ...


# The arguments of the commands that before_setup.py runs. Typer completes them and runs none.
ARGUMENTS: dict[str, Callable[..., None]] = {
    "list": _coloured,
    "hint": _hint,
    "exam": _exam,
    "doctor": _coloured,
    "setup": _setup,
}
