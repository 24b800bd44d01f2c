"""What ./grade does on a bare machine: Python with its standard library, nothing installed, no
network. It answers at once and installs nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from grader import before_setup, cli, paths
from grader.commands import completion, overview
from grader.model import outline, spec
from grader.tests.setup.small_copy import Copy, no_network


@pytest.fixture
def bare(tmp_path: Path) -> Copy:
    """A copy in which nothing is set up, and a Python that sees no installed package. The folder
    of the copy cannot be used to set anything up: build/ is a file."""
    copy = Copy(tmp_path)
    copy.flags = ["-I", "-S"]
    copy.prefix = no_network()
    (copy.root / "build").write_text("in the way")
    return copy


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_labs_commands_settings(arguments: list[str], bare: Copy) -> None:
    status, out, err = bare.grade(*arguments)
    assert (status, err) == (0, "")
    for text in ("make lab1 && ./grade lab1", "grade lab2: two sums", "doctor", "exit status"):
        assert text in out
    assert "NO_COLOR" in out and "CONVLABS_NO_SANDBOX" in out and "PIP_INDEX_URL" in out
    assert "bulk" not in out, "a student's copy has no grader/classroom/bulk"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["list"], "next: ./grade reset lab1"),
        (["list", "--color", "always"], "\x1b[1m"),
        (["list", "--help"], "usage: ./grade list"),
        (["hint", "lab3"], "gentle A"),
        (["hint", "lab3", "b", "2"], "middle B"),
        (["doctor", "--help"], "usage: ./grade doctor"),
        (["setup", "--help"], "--check"),
        (["lab3", "--help"], "Grade lab3: two sums.\n\noptions\n  --src "),
        (["run", "-h"], "Count memory traffic by launch and source line."),
    ],
    ids=str,
)
def test_commands_answer_without_packages(arguments: list[str], text: str, bare: Copy) -> None:
    status, out, err = bare.grade(*arguments)
    assert (status, err) == (0, "")
    assert text in out


def test_doctor_says_what_is_missing(bare: Copy) -> None:
    status, out, err = bare.grade("doctor")
    assert (status, err) == (1, "")
    assert "MISSING   Python packages  none of 1 in build/venv" in out
    assert "./grade setup installs them, about 28 MB to download" in " ".join(out.split())
    assert "MISSING   photograph" in out
    assert out.endswith("missing for the labs: Python packages, photograph\n")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["lst"], "there is no command 'lst'; did you mean list? ./grade --help lists all"),
        (["Doctor"], "did you mean doctor?"),
        (["xyzzy"], "there is no command 'xyzzy'; ./grade --help lists all"),
        (["lab33"], "there is no lab33; the labs are lab1, lab2, lab3"),
        (["lab"], "there is no lab; the labs are lab1"),
        (["submit", "lab33"], "there is no lab33; the labs are lab1"),
        (["hint", "lab3", "Z"], "lab3 has no part Z; it has A, B"),
        (["hint"], "see ./grade hint --help"),
        (["list", "--colour"], "see ./grade list --help"),
        (["--jsn"], "there is no option --jsn"),
    ],
    ids=str,
)
def test_wrong_usage_is_one_line(arguments: list[str], text: str, bare: Copy) -> None:
    status, out, err = bare.grade(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("grade: ") and err.count("\n") == 1
    assert text in err


def test_completion_installs_nothing(bare: Copy) -> None:
    bare.environment[overview.COMPLETION_VARIABLE] = "complete_bash"
    assert bare.grade() == (3, "", "")


def test_a_command_that_needs_packages_sets_up(bare: Copy) -> None:
    status, out, err = bare.grade("lab3", "--", "--help")
    assert (status, out) == (3, "")
    assert "cannot write" in err


@pytest.mark.parametrize("name", before_setup.COMMANDS)
def test_completion_knows_the_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Tab offers exactly the options that the command has."""
    assert before_setup.run_before_setup([name, "--help"]) == 0
    usage = set(re.findall(r"--[a-z]+", capsys.readouterr().out))
    app = typer.Typer(add_completion=False)
    app.command()(completion.ARGUMENTS[name])
    offered = {text for parameter in typer.main.get_command(app).params for text in parameter.opts}
    assert {text for text in offered if text.startswith("-")} | {"--help"} == usage


def test_every_command_has_its_line_of_help(capsys: pytest.CaptureFixture[str]) -> None:
    everything = {*cli.COMMANDS, *overview.INSTRUCTOR}
    assert everything == set(overview.STUDENT) | set(overview.INSTRUCTOR)
    assert before_setup.run_before_setup([]) == 0
    out = capsys.readouterr().out
    assert all(f"\n  {name} " in out for name in everything)
    assert max(map(len, out.splitlines())) <= 100


def test_labs_have_outlines_and_hints() -> None:
    labs = list(outline.available())
    for arguments in (["list"], *(["hint", lab] for lab in labs)):
        done = subprocess.run(
            [sys.executable, "-I", "-S", paths.ROOT / "grade", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert "cannot be graded" not in done.stdout


@pytest.mark.parametrize("lab_id", outline.available())
def test_an_outline_agrees_with_the_spec(lab_id: str) -> None:
    lab, short = spec.load(lab_id), outline.load(lab_id)
    assert (short.id, short.title, short.folder) == (lab.id, lab.title, lab.folder)
    assert list(short.submit) == lab.submit
    parts = [(part.id, part.title, list(part.hints)) for part in short.parts]
    assert parts == [(part.id, part.title, part.hints) for part in lab.part]
