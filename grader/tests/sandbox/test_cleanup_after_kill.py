"""No process that a grader started outlives it, however the grader ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.tests import captured

GRADER = (
    "import sys\n"
    "from pathlib import Path\n"
    "from grader.sandbox.launcher import launch\n"
    "from grader.sandbox.limits import Limits\n"
    "launch(sys.argv[1:], Limits(60), Path.cwd())\n"
)
DETACHES = (  # and, by the fork, no longer asks to be killed with its parent
    "import os, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        open('pid', 'w').write(f'{os.getpid()}\\n')\n"
    "        time.sleep(60)\n"
    "    os._exit(0)\n"
    "time.sleep(60)\n"
)


def soon(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return true()


def alive(pid: int) -> bool:
    """Whether a process still runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_detached_process_dies_with_the_grader(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", GRADER, sys.executable, "-c", DETACHES]
    with subprocess.Popen(command, cwd=tmp_path) as grader:
        file = tmp_path / "pid"
        assert soon(lambda: file.exists() and file.read_text().endswith("\n"))
        detached = int(file.read_text())
        started = children(grader.pid)
        assert (
            len(started) == 3 and detached in started
        )  # the command, the detached process, the watchdog
        os.kill(grader.pid, number)
    assert soon(lambda: not any(alive(pid) for pid in started))


def test_the_watchdog_ends_silently_with_its_grader(tmp_path: Path) -> None:
    code = GRADER + (
        "from grader.sandbox import cleanup_after_kill\n"
        "assert Path(f'/proc/{cleanup_after_kill.pid()}').exists()\n"
        "print(cleanup_after_kill.pid())\n"
    )
    done = captured.run([sys.executable, "-c", code, "true"], cwd=tmp_path, check=True)
    assert not alive(int(done.stdout)) and not done.stderr
