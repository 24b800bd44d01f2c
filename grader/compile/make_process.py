"""Runs make, for a folder one at a time, and says why it cannot or could not run."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from grader import paths
from grader.compile import staging
from grader.compile.compiler_messages import disk_error
from grader.model import plain_text
from grader.sandbox import launcher, priority
from grader.sandbox.ending import Finished, early_end
from grader.sandbox.limits import Limits
from grader.sandbox.view import View

FILES = 2  # of a lab, which are compiled at the same time
TOOLS = ("g++", "gcc", "as", "ld", "ar", "bash")  # that the rules of make call


Made = TypeVar("Made")


@dataclass(frozen=True)
class Waiting(Generic[Made]):
    """Waits for something that is being made, and returns it. has_ended: would it at once?"""

    wait: Callable[[], Made]
    has_ended: Callable[[], bool]

    def __call__(self) -> Made:
        return self.wait()


class BuildError(Exception):
    """A part of the course does not build. `log` is what make printed."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log


class MachineBusyError(BuildError):
    """Other programs left the compiler too little of the processor to build anything."""


def run_make(
    rules: list[str],
    variables: dict[str, str],
    limits: Limits,
    verbose: bool,
    env: dict[str, str] | None = None,
) -> Finished:
    """Runs make with rules and variables of submission.mk to its end. Raises BuildError."""
    with start(rules, variables, limits, verbose, env) as wait:
        return wait()


@contextlib.contextmanager
def start(
    rules: list[str],
    variables: dict[str, str],
    limits: Limits,
    verbose: bool,
    env: dict[str, str] | None = None,
    view: View | None = None,
    nice: int = 0,
    at_a_time: int = FILES,
) -> Iterator[Waiting[Finished]]:
    """Starts make, and yields what waits for its end. Both may raise BuildError. nice: how much it
    lets others go first. at_a_time: how many files it compiles."""
    argv = ["nice", f"-n{nice}"] if nice else []
    argv += ["make", "--no-print-directory", f"-j{max(at_a_time, len(rules))}", "-Otarget", *rules]
    argv += [f"{k}={v}" for k, v in variables.items()]
    argv += ["V=1"] if verbose else []
    with contextlib.ExitStack() as stack:
        with _available():
            running = stack.enter_context(launcher.start(argv, limits, paths.ROOT, env, view))
        if nice:
            priority.of_session(running.process.pid, nice)

        def wait() -> Finished:
            with _available():
                done = running.wait()
            if verbose:
                log = done.stdout.decode(errors="replace")  # .print in a file prints there, too
                print(plain_text.document(log), end="", flush=True)
            return done

        yield Waiting(wait, running.has_ended)


@contextlib.contextmanager
def _available() -> Iterator[None]:
    """Turns an OSError of the launcher into a BuildError."""
    try:
        yield
    except OSError as problem:
        message = f"make cannot be run: {problem.strerror}; try ./grade doctor"
        raise BuildError(message, "") from problem


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one of several graders in this checkout runs make for a folder at a time."""
    try:
        lock = staging.lock(folder)
    except OSError as problem:
        message = f"{folder} cannot be written: {problem.strerror}; try ./grade doctor"
        raise BuildError(message, "") from problem
    with lock:
        yield


def must_have_run(done: Finished) -> None:
    """Raises MachineBusyError where other programs did not let make run."""
    early = early_end(done)
    if early and early.kind == "starved":
        raise MachineBusyError(f"the compiler {early.reason}", "")


def fault_of_machine(log: str) -> str | None:
    """Why no compiler can work on this machine now, and what to do; None when it can."""
    absent = [name for name in TOOLS if shutil.which(name) is None]
    if absent:
        return f"{', '.join(absent)}: not found on this machine; try ./grade doctor"
    if reason := disk_error(log):
        where = f"to build/ or {tempfile.gettempdir()}"
        return f"the compiler cannot write {where}: {reason}; free some space"
    return None
