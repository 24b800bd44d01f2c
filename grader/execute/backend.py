"""Which backend a lab runs on: cpu, sim or gpu."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Literal, cast

from grader.model.result import Machine
from grader.model.spec import Lab

Backend = Literal["cpu", "sim", "gpu"]


class BackendError(Exception):
    """The wanted backend is not to be had. `usage`: the lab has none of that name."""

    def __init__(self, message: str, usage: bool) -> None:
        super().__init__(message)
        self.usage = usage


def choose(lab: Lab, wanted: str) -> Backend:
    """`auto` takes the GPU where one answers and nvcc is there, and never fails."""
    if wanted == "auto":
        if "gpu" in lab.backends and gpu_missing() is None:
            return "gpu"
        return cast(Backend, lab.backends[0])
    if wanted not in lab.backends:
        names = ", ".join(lab.backends)
        raise BackendError(f"{lab.id} has no backend '{wanted}'; it has {names}", usage=True)
    if wanted == "gpu" and (why := gpu_missing()):
        raise BackendError(f"{why}; --backend sim grades without one", usage=False)
    return cast(Backend, wanted)


def gpu_missing() -> str | None:
    """Why the gpu backend cannot be used here, or None when it can."""
    if shutil.which("nvcc") is None:
        return "nvcc is not installed (NVIDIA's CUDA Toolkit)"
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return "no NVIDIA driver is installed (there is no nvidia-smi)"
    try:
        seen = subprocess.run([smi, "-L"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "nvidia-smi does not answer"
    if seen.returncode != 0 or b"GPU 0" not in seen.stdout:
        return "no GPU answers"
    return None


def cpu_has(instructions: str, cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether every core's line of flags has that word. Asked of the kernel, not of the student's
    program, which could say anything to have its part skipped."""
    try:
        text = cpuinfo.read_text()
    except OSError:
        return False
    flags = [line.split(":")[1].split() for line in text.splitlines() if line.startswith("flags")]
    return bool(flags) and all(instructions in words for words in flags)


def machine(backend: Backend) -> Machine:
    """What this grade is made on."""
    compiler = "nvcc" if backend == "gpu" else "gcc" if backend == "cpu" else "g++"
    try:
        said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
        lines = said.stdout.strip().splitlines()
        version = lines[-2 if backend == "gpu" else 0] if lines else compiler
    except (OSError, IndexError):
        version = f"{compiler} (missing)"
    cores = len(os.sched_getaffinity(0))
    return Machine(platform.platform(), platform.machine(), cores, version)
