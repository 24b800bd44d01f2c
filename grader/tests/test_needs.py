"""A test that needs what a machine lacks is skipped by name; the caller's terminal and language
change none."""

import os
import sys
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured, needs

TESTS = """
import pytest, subprocess, sys

@pytest.mark.needs("landlock", "root")
def test_both(): ...
@pytest.fixture
def costly():
    raise AssertionError("made in vain")
@pytest.mark.needs("git")
@pytest.mark.parametrize("n", [1, 2])
def test_git(n, costly): ...
def test_nothing(): ...
"""


def run(folder: Path, text: str, *options: str, lacks: str = "") -> str:
    """What pytest prints of these tests. lacks: what the machine is said not to have."""
    (folder / "test_it.py").write_text(text)
    (folder / "lack.py").write_text(
        "from grader.tests import needs\n"
        f"needs.NEEDS.update({{n: (lambda: 'for\\nonce') for n in {lacks.split()}}})\n"
    )
    path = f"{paths.ROOT}{os.pathsep}{folder}"
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "grader.tests.plugin", "-p", "lack"]
    argv += ["-c", "/dev/null", "--rootdir", str(folder), "-p", "no:cacheprovider", *options]
    return captured.run(
        [*argv, "test_it.py"], cwd=folder, env=os.environ | {"PYTHONPATH": path}
    ).stdout


@pytest.mark.parametrize("options", [(), ("-n", "2")])
def test_missing_needs_are_listed_with_their_tests(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    shown = run(tmp_path, TESTS, *options, lacks="git root landlock")
    assert "skipped, 2: needs git: for once\n    test_it.py::test_git (2)\n" in shown
    assert "skipped, 1: needs landlock: for once\n    test_it.py::test_both\n" in shown
    assert "1 passed, 3 skipped" in shown


def test_tests_with_met_needs_run(tmp_path: Path) -> None:
    shown = run(tmp_path, TESTS.replace("raise Ass", "return Ass").replace(', "root"', ""))
    assert "skipped" not in shown or needs.missing("landlock") or needs.missing("git")


def test_a_name_that_nobody_knows_is_an_error(tmp_path: Path) -> None:
    shown = run(tmp_path, TESTS.replace('"git"', '"gti"'))
    assert "KeyError: 'gti'" in shown and "2 errors" in shown


def test_a_mark_that_nobody_knows_is_an_error(tmp_path: Path) -> None:
    shown = run(tmp_path, TESTS.replace("mark.needs", "mark.need"), "--strict-markers")
    assert "'need' not found in `markers`" in shown


def test_tests_use_markers_instead_of_skipping() -> None:
    """In one place, or the next one forgets what a container lacks."""
    for file in (paths.ROOT / "grader" / "tests").rglob("test_*.py"):
        text = file.read_text()
        for condition in ("skipif(os.geteuid", "skipif(choice.", "skipif(landlock."):
            assert condition not in text or file == Path(__file__), f"{file}: mark.needs"


ODD = (
    {"TERM": "dumb"},
    {"TERM": None, "LANG": None},
    {"LANG": "C"},
    {"LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"},
    {"NO_COLOR": "1", "COLUMNS": "40", "LINES": "10"},
    {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"},
)
SAME = r"""
import os, shutil, subprocess

def test_the_same():
    seen = {n: v for n, v in os.environ.items() if n in NAMES or n.startswith("LC_")}
    assert seen == {"TERM": "xterm", "LANG": "C.UTF-8"}
    assert shutil.get_terminal_size((77, 5)) == (77, 5)
    said = subprocess.run(["ls", "/nowhere"], capture_output=True, text=True).stderr
    assert said == "ls: cannot access '/nowhere': No such file or directory\n"
"""


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: " ".join(f"{n}={v}" for n, v in odd.items()))
def test_each_test_has_the_same_environment(
    odd: dict[str, str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in odd.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    names = sorted({name for variables in ODD for name in variables})
    assert "1 passed" in run(tmp_path, f"NAMES = {names}\n{SAME}")
