"""Builds baseline, reference and expert of a lab as shared objects, and calls their functions.

Each is opened with names of its own (RTLD_LOCAL), so all three may define the same functions. The
rules for make are in rules.mk; the flags are those with which a submission is timed.
"""

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import paths
from labs.studies.bench import machine

FOLDER = paths.BUILD / "bench"
SIDES = ("baseline", "reference", "expert")
Values = Mapping[str, Any]  # the arguments of the labs' functions by their names, as ctypes


class BuildError(Exception):
    """make failed. The message contains its output."""


class CallError(Exception):
    """A function returned an error."""


class Weights(ctypes.Structure):
    """struct weights of lab 8's lab.h."""

    _fields_ = (("r", ctypes.c_int), ("g", ctypes.c_int), ("b", ctypes.c_int))


@dataclass(frozen=True)
class Part:
    """What is called for a part of a lab. call: a function and the names of its arguments, as in
    "correlate_rows image width height mask radius border out". prepare: what is called once before,
    and not timed. expert: whether the lab's expert has this part, not the reference's."""

    lab: str
    id: str
    call: str
    prepare: str = ""
    baseline: str = ""
    baseline_prepare: str = ""
    expert: bool = False

    def of(self, side: str) -> tuple[str, str]:
        """Call and preparation of a side; the call is "" where the side has none."""
        if side == "baseline":
            return self.baseline, self.baseline_prepare
        if side == "expert" and not self.expert:
            return "", ""
        return self.call, self.prepare


def folder(lab: str) -> Path:
    """labs/labN_* of a lab such as "lab3"."""
    return next((paths.ROOT / "labs").glob(f"{lab}_*"))


def sources(lab: str, side: str, suffix: str) -> Path | None:
    """The source of a side, None where there is none."""
    home = folder(lab)
    if side == "baseline":
        found = [home / f"baseline{suffix}"]
    elif side == "expert":
        found = [paths.ROOT / "solutions" / home.name / f"expert{suffix}"]
    else:
        found = [
            file
            for file in sorted((paths.ROOT / "solutions" / home.name).glob(f"*{suffix}"))
            if not file.stem.startswith("expert")
        ]
    return next((file for file in found if file.exists()), None)


def make(*arguments: str) -> None:
    """Calls make. Raises BuildError."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    command = ["make", "-C", str(paths.ROOT), *arguments, f"PYTHON={sys.executable}"]
    process = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed:\n{process.stdout[-4000:]}")


def architecture() -> list[str]:
    """What the environment says of nvcc's -arch, for make."""
    return [f"GPU_ARCH={os.environ['GPU_ARCH']}"] if "GPU_ARCH" in os.environ else []


def build(wanted: Iterable[tuple[str, str, str]], backend: str) -> dict[tuple[str, str], Path]:
    """Builds sides, each a lab, a side and the suffix of its source, several at a time. Returns
    the shared objects of those that have a source. Raises BuildError."""
    jobs = {
        (lab, side): source
        for lab, side, suffix in wanted
        if (source := sources(lab, side, suffix)) is not None
    }

    def one(job: tuple[tuple[str, str], Path]) -> tuple[tuple[str, str], Path]:
        (lab, side), source = job
        return (lab, side), compiled(lab, side, source, backend)

    with ThreadPoolExecutor(machine.cores()) as pool:
        return dict(pool.map(one, jobs.items()))


def compiled(lab: str, side: str, source: Path, backend: str, flags: str = "") -> Path:
    """The shared object of a source, built as a submission to the lab is, with more `flags`. Raises
    BuildError."""
    out = FOLDER / backend / lab
    make(
        "bench-side",
        f"LAB={folder(lab).name}",
        f"BACKEND={backend}",
        f"SOURCE={source.relative_to(paths.ROOT)}",
        f"OUT={out.relative_to(paths.ROOT)}",
        f"SIDE={side}",
        f"FLAGS={flags}",
        *architecture(),
    )
    return out / f"{side}.so"


def bind(library: ctypes.CDLL, call: str, values: Values, cuda: bool) -> Callable[[], object]:
    """A function without arguments that makes the call. cuda: the function returns an error, for
    which CallError is raised; others return nothing."""
    name, *names = call.split()
    function = library[name]
    function.restype = ctypes.c_int if cuda else None
    arguments = [values[name] for name in names]

    def checked() -> None:
        if (error := function(*arguments)) != 0:
            raise CallError(f"{name}() returned the CUDA error {error}")

    return checked if cuda else lambda: function(*arguments)


def rotate(calls: Sequence[Callable[[], object]]) -> Callable[[], object]:
    """Makes one call of each in turn."""
    state = [0]

    def next_call() -> object:
        state[0] = (state[0] + 1) % len(calls)
        return calls[state[0]]()

    return next_call
