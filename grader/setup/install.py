"""Finds out what is missing, and installs it step by step.

Only what is missing is installed, and the stamp of build/venv (see stamp.py) is written last. So a
set-up that was interrupted or killed can simply be run again.
"""

import contextlib
import fcntl
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import exit_codes
from grader.files import remedy
from grader.setup import (
    apt,
    failure,
    nvcc,
    photograph,
    python_packages,
    simulator,
    stamp,
    system_packages,
)
from grader.setup.failure import SetupError
from grader.setup.runner import Runner, shown
from grader.setup.system_packages import Package

BUILD = Path(stamp.ROOT) / "build"
LOG = BUILD / "setup.log"


@dataclass(frozen=True)
class Missing:
    """What is not installed yet."""

    system: list[Package]
    python: bool
    photograph: bool
    nvcc: bool = False

    def __bool__(self) -> bool:
        return bool(self.system or self.python or self.photograph or self.nvcc)


def missing(flavour: str, only_system: bool = False) -> Missing:
    """What a flavour needs and this machine lacks. "run" is all that grading needs, "check" adds
    what unit tests in C need, "handouts" what makes the pages of `make handouts`, "dev" what
    `make test` needs, "pages" what the tests of pages need as well, "bench" what make bench
    compares with, "charts" what draws the charts of ./grade report, "nvcc" NVIDIA's compiler.
    only_system: leave out what is not a system package."""
    return Missing(
        system=[p for p in system_packages.packages(flavour) if not p.present()],
        python=not only_system and not python_packages.ready(_environment(flavour)),
        photograph=not only_system and photograph.problem() != "",
        nvcc=flavour == "nvcc" and not only_system and not nvcc.ready(),
    )


def _environment(flavour: str) -> str:
    """The flavour of build/venv: some need no Python packages of their own."""
    return "run" if flavour in ("check", "nvcc") else flavour


def set_up(flavour: str, only_system: bool = False) -> int:
    """Installs what a flavour needs. Returns the exit status; every reason has been printed."""
    # SIGTERM ends a set-up like Ctrl-C: it stops the current command and waits for it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with _alone() as lock:
            _install(missing(flavour, only_system), flavour, lock)
    except KeyboardInterrupt:
        _report(f"interrupted; to continue, {failure.AGAIN}")
        return exit_codes.INTERRUPTED
    except SetupError as error:
        _report(_explained(error))
        return exit_codes.FAULT
    except OSError as error:
        advice = remedy(error) or "fix that"
        where = shown(Path(error.filename)) if error.filename else shown(BUILD)
        _report(f"cannot write {where}: {error.strerror}; {advice}, then {failure.AGAIN}")
        return exit_codes.FAULT
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return 0


@contextlib.contextmanager
def _alone() -> Iterator[int]:
    """Holds build/.setup.lock, after waiting for another set-up of this folder. Yields its file
    descriptor."""
    BUILD.mkdir(exist_ok=True)
    descriptor = os.open(BUILD / ".setup.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _report(
                f"another set-up of this folder is running; waiting for it. Its log: {shown(LOG)}"
            )
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _install(needed: Missing, flavour: str, lock: int) -> None:
    """Carries out the steps that are needed. Raises SetupError, or OSError where a file cannot be
    written."""
    if not needed:
        return
    if os.environ.get("CONVLABS_TESTED") == stamp.ROOT:
        raise SetupError(
            "the tests of this folder are running, and must not change what they run in",
            "wait until they end, then run ./grade setup",
        )
    began = time.monotonic()
    become = apt.prefix(needed.system) if needed.system else []
    LOG.write_text("")
    steps: list[tuple[str, Callable[[Runner], None]]] = []
    if needed.system:
        steps.append((apt.title(needed.system), lambda r: apt.install(needed.system, become, r)))
    environment = _environment(flavour)
    # The other flavours are for tests, which compile more than this themselves.
    compiles = needed.python and flavour in ("run", "check") and simulator.is_missing()
    with contextlib.ExitStack() as running:
        make: list[simulator.Make] = []

        def install_packages(runner: Runner) -> None:
            if compiles:  # which needs what the step before has installed
                make.append(running.enter_context(simulator.compiling()))
            python_packages.install(environment, runner)

        if needed.python:
            steps.append((python_packages.title(environment), install_packages))
        if needed.nvcc:
            steps.append((nvcc.TITLE, nvcc.install))
        if needed.photograph:
            steps.append((photograph.TITLE, photograph.fetch))
        if compiles:
            steps.append((simulator.TITLE, lambda r: simulator.wait(make[0], r)))
        runner = Runner(LOG, len(steps), lock)
        runner.note(f"convlabs: setting up, once; the log is {shown(LOG)}", indent="")
        for title, step in steps:
            with runner.step(title):
                step(runner)
    runner.note(f"convlabs: set up in {time.monotonic() - began:.0f} s", indent="")


def _explained(error: SetupError) -> str:
    """What went wrong, the last lines of the command's output, and what to do."""
    text = str(error)
    if error.output:
        lines = "\n".join(f"    {line}" for line in failure.error_lines(error.output))
        text += f"\n\nFrom the log, {shown(LOG)}:\n{lines}\n"
    return f"{text}\nWhat to do: {error.advice}"


def _report(text: str) -> None:
    print(f"grade: {text}", file=sys.stderr, flush=True)
