"""The key of a cached grade and its page: the hash of everything that they depend on."""

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from grader.execute import backend as backends
from grader.execute.backend import Backend
from grader.model import course_key
from grader.model.lab import Lab
from grader.model.prediction import PredictedSpeed
from grader.sandbox import choice


@dataclass(frozen=True)
class Options:
    """What the instructor asked for. `seconds`: the time limit of a case; None: the lab's own.
    `seeds`: the course's own hidden seeds, by lab."""

    backend: str = "auto"
    timed: bool = True
    seconds: float | None = None
    pages: bool = True  # a report.html for each submission; decides no grade
    seeds: Mapping[str, int] = field(default_factory=dict)
    prediction: PredictedSpeed = "shown"  # the course's predicted_speed


def made_by(lab: Lab, backend: Backend, options: Options) -> dict[str, str]:
    """All that decides the grade of a submission besides its files: a hash or a text of each, by
    its name in words. The hidden seed can be found from its hash: nothing for students."""
    asked = {
        "whether speed is measured": options.timed,
        "the time limit": options.seconds,
        "whether speed is predicted": options.prediction,
        "the hidden seed": options.seeds.get(lab.id),
        "the backend": backend,
        "the sandbox": choice.name(backend == "gpu"),
        "the machine": machine(backend),
    }
    hashes = {
        name: hashlib.sha256(repr(value).encode()).hexdigest() for name, value in asked.items()
    }
    return course_key.parts(lab.id) | hashes


def key(lab: Lab, made: Mapping[str, str], files: Mapping[str, bytes]) -> str:
    """The key of the grade of these files, by name, as one lab. made: what made_by() says."""
    whole = hashlib.sha256(repr((lab.id, sorted(made.items()))).encode())
    for name, content in sorted(files.items()):
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


@cache
def machine(backend: Backend) -> tuple[object, ...]:
    """What of this machine decides a grade: Python, compilers, processor, cores and GPUs. (The
    versions of the Python packages are in a lock file, which is a part of the course.)"""
    used: set[Backend] = {"cpu", "sim", backend}  # a lab for GPUs may have a part for the CPU
    machines = [backends.machine(each) for each in sorted(used)]
    compilers = [each.compiler for each in machines]
    gpus = _gpus() if backend == "gpu" else ""
    return (sys.version, *compilers, _processor(), machines[0].cores, gpus)


def _processor() -> list[str]:
    """The processor's model and instruction sets: some parts are graded only where it has AVX."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})


def _gpus() -> str:
    """The GPUs and their driver, in words; "" when nvidia-smi does not answer."""
    argv = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
