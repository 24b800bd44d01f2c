"""Runs a program as a job of its own, as a shell does.

In a process group of its own, a program reaches only itself and what it starts with `kill(0, ...)`:
never the grader, nor the `make` or the script that called it. On a terminal the group that is in
the foreground reads it, and gets Ctrl-C and Ctrl-Z: that is the program's while it runs.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

POLL = 0.02  # seconds between two samples of a program with a time limit


class Terminal:
    """The terminal of this process's session."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def pass_on(self, giver: int, taker: int) -> bool:
        """Puts another process group into the foreground. Whether `giver` was in it: otherwise the
        terminal is somebody else's. Makes system calls and nothing else."""
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})  # not to be stopped
        try:
            if os.tcgetpgrp(self._descriptor) != giver:
                return False
            os.tcsetpgrp(self._descriptor, taker)
            return True
        except OSError:  # hung up
            return False
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextlib.contextmanager
def terminal() -> Iterator[Terminal | None]:
    """The terminal of this process's session; None where it has none."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        yield None
        return
    try:
        yield Terminal(descriptor)
    finally:
        os.close(descriptor)


def start(
    argv: list[str | Path],
    env: dict[str, str],
    shown: Terminal | None,
    quiet: bool,
    before: Callable[[], None],
) -> subprocess.Popen[bytes]:
    """Starts a program in a new process group and gives it the terminal, if this group has it.

    before: what the child does first, between fork and exec. quiet: it reads nothing, and its
    output is not shown. Raises OSError.
    """
    caller = os.getpgrp()

    def in_child() -> None:
        if shown is not None:
            shown.pass_on(caller, os.getpid())
        before()

    nowhere = subprocess.DEVNULL if quiet else None
    return subprocess.Popen(
        argv,
        env=env,
        process_group=0,
        preexec_fn=in_child,
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
    )


def wait(process: subprocess.Popen[bytes], shown: Terminal | None, seconds: float) -> None:
    """Waits until the program ends. Where the terminal stops it, stops this job, and continues both
    together. seconds: 0 is no limit. Raises TimeoutExpired."""
    if shown is None:
        process.wait(seconds or None)
        return
    end = time.monotonic() + seconds
    which = os.WEXITED | os.WSTOPPED | (os.WNOHANG if seconds else 0)
    while True:
        state = os.waitid(os.P_PID, process.pid, which | os.WNOWAIT)
        if state is None:
            if time.monotonic() >= end:
                raise subprocess.TimeoutExpired(process.args, seconds)
            time.sleep(POLL)
        elif state.si_code == os.CLD_STOPPED:
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG)  # seen
            _stop_too(process.pid, shown, state.si_status)
        else:
            process.wait()
            return


def _stop_too(program: int, shown: Terminal, number: int) -> None:
    """The program was stopped by a signal: Ctrl-Z, or a read while it was in the background. Any
    other stops it alone."""
    if number not in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        return
    me = os.getpgrp()
    if number == signal.SIGTSTP or not shown.pass_on(me, program):
        shown.pass_on(program, me)
        os.killpg(me, signal.SIGTSTP)  # until the shell continues this job
        shown.pass_on(me, program)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program, signal.SIGCONT)
