"""Runs the user's own program as a shell does: with the terminal, the environment and the folder
of the caller, and no sandbox. It does not outlive the grader, and a time limit ends it."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from grader.sandbox import cleanup_after_kill, process_tree
from grader.sandbox.ending import Finished, Limit
from grader.sandbox.limits import Limits

GRACE = 2.0  # seconds between asking the program to end and killing it


def run_in_foreground(
    argv: list[str | Path], seconds: float, env: dict[str, str], quiet: bool = False
) -> Finished:
    """Runs `argv` until it ends or the time is over; 0 seconds: no limit. quiet: it reads
    nothing, and what it prints is not shown.

    At the limit the program gets SIGTERM, and SIGKILL when that does not end it; what it started
    is killed. After Ctrl-C,
    which the terminal sends to the program as well, it has the same time to end by itself; when it
    exits with no status of its own, its signal is SIGINT. Raises OSError when it cannot be started.
    """
    env = env | cleanup_after_kill.mark()
    started_at = time.monotonic()
    # Ctrl-C while the program is being started must find the `try` below, or nobody waits for it.
    caller_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        nowhere = subprocess.DEVNULL if quiet else None
        process = subprocess.Popen(
            argv,
            env=env,
            preexec_fn=_in_child(os.getpid(), caller_mask),
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
        )
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, caller_mask)
        raise
    stopped_by: Limit | None = None
    interrupted = False
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, caller_mask)
        process.wait(seconds or None)
    except subprocess.TimeoutExpired:
        stopped_by = "time"
        started = process_tree.below(process.pid)
        _end(process, signal.SIGTERM)
        for pid in started:  # they would go on, and hold the terminal or a pipe
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    except KeyboardInterrupt:
        interrupted = True
        _end(process, None)
    except BaseException:
        process.kill()
        process.wait()
        raise
    code = process.returncode
    return Finished(
        limits=Limits(seconds=seconds),
        status=code if code >= 0 else None,
        signal=None if code >= 0 else signal.SIGINT if interrupted else -code,
        stopped_by=stopped_by,
        seconds=time.monotonic() - started_at,
    )


def _end(process: subprocess.Popen[bytes], ask: signal.Signals | None) -> None:
    """Waits until the program has ended, and kills it where it takes too long."""
    if ask is not None:
        process.send_signal(ask)
    with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
        process.wait(GRACE)
    process.kill()
    process.wait()


def _in_child(parent: int, mask: set[int]) -> Callable[[], None]:
    """What the child does between fork and exec: only system calls."""

    def prepare() -> None:
        process_tree.die_with_parent(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    return prepare
