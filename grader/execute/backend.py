"""Chooses the backend on which a lab runs: cpu, sim or gpu."""

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Literal

from grader.model.lab import Lab
from grader.model.result import Machine

Backend = Literal["cpu", "sim", "gpu"]


class BackendError(Exception):
    """The requested backend cannot be used. usage: because the lab has none of that name."""

    def __init__(self, message: str, usage: bool) -> None:
        super().__init__(message)
        self.usage = usage


def choose(lab: Lab, name: str) -> Backend:
    """The backend of that name; "auto" is the GPU where one answers and nvcc is installed, else the
    lab's first backend. Raises BackendError, but never for "auto"."""
    if name == "auto":
        if "gpu" in lab.backends and gpu_missing() is None:
            return "gpu"
        return lab.backends[0]
    if name not in lab.backends:
        names = ", ".join(lab.backends)
        raise BackendError(f"{lab.id} has no backend '{name}'; it has {names}", usage=True)
    if name == "gpu" and (why := gpu_missing()):
        raise BackendError(f"{why}; --backend sim grades without one", usage=False)
    return name


def gpu_missing() -> str | None:
    """Why the gpu backend cannot be used here, or None when it can."""
    if shutil.which("nvcc") is None:
        return "nvcc is not installed (NVIDIA's CUDA Toolkit)"
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return "no NVIDIA driver is installed (there is no nvidia-smi)"
    try:
        listing = subprocess.run([smi, "-L"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "nvidia-smi does not answer"
    if listing.returncode != 0 or b"GPU 0" not in listing.stdout:
        return "no GPU answers"
    return None


def cpu_has(instructions: str, cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether every core has an instruction set such as "avx2", as the kernel reports it. The
    student's program is not asked: it could deny it to have its part skipped."""
    try:
        text = cpuinfo.read_text()
    except OSError:
        return False
    flags = [line.split(":")[1].split() for line in text.splitlines() if line.startswith("flags")]
    return bool(flags) and all(instructions in words for words in flags)


def machine(backend: Backend) -> Machine:
    """The machine and compiler that a grade reports."""
    compiler = "nvcc" if backend == "gpu" else "gcc" if backend == "cpu" else "g++"
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
        lines = done.stdout.strip().splitlines()
        version = lines[-2 if backend == "gpu" else 0] if lines else compiler
    except (OSError, IndexError):
        version = f"{compiler} (missing)"
    cores = len(os.sched_getaffinity(0))
    return Machine(platform.platform(), platform.machine(), cores, version)
