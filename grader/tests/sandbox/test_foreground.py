"""The user's own program in the foreground, and Ctrl-C at moments that are hard to hit."""

import os
import signal
import subprocess
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

    cleanup_after_kill.mark()  # may start a process of its own
    monkeypatch.setattr(subprocess, "Popen", InterruptedAtOnce)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ending = foreground.run_in_foreground(["sleep", "60"], 0, dict(os.environ))
    finally:
        signal.signal(signal.SIGINT, before)
    assert ending.signal == signal.SIGINT and started[0].returncode == -signal.SIGINT
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def test_nothing_that_a_program_started_goes_on_after_the_limit() -> None:
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


def test_the_program_can_be_interrupted() -> None:
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
