"""Progress of set-up: one rewritten line on a terminal, separate lines elsewhere."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.setup import apt, python_packages, runner
from grader.setup.runner import Runner

Capture = pytest.CaptureFixture[str]

SHOW = """
import sys
from pathlib import Path
from grader.setup.runner import Runner
runner = Runner(Path(sys.argv[1]), 1)
with runner.step("a step"):
    runner.doing("working")
    runner.run([sys.executable, "-c", "import time; print('x', flush=True); time.sleep(2.5)"])
"""


def test_without_a_terminal_a_line_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(runner, "REPEAT", 0.2)
    monkeypatch.setattr(runner, "REDRAW", 0.1)
    code = "import time\nfor i in range(3): print('part', i, flush=True); time.sleep(0.5)"
    shown = Runner(tmp_path / "log", 3)
    with shown.step("the first step"):
        output = shown.run([sys.executable, "-c", code], lambda line: f"reading {line}")
    assert (output.status, output.text) == (0, "part 0\npart 1\npart 2")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "[1/3] the first step"
    assert "      reading part 1, 0 s" in lines or "      reading part 1, 1 s" in lines
    assert re.fullmatch(r" {6}took \d+ s", lines[-1])
    log = (tmp_path / "log").read_text()
    assert log.startswith("$ ") and log.endswith("part 0\npart 1\npart 2\n\n")


@pytest.mark.needs("terminal")
def test_terminal_progress_rewrites_one_line(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SHOW, tmp_path / "log"],
        stderr=theirs,
        env=os.environ | {"TERM": "xterm", "NO_COLOR": "1"},
        timeout=60,
        check=False,
    )
    os.close(theirs)
    text = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0, text
    assert "\r\x1b[K      working, 0 s\r\x1b[K" in text
    assert "\r\x1b[K      working, 2 s" in text
    assert "\x1b[3" not in text, "no colours"
    assert text.count("\n") == 2, "the step, and how long it took"


def test_the_log_is_written_while_a_command_runs(tmp_path: Path) -> None:
    def look(_: str) -> str:
        assert "early" in log.read_text()
        raise KeyboardInterrupt

    log = tmp_path / "log"
    code = "import time; print('early', flush=True); time.sleep(60)"
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Runner(log, 1).run([sys.executable, "-c", code], look)
    assert time.monotonic() - began < 30, "the command was made to end"


def test_a_command_that_ignores_a_polite_signal_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: str) -> str:
        raise KeyboardInterrupt

    wait = subprocess.Popen.wait
    monkeypatch.setattr(subprocess.Popen, "wait", lambda process, _=None: wait(process, 1))
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('x'); time.sleep(60)"
    with pytest.raises(KeyboardInterrupt):
        Runner(tmp_path / "log", 1).run([sys.executable, "-u", "-c", code], stop)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.parametrize(
    ("line", "activity"),
    [
        (
            "  Downloading numpy-2.4.6-cp311-manylinux_2_28_x86_64.whl (16.9 MB)",
            "downloading numpy 2.4.6, 16.9 MB (1 of 20)",
        ),
        ("  Downloading rich-15.0.0-py3-none-any.whl.metadata (18 kB)", "looking up the packages"),
        (
            "  Using cached rich-15.0.0-py3-none-any.whl",
            "rich 15.0.0 was downloaded before (1 of 20)",
        ),
        ("Installing collected packages: numpy, rich", "installing 20 packages"),
        ("WARNING: Retrying (Retry(total=0))", "the package index does not answer; trying again"),
        ("Collecting numpy==2.4.6", ""),
    ],
)
def test_pip_output_becomes_progress(line: str, activity: str) -> None:
    assert python_packages.Activity(20)(line) == activity


@pytest.mark.parametrize(
    ("line", "activity"),
    [
        ("Need to get 45.1 MB of archives.", "downloading 45.1 MB"),
        (
            "Get:3 http://deb.debian.org/debian bookworm/main amd64 gcc-12 amd64 12.2.0 [19.3 MB]",
            "downloading gcc-12, 19.3 MB",
        ),
        ("Unpacking gcc (4:12.2.0-3) ...", "unpacking gcc"),
        ("Setting up gcc (4:12.2.0-3) ...", "setting up gcc"),
        ("Reading package lists...", ""),
    ],
)
def test_apt_get_output_becomes_progress(line: str, activity: str) -> None:
    assert apt.activity(line) == activity


def test_pip_configuration_of_the_user_wins() -> None:
    assert python_packages.patience("") == {"PIP_RETRIES": "1", "PIP_TIMEOUT": "10"}
    assert python_packages.patience(":env:.default-timeout='180'\n") == {"PIP_RETRIES": "1"}
    assert python_packages.patience("global.timeout='60'\nglobal.retries='9'\n") == {}


def test_the_index_is_named_without_its_password() -> None:
    assert python_packages.index("") == "pypi.org"
    settings = "global.index-url='https://me:secret@mirror.example/simple'\n"
    assert python_packages.index(settings) == "mirror.example"
