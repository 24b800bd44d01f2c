"""A run that is stopped says what failed so far and what did not run, and keeps its environment."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader import paths
from grader.setup import install, python_packages
from grader.setup.install import Missing
from grader.tests import captured

RULES = f"""
good bad:
\t@test $@ = good
pytest:
\t@{sys.executable} -m pytest -q -n2 -p grader.tests.plugin -p xdist -p no:cacheprovider \
-c {os.devnull} --rootdir=. test_stand_in.py
"""
STAND_IN = """
import pathlib, pytest, time
from grader.setup import stamp

def test_fails():
    assert False, "the first reason"

@pytest.mark.parametrize("n", range(4))
def test_waits(n):
    pathlib.Path(f"waits{n}").touch()
    time.sleep(60)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "Makefile").write_text(RULES)
    (tmp_path / "test_stand_in.py").write_text(STAND_IN)
    return tmp_path


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "PYTEST"))}
    environment |= {"PYTHONPATH": str(paths.ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.Popen(
        [sys.executable, paths.ROOT / "grader" / "tests" / "steps.py", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_all_steps_run_and_what_failed_is_named(suite: Path) -> None:
    run = start(suite, "make all", "good", "bad", "good")
    said = run.communicate(timeout=60)[0]
    assert run.returncode == 1
    assert "[3/3] good passed" in said and "make all: failed: bad" in said and "not run" not in said


def test_the_first_failure_ends_a_run_that_asks_for_it(suite: Path) -> None:
    run = start(suite, "--stop", "make test", "bad", "good")
    said = run.communicate(timeout=60)[0]
    assert run.returncode == 1 and "failed: bad" in said and "not run: good" in said


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM of all", "SIGTERM of one"])
def test_a_run_that_is_stopped_says_what_failed_so_far(suite: Path, how: str) -> None:
    """Ctrl-C on a terminal, `timeout`, and a CI that ends a job."""
    run = start(suite, "make all", "bad", "pytest", "good")
    deadline = time.monotonic() + 60
    while len(list(suite.glob("waits*"))) < 2:
        assert time.monotonic() < deadline and run.poll() is None
        time.sleep(0.1)
    number = signal.SIGINT if how == "Ctrl-C" else signal.SIGTERM
    (os.kill if how == "SIGTERM of one" else os.killpg)(run.pid, number)
    said = run.communicate(timeout=30)[0]
    assert run.returncode == 1
    assert "the first reason" in said and "FAILED test_stand_in.py::test_fails" in said
    assert "make all: failed: bad" in said and "make all: not run: good" in said


def test_a_test_that_changes_the_environment_fails_by_name(suite: Path) -> None:
    home = suite / "venv"
    (home / "bin").mkdir(parents=True)
    (suite / "conftest.py").write_text(
        f"from grader.setup import stamp\nstamp.VENV = {str(home)!r}\n"
    )
    (suite / "test_stand_in.py").write_text(
        "import pathlib\ndef test_before(): pass\n"
        f"def test_installs(): pathlib.Path({str(home)!r}, 'bin', 'new').touch()\n"
        "def test_after(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "grader.tests.plugin", "-c", os.devnull]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command += ["-p", "no:cacheprovider", f"--rootdir={suite}", str(suite)]
    done = captured.run(command, cwd=paths.ROOT, env=environment)
    assert "3 passed, 1 error" in done.stdout, done.stdout
    assert "build/venv, in which all tests run, changed" in done.stdout
    assert re.findall(r"^ERROR .*::(\w+)", done.stdout, re.MULTILINE) == ["test_installs"]


def test_a_set_up_of_the_folder_that_is_tested_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install, "missing", lambda *_: Missing([], python=True, photograph=False))
    monkeypatch.setattr(python_packages, "install", lambda *_: pytest.fail("it was not refused"))
    assert install.set_up("run") == 3
    assert "the tests of this folder are running" in capsys.readouterr().err
