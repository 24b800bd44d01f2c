"""How a command ended: the facts, and one kind and one sentence for each way to end early."""

import errno
import signal
from dataclasses import dataclass
from typing import Literal

from grader.sandbox.limits import Limits, cores
from grader.sandbox.reached_limit import Reached

# time: on the wall clock, of a user's own program (foreground.py). The others: reached_limit.py.
Limit = Reached | Literal["time", "output"]
Kind = Literal["timeout", "waiting", "starved", "flood", "crashed"]

_FOREIGN_MEMORY = "your program accessed memory it does not own"
_CRASHES = {
    signal.SIGSEGV: f"segmentation fault: {_FOREIGN_MEMORY}",
    signal.SIGBUS: f"bus error: {_FOREIGN_MEMORY}",
    signal.SIGFPE: "arithmetic fault, such as an integer division by 0",
    signal.SIGABRT: "abort() was called",
    signal.SIGILL: "illegal instruction",
    signal.SIGXFSZ: "it wrote a file that is larger than any result",
    signal.SIGKILL: "killed, most likely because it used too much memory: look for what grows with "
    "each call or each thread, and for copies of whole images",
}

# What a student should look for, for some kinds.
ADVICE: dict[str, str] = {
    "timeout": "look for a loop that never ends, or that does far more work than necessary",
    "waiting": "look for what it waits for: a lock, another thread, an input, a sleep",
}


class TooBusyError(OSError):
    """Other programs left a command so little of the processor that nothing can be said about it.
    `strerror` completes a sentence as EarlyEnd.reason does."""


@dataclass(frozen=True)
class Finished:
    """A command that has ended. Exactly one of `status` and `signal` is set.

    stopped_by: the limit for which the launcher killed it; None when it ended by itself.
    """

    limits: Limits
    status: int | None
    signal: int | None
    stopped_by: Limit | None
    seconds: float  # wall time
    processor: float = 0.0  # seconds of processor time when it was last looked at, or less
    stdout: bytes = b""
    stderr: bytes = b""

    def last_error_line(self) -> str:
        """The last line on stderr, at most 300 characters of it; "" when there is none."""
        lines = self.stderr.decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""


@dataclass(frozen=True)
class EarlyEnd:
    """Why a command could not exit by itself. `reason` completes a sentence that begins with "your
    program" or "the compiler", and makes sense without it."""

    kind: Kind
    reason: str


def early_end(done: Finished) -> EarlyEnd | None:
    """Which limit or signal ended a command; None when it exited by itself, whatever its status."""
    limits = done.limits
    if done.stopped_by == "time":
        return EarlyEnd("timeout", f"did not finish within {limits.seconds:g} s and was stopped")
    if done.stopped_by == "processor" or done.signal == signal.SIGXCPU:
        return EarlyEnd("timeout", f"used {limits.seconds:g} s of processor time and was stopped")
    if done.stopped_by == "processors":
        used = f"{limits.seconds:g} s of processor time on each of {cores()} cores"
        return EarlyEnd("timeout", f"used {used} and was stopped")
    if done.stopped_by == "waiting":
        waited = f"waited for more than {limits.longest_wait():g} s without doing any work"
        return EarlyEnd("waiting", f"{waited} and was stopped")
    if done.stopped_by == "starved":
        got = f"got {done.processor:.2g} s of processor time in {done.seconds:.0f} s"
        return EarlyEnd("starved", f"{got}, because other programs keep the cores busy")
    if done.stopped_by == "output":
        return EarlyEnd("flood", f"printed more than {_size(limits.output)} and was stopped")
    if done.stopped_by == "memory":
        reason = f"used more than {_size(limits.memory)} of memory and was stopped"
        return EarlyEnd("crashed", reason)
    if done.signal is not None:
        return EarlyEnd("crashed", f"crashed: {_crash(done.signal)}")
    return None


def end_of_run(done: Finished) -> EarlyEnd | None:
    """As early_end(), for a command that decides something about the student: raises TooBusyError
    where other programs did not let it run."""
    early = early_end(done)
    if early and early.kind == "starved":
        raise TooBusyError(errno.EBUSY, early.reason)
    return early


def shell_status(returncode: int) -> int:
    """The exit status that a shell reports for a return code of Python's subprocess module: 128 +
    the signal in place of minus the signal."""
    return returncode if returncode >= 0 else 128 - returncode


def return_code(shell_status: int) -> int:
    """The return code of Python's subprocess module for an exit status that a shell reports."""
    killed = 128 < shell_status <= 128 + signal.SIGRTMAX
    return 128 - shell_status if killed else shell_status


def _crash(number: int) -> str:
    try:
        name = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return _CRASHES.get(name, name.name)


def _size(count: int) -> str:
    return f"{count >> 30} GB" if count >= 1 << 30 else f"{count >> 20} MB"
