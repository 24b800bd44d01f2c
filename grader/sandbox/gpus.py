"""One program at a time uses a GPU, and in a bulk run the GPU is checked before and after it.

Another program could take all of a GPU's memory, so each GPU has a lock. A program that damages the
GPU for those after it must not decide their grades: a small program with a known answer
(known_answer.cu) runs before and after. Where its answer is wrong before, the machine is at fault;
where it is wrong after, the program that ran between is not graded.
"""

import errno
import fcntl
import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.sandbox import choice
from grader.sandbox.known_answer import GpuError, known_answer

LOCKS = paths.BUILD / "gpu"
INFORMATION = Path("/proc/driver/nvidia/gpus")
VISIBLE = "CUDA_VISIBLE_DEVICES"
BETWEEN_TRIES = 0.1  # seconds
FRESH = 60.0  # seconds for which a right answer counts, if no other program has used the GPU since
LONGEST = 60.0  # seconds that the known answer may take; it takes less than one


@dataclass(frozen=True)
class Gpu:
    """A GPU. name: for CUDA_VISIBLE_DEVICES; "" where it is the only one and need not be named.
    minor: N of /dev/nvidiaN; None: unknown."""

    name: str = ""
    minor: int | None = None

    def environment(self) -> dict[str, str]:
        return {VISIBLE: self.name} if self.name else {}


def gpus() -> list[Gpu]:
    """The GPUs that programs may use: those that the user has chosen, or all."""
    if chosen := os.environ.get(VISIBLE, ""):
        return [Gpu(name) for name in chosen.split(",") if name]
    every = [_described(file.read_text()) for file in sorted(INFORMATION.glob("*/information"))]
    return every if len(every) > 1 else [Gpu()]


def _described(information: str) -> Gpu:
    fields = dict(re.findall(r"^(.+?):\s*(.+?)\s*$", information, re.MULTILINE))
    return Gpu(fields["GPU UUID"], int(fields["Device Minor"]))


@contextmanager
def one_gpu() -> Iterator[Gpu]:
    """A GPU that no other program of this checkout uses; waits until there is one. In a bulk run it
    is checked before and after. Raises GpuError."""
    gpu, lock = _locked(gpus())
    try:
        checked = choice.probed() is not None
        if checked:
            _check_before(gpu, lock)
        os.ftruncate(lock, 0)
        yield gpu
        if checked:
            _check_after(gpu, lock)
    finally:
        os.close(lock)


def _locked(usable: list[Gpu]) -> tuple[Gpu, int]:
    """The first GPU that is free, and the descriptor of its lock."""
    LOCKS.mkdir(parents=True, exist_ok=True)
    while True:
        for gpu in usable:
            file = LOCKS / f"{re.sub(r'[^A-Za-z0-9.-]', '_', gpu.name) or 'only'}.lock"
            lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if len(usable) == 1 else fcntl.LOCK_NB))
            except BlockingIOError:
                os.close(lock)
                continue
            return gpu, lock
        time.sleep(BETWEEN_TRIES)


def _check_before(gpu: Gpu, lock: int) -> None:
    """Raises GpuError where the answer is wrong twice. The lock's file says when it was right."""
    last = os.pread(lock, 64, 0).decode()
    if last and 0 <= _now() - float(last) < FRESH:
        return
    if _problem(gpu) and (problem := _problem(gpu)):
        raise GpuError(errno.EIO, f"the GPU does not compute a known sum ({problem})")


def _check_after(gpu: Gpu, lock: int) -> None:
    """Raises GpuError where the answer is wrong; then the GPU is checked once more, to say whether
    it has recovered."""
    problem = _problem(gpu)
    if problem:
        state = "still does not" if _problem(gpu) else "then did again"
        raise GpuError(
            errno.EIO,
            f"after this program the GPU did not compute a known sum ({problem}), and {state}; "
            "look at the program before you grade it",
        )
    os.pwrite(lock, str(_now()).encode(), 0)


def _now() -> float:
    """Seconds since the machine was started: every grader on it has the same clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _problem(gpu: Gpu) -> str:
    """What is wrong with a GPU; "" when it gives the known answer."""
    try:
        argv = [str(known_answer())]
        environment = os.environ | gpu.environment()
        done = subprocess.run(
            argv, env=environment, capture_output=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {LONGEST:.0f} s"
    if done.returncode == 0:
        return ""
    said = done.stderr.decode(errors="replace").strip()[:200]
    return said or ("a wrong sum" if done.returncode == 1 else f"exit status {done.returncode}")
