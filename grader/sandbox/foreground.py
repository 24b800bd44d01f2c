"""Runs the user's own program as a shell does: with the terminal, the environment and the folder
of the caller, as a job of its own, and no sandbox. It does not outlive the grader, and a time limit
ends it."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from grader.sandbox import cleanup_after_kill, job, process_tree
from grader.sandbox.ending import Finished, Limit
from grader.sandbox.limits import Limits

GRACE = 2.0  # seconds between asking the program to end and killing it


def run_in_foreground(
    argv: list[str | Path], seconds: float, env: dict[str, str], quiet: bool = False
) -> Finished:
    """Runs `argv` until it ends or the time is over; 0 seconds: no limit. quiet: it reads
    nothing, and what it prints is not shown.

    At the limit the program gets SIGTERM, and SIGKILL when that does not end it; what it started
    is killed. Ctrl-C on a terminal is the program's. An interrupt of the grader alone is handed on,
    and the program has the same time to end by itself; when it exits with no status of its own, its
    signal is SIGINT. Raises OSError when it cannot be started.
    """
    env = env | cleanup_after_kill.tag()
    started_at = time.monotonic()
    stopped_by: Limit | None = None
    interrupted = False
    with contextlib.ExitStack() as stack:
        shown = None if quiet else stack.enter_context(job.terminal())
        # Ctrl-C while the program is being started must find the `try` below, or nobody waits
        # for it.
        caller_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, caller_mask)
        process = job.start(argv, env, shown, quiet, _in_child(os.getpid(), caller_mask))
        if shown is not None:
            stack.callback(shown.pass_on, process.pid, os.getpgrp())
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, caller_mask)
            job.wait(process, shown, seconds)
        except subprocess.TimeoutExpired:
            stopped_by = "time"
            started = process_tree.below(process.pid)
            _end(process, signal.SIGTERM)
            for pid in started:  # they would go on, and hold the terminal or a pipe
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        except KeyboardInterrupt:
            interrupted = True
            _end(process, signal.SIGINT)
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


def _end(process: subprocess.Popen[bytes], ask: signal.Signals) -> None:
    """Asks the program to end, and kills it where it takes too long."""
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
