"""Completion in real shells, as Tab asks for it; Typer's protocol does the rest."""

import shutil
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured

BASH = """
source <(./grade --show-completion)
complete -p grade > /dev/null || exit 9
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _grade_completion "$1"
        echo "${COMPREPLY[*]}"; }
ask ./grade la
ask ./grade hint lab1 ''
ask ../"${PWD##*/}"/grade lab3 -k 97
ask ./grade lab1 --bac
"""
# Zsh's own functions are stood in for: what they are called with is what matters.
ZSH = """
compdef() { [[ "$*" = '_grade_completion grade' ]] || exit 9 }
_arguments() { print -r -- "$@" }
source <(./grade --show-completion)
words=(./grade la); CURRENT=2; _grade_completion
words=(./grade lab3 -k 97); CURRENT=4; _grade_completion
"""
FISH = """
./grade --show-completion | source
complete -C './grade la'
complete -C './grade lab3 -k 97'
"""


def ask(shell: str, script: str, home: Path) -> str:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    file = home / "script"
    file.write_text(script)
    quiet = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = captured.run(
        [shell, *quiet, file],
        cwd=paths.ROOT,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home)},
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


@pytest.mark.slow("a shell asks for each completion")
def test_bash_completes_commands_and_labs(tmp_path: Path) -> None:
    labs, parts, words, options = ask("bash", BASH, tmp_path).splitlines()
    assert {"lab1", "lab8"} <= set(labs.split()) and "list" not in labs
    assert "A" in parts.split()
    assert words.split() == ["97x61"]
    assert options.split() == ["--backend"]


@pytest.mark.parametrize(("shell", "script"), [("zsh", ZSH), ("fish", FISH)])
def test_zsh_and_fish_complete_commands_and_labs(shell: str, script: str, tmp_path: Path) -> None:
    said = ask(shell, script, tmp_path)
    assert all(word in said for word in ("lab1", "Grade lab8", "97x61"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_installed_script_calls_what_was_typed(shell: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [paths.ROOT / "grade", "--install-completion", shell],
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",  # so that it takes the name
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (script,) = (f for f in tmp_path.rglob("*grade*") if f.is_file())
    calls = {"bash": "complete_bash $1", "zsh": "${(Q)words[1]})", "fish": "eval $words[1]"}
    assert calls[shell] in script.read_text()
