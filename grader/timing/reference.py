"""The course's solution as a student's copy may have it: objects, compiled in advance.

labs/LAB/reference/ has an object of each file of the solution and each kind of machine, without
names, for timing alone: grader/release/objects.py makes them. The repository has none; it compiles
the solution beside the submission.
"""

import platform
import re
import subprocess
from functools import cache
from pathlib import Path

from grader import paths
from grader.execute import backend
from grader.model.lab import Lab

PREFIX = "convlabs_reference_"  # before the names in an object: BENCH_PREFIX of bench.h

# The levels of x86-64 that C is compiled for, the best first, and what a processor of each must
# have, by the names in /proc/cpuinfo.
V3 = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe")
X86_64 = {
    "x86-64-v4": (*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": V3,
    "x86-64": (),
}
AARCH64 = "aarch64"
# What gcc tunes code for, of the processors of the upper two levels. A student's file is compiled
# for the processor that it runs on. Our solution of lab 1, compiled on an AMD EPYC with AVX-512 for
# that very processor, has 0.89 to 1.01 times the speed of an object without tuning, and 1.00 times
# that of the object with the same tuning.
TUNED = ("x86-64-v4", "x86-64-v3")
TUNES = (
    *("haswell", "broadwell", "skylake", "skylake-avx512", "cascadelake", "cooperlake"),
    *("icelake-client", "icelake-server", "tigerlake", "rocketlake", "sapphirerapids"),
    *("alderlake", "raptorlake", "meteorlake", "arrowlake", "graniterapids"),
    *("znver1", "znver2", "znver3", "znver4", "znver5"),
)


def path(lab: Lab, file: str, kind: str) -> Path:
    """Where the object of a file of the solution is, for a kind of machine."""
    return paths.LABS / lab.folder / "reference" / f"{file}.{kind}.o"


def has_source(lab: Lab, file: str) -> bool:
    """Whether this copy has the solution itself."""
    return (paths.SOLUTIONS / lab.folder / file).exists()


def find_object(lab: Lab, file: str) -> Path | None:
    """The best object that this machine may run; None where the copy has the solution itself, or
    no object for this machine."""
    if has_source(lab, file):
        return None
    objects = (path(lab, file, kind) for kind in _kinds(file))
    return next((found for found in objects if found.is_file()), None)


def _kinds(file: str) -> list[str]:
    """The kinds of objects that this machine may run, the best first."""
    machine = platform.machine()
    if machine != "x86_64":
        return [machine]
    if file.endswith(".cu"):
        return ["x86-64"]
    levels = [level for level, needs in X86_64.items() if all(map(backend.cpu_has, needs))]
    return [kind for level in levels for kind in (f"{level}.{_tune()}", level)]


@cache
def _tune() -> str:
    """What this machine's gcc tunes code for when it compiles for this machine."""
    argv = ["gcc", "-march=native", "-Q", "--help=target"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError:
        return "generic"
    found = re.search(r"^\s+-mtune=\s+(\S+)$", done.stdout, re.MULTILINE)
    return found[1] if found else "generic"
