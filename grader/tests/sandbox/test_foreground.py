"""The user's own program in the foreground, and Ctrl-C at moments that are hard to hit."""

import os
import pty
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from grader.sandbox import cleanup_after_kill, foreground
from grader.tests import captured


def test_ctrl_c_while_the_program_is_being_started(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class InterruptedAtOnce(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)
            self.send_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)  # to this thread, whose mask holds it back

    cleanup_after_kill.tag()  # may start a process of its own
    monkeypatch.setattr(subprocess, "Popen", InterruptedAtOnce)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ending = foreground.run_in_foreground(["sleep", "60"], 0, dict(os.environ))
    finally:
        signal.signal(signal.SIGINT, before)
    assert ending.signal == signal.SIGINT and started[0].returncode == -signal.SIGINT
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def test_limit_kills_all_child_processes() -> None:
    """A child of it would hold the pipe, and whoever reads that would wait on."""
    starts = "trap '' TERM; sh -c 'while :; do sleep 9; done' & while :; do sleep 9; done"
    line = (
        "from grader.sandbox import foreground; import os; "
        f'print(foreground.run_in_foreground(["sh", "-c", {starts!r}], 0.2, dict(os.environ)))'
    )
    done = captured.run(["python3", "-c", line], check=True, timeout=30)
    assert "stopped_by='time'" in done.stdout


def test_a_program_that_cannot_start_leaves_signals_as_they_were() -> None:
    with pytest.raises(OSError):
        foreground.run_in_foreground(["/nowhere/at/all"], 0, dict(os.environ))
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def test_program_can_be_interrupted() -> None:
    """The mask of the grader while it starts a program is not the program's."""
    line = "grep SigBlk /proc/self/status"
    output = captured.run(
        [
            "python3",
            "-c",
            f"from grader.sandbox import foreground; import os; "
            f"foreground.run_in_foreground(['sh', '-c', '{line}'], 0, dict(os.environ))",
        ],
        check=True,
    ).stdout
    assert int(output.split()[1], 16) & (1 << (signal.SIGINT - 1)) == 0


# A grader that runs a program and says how it ended.
GRADER = """
import os, sys
from grader.sandbox import foreground
done = foreground.run_in_foreground(sys.argv[1:], 20, dict(os.environ))
print("status", done.status, "signal", done.signal, flush=True)
"""


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("os.kill(0, signal.SIGKILL)", "status None signal 9"),
        ("os.kill(0, signal.SIGTERM); time.sleep(20)", "status None signal 15"),
        ("os.killpg(os.getpgrp(), signal.SIGKILL)", "status None signal 9"),
        ("os.fork() or os.kill(0, signal.SIGINT); time.sleep(20)", "status None signal 2"),
        # What programs may do: end their children, be in a group of their own already, stop.
        (
            "signal.signal(15, signal.SIG_IGN); os.fork() or (signal.signal(15, signal.SIG_DFL), "
            "signal.pause()); time.sleep(0.3); os.kill(0, 15); print(os.wait()[1]); sys.exit(3)",
            "15\nstatus 3 signal None",
        ),
        ("os.setpgid(0, 0); sys.exit(4)", "status 4 signal None"),
        ("os.fork() or os.setsid(); sys.exit(5)", "status 5 signal None"),
    ],
)
def test_a_program_that_signals_its_group_does_not_reach_the_grader(code: str, ending: str) -> None:
    program = ["python3", "-c", f"import os, signal, sys, time\n{code}"]
    argv = [sys.executable, "-c", GRADER, *program]
    done = captured.run(argv, start_new_session=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, ending), done.stderr


class Screen:
    """A terminal with a grader in its foreground, as a shell starts it: started by a process that
    leads the session and waits for it."""

    def __init__(self, *program: str) -> None:
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.execvp("bash", ["bash", "-ic", 'set -m; "$@"; echo "left $?"; fg 2> /dev/null; exit',
                               "bash", sys.executable, "-c", GRADER, *program])  # fmt: skip
        self.shown = ""

    def until(self, text: str) -> None:
        """Reads until the terminal shows this."""
        deadline = time.monotonic() + 30
        while text not in self.shown and time.monotonic() < deadline:
            try:
                self.shown += os.read(self.terminal, 4096).decode()
            except OSError:  # it has ended
                break
        assert text in self.shown, self.shown

    def press(self, keys: bytes) -> None:
        os.write(self.terminal, keys)

    def close(self) -> None:
        os.close(self.terminal)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


@pytest.mark.needs("terminal")
def test_a_program_reads_the_terminal_and_is_interrupted_there() -> None:
    screen = Screen("sh", "-c", "read line; echo got $line; while :; do sleep 9; done")
    screen.press(b"a line\n")
    screen.until("got a line")
    screen.press(b"\x03")
    screen.until("status None signal 2")
    screen.until("left 0")
    screen.close()


@pytest.mark.needs("terminal")
def test_a_program_may_refuse_an_interrupt() -> None:
    screen = Screen("sh", "-c", "trap 'echo not yet' INT; echo begun; sleep 3; echo done; exit 7")
    screen.until("begun")
    screen.press(b"\x03")
    screen.until("status 7 signal None")
    assert "not yet" in screen.shown and "done" in screen.shown
    screen.close()


@pytest.mark.needs("terminal")
def test_a_program_is_stopped_and_continued_with_its_grader() -> None:
    screen = Screen("sh", "-c", "echo begun; read line; echo got $line; exit 6")
    screen.until("begun")
    screen.press(b"\x1a")
    screen.until("left 148")
    screen.press(b"more\n")
    screen.until("got more")
    screen.until("status 6 signal None")
    screen.close()
