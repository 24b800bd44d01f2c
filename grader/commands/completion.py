"""Completion in the shell: Typer's own, made to fit a program that is started as ./grade.

Typer's scripts for zsh and fish call the program by the name that they complete, and `grade` is not
in PATH. Here they call what was typed. Bash's does so already.
"""

from __future__ import annotations

import os

from typer import _completion_shared as shared  # the lock pins it; a test asks for each script

NAME = "grade"  # a shell looks for "./grade" under this name
VARIABLE = "_GRADE_COMPLETE"

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


def adapt() -> None:
    """Call it before the program looks at its arguments."""
    shared._completion_scripts.update(zsh=ZSH, fish=FISH)


def wanted(arguments: list[str]) -> bool:
    """Whether a shell asks for completions, or the user for the script that makes it ask."""
    flags = ("--show-completion", "--install-completion")
    return VARIABLE in os.environ or any(a.startswith(flags) for a in arguments[:1])
