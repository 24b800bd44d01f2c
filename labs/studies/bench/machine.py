"""This machine: processor, memory, compiler and GPU."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path


def _first_line(*command: str) -> str:
    """The first line that a command prints, or "" if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip().split("\n")[0]


def _field(path: str, name: str) -> str:
    """The value of the first line "name: value" in a file, or "" if there is none."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    match = re.search(rf"^{name}\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else ""


def free_memory() -> int:
    """Bytes that a program can use without swapping."""
    text = _field("/proc/meminfo", "MemAvailable")
    return int(text.split()[0]) * 1024 if text else 0


def cores() -> int:
    return len(os.sched_getaffinity(0))


def describe() -> dict[str, str | int]:
    return {
        "cpu": _field("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": cores(),
        "system": platform.system() + " " + platform.machine(),
        "compiler": _first_line("gcc", "--version"),
    }


def processor_flags() -> list[str]:
    """What Linux says an x86-64 processor has, such as "avx2"; [] for any other."""
    return _field("/proc/cpuinfo", "flags").split()


def fuses() -> bool:
    """Whether g++ can fuse a product and a sum on this processor, as nvcc does by default."""
    return platform.machine() == "aarch64" or "fma" in processor_flags()


def gpu() -> tuple[dict[str, str] | None, str]:
    """The GPU with its driver and compiler, or None and the reason why it cannot be used."""
    query = _first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    if not query:
        return None, "needs a GPU"
    nvcc = os.environ.get("NVCC", "nvcc")
    if shutil.which(nvcc) is None:
        return None, "needs nvcc on PATH"
    printed = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"V([0-9.]+)", printed)
    name, driver = query.rsplit(", ", 1)
    return {"name": name, "driver": driver, "nvcc": version[1] if version else "?"}, ""
