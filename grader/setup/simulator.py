"""Compiles the simulator while the packages load: the first build of a lab would wait for it."""

import contextlib
import fcntl
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from grader.setup import stamp
from grader.setup.runner import Runner, ending

ROOT = Path(stamp.ROOT)
TITLE = "the simulator, which is compiled meanwhile"
LOG = ROOT / "build" / "simulator.log"
LOCK = ROOT / "build" / ".make.lock"  # of every build of the course's own parts
LIBRARY = ROOT / "build" / "lib" / "plain" / "libsim.a"
Make = subprocess.Popen[bytes] | None  # None where the first build compiles


def is_missing() -> bool:
    """Is there something to compile?"""
    return (ROOT / "Makefile").exists() and not LIBRARY.exists()


@contextlib.contextmanager
def compiling() -> Iterator[Make]:
    """Starts make, and ends it with the block if it still runs. None where it cannot start, or
    while another make runs."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as lock, LOG.open("wb") as log:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        command = ["make", "--no-print-directory", f"-j{os.cpu_count() or 1}", "libraries"]
        try:
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        except OSError:
            yield None
            return
        with ending(process):
            yield process


def wait(process: Make, runner: Runner) -> None:
    """Shows how far make is until it ends. Where it fails, the first build says why."""
    while process is not None and process.poll() is None:
        runner.doing(f"compiled {LOG.read_bytes().count(b'  CC ')} files")
        time.sleep(0.2)
    if process is not None and process.returncode:
        runner.note(f"it does not compile; the first grade says why, and {LOG.name} in build/")
