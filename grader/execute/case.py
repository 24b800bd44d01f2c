"""Runs one case in one process and reads its outputs after the process has ended.

Nothing that the process prints, returns or writes decides about the case: a run counts only when
the runner completed its protocol, and the output is judged elsewhere.
"""

from __future__ import annotations

import math
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from grader.execute import harness, sanitizers
from grader.execute.findings import FINDINGS, findings_in
from grader.execute.modes import PLAIN, SANITIZED, WITHOUT_SPINNING, Mode
from grader.model.finding import Finding
from grader.model.spec import Case, Input, Lab
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS, Array
from grader.sandbox import launcher
from grader.sandbox.bubblewrap import View
from grader.sandbox.ending import Finished, end_of_run
from grader.sandbox.limits import Limits
from grader.sandbox.workspace import create_outputs, read_output

End = Literal["completed", "no-result", "crashed", "timeout", "waiting", "flood", "our-fault"]
OUTPUT, STATUS, PROFILE, WARPS = "out.raw", "status.json", "profile.jsonl", "warps.jsonl"
# All that a run may write. The files exist before it starts; a sandbox lets it write no others.
OUTPUT_FILES = (OUTPUT, STATUS, FINDINGS, PROFILE, WARPS)
MAX_STATUS = 1 << 16  # bytes
MAX_PRINTED, MAX_LINES, MAX_LINE = 1 << 16, 200, 200  # bytes, lines, characters of each
OURS = ("convlabs-sim: ", harness.FAULT_PREFIX)  # how lines begin that are not the student's
MAX_RECORD = 1 << 20  # bytes of each of the other files


_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)")


class Status(msgspec.Struct, frozen=True):
    """What the runner says about a case: labs/common/runner/runner.h."""

    completed: bool
    returned: int
    error: str = ""  # a sentence for the student, which names the function
    outputs: list[dict[str, str]] = []
    # The function works on device memory, and the host could see so many bytes of it: copied there,
    # or in memory that both can access. None: it takes and returns memory of the host.
    seen_by_host: int | None = None


@dataclass(frozen=True)
class ArrayType:
    """Element type and shape of an output."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def bytes(self) -> int:
        return self.dtype.itemsize * math.prod(self.shape)


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `reason` completes a sentence that begins with "your program"; it is ""
    when the run was completed. Only then are there an output and a status."""

    end: End
    reason: str
    seconds: float
    output: Array | None = None
    status: Status | None = None
    findings: list[Finding] = field(default_factory=list)
    printed: Sequence[str] = ()  # lines on stdout, then those on stderr
    profile: bytes = b""  # the counters of a profiled run
    warps: bytes = b""  # one warp of each memory access of a sampled run


def run(
    lab: Lab,
    case: Input,
    binary: Path,
    inputs: Inputs,
    work: Path,
    mode: Mode = PLAIN,
    gpu: bool = False,
) -> Outcome:
    """Runs `case` once, in a new folder below `work`. Raises OSError for a fault of the machine,
    such as a full disk; TooBusyError where other programs did not let it run."""
    folder = Path(tempfile.mkdtemp(dir=work))
    try:
        dtype, shape = OPERATIONS[lab.part_of(case).operation].output(inputs.arrays)
        expected = ArrayType(np.dtype(dtype), shape)
        argv = [str(binary), "--part", case.part, *_input_options(case, inputs, folder)]
        argv += ["--out", f"out={folder}/{OUTPUT}:{dtype}:{'x'.join(map(str, shape))}"]
        argv += ["--status", f"{folder}/{STATUS}"]
        limits = Limits(
            seconds=lab.limits.seconds,
            file_size=max(expected.bytes(), MAX_RECORD),
            address_space=None if gpu else mode.address_space,  # CUDA reserves all it may need
        )
        outputs = create_outputs(folder, OUTPUT_FILES)
        view = View((binary, folder), outputs, debugger=mode.debugger, gpu=gpu)
        done = launcher.launch(argv, limits, folder, _environment(case, mode, folder), view)
        findings = findings_in(folder, binary)
        if mode is SANITIZED:
            findings += sanitizers.findings(done.stderr.decode(errors="replace"))
        outcome = replace(_outcome(done, folder, expected), findings=findings)
        profile = read_output(folder / PROFILE, MAX_RECORD)
        warps = read_output(folder / WARPS, MAX_RECORD)
        return replace(outcome, profile=profile, warps=warps)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _input_options(case: Input, inputs: Inputs, folder: Path) -> list[str]:
    """Saves the inputs in `folder`. Returns the runner's options for them and for the settings."""
    options = []
    for name, array in inputs.arrays.items():
        np.save(folder / f"{name}.npy", array)
        options += ["--in", f"{name}={folder}/{name}.npy"]
    for name, value in case.settings().items():
        options += ["--set", f"{name}={value}"]
    return options


def _environment(case: Input, mode: Mode, folder: Path) -> dict[str, str]:
    """The variables that tell the simulator, or the race detector for OpenMP (labs/common/
    openmp_race), what to check and where to write it."""
    reader = "CONVLABS_RACE_FINDINGS" if mode.openmp_races else "CONVLABS_SIM_FINDINGS"
    findings = f"{folder}/{FINDINGS}"
    env = mode.env | WITHOUT_SPINNING | {reader: findings, "CONVLABS_CRASH_FINDINGS": findings}
    if isinstance(case, Case) and case.inject:
        env["CONVLABS_SIM_INJECT"] = case.inject
    if mode.openmp_races:
        env["CONVLABS_OPENMP_TEAM"] = f"{folder}/{PROFILE}"
    if mode.stepped:
        env["CONVLABS_INSTRUCTIONS"] = f"{folder}/{PROFILE}"
    if mode.profiled:
        env["CONVLABS_SIM_PROFILE"] = f"{folder}/{PROFILE}"
    if mode.sampled:
        env["CONVLABS_SIM_WARPS"] = f"{folder}/{WARPS}"
    return env


def _outcome(done: Finished, folder: Path, expected: ArrayType) -> Outcome:
    """How the run ended, and its output when it was completed."""
    printed = [*_lines(done.stdout), *_lines(done.stderr)]

    def ended(end: End, reason: str) -> Outcome:
        return Outcome(end, reason, done.seconds, printed=printed)

    if early := end_of_run(done):
        assert early.kind != "starved"  # it raises then
        advice = "; remove the printing" if early.kind == "flood" else ""
        return ended(early.kind, early.reason + advice)
    status = harness.read_status(folder / STATUS, Status, MAX_STATUS)
    if status is None and (fault := harness.fault(done)):
        return ended("our-fault", fault)
    output = _output(folder / OUTPUT, expected)
    if done.status != 0 or status is None or not status.completed or output is None:
        return ended(
            "no-result",
            f"ended with exit status {done.status} before your function returned; "
            "a function must return to its caller and never call exit()",
        )
    return Outcome("completed", "", done.seconds, output, status, printed=printed)


def _lines(printed: bytes) -> list[str]:
    """The first lines that the student's program printed, fit for a terminal. What the simulator
    and the runner say there is in the findings and in the status."""
    text = _ESCAPE.sub("", printed[:MAX_PRINTED].decode(errors="replace")).expandtabs(4)
    return [
        "".join(c if c.isprintable() else "?" for c in line[:MAX_LINE])
        for line in text.splitlines()
        if not line.startswith(OURS)
    ][:MAX_LINES]


def _output(file: Path, expected: ArrayType) -> Array | None:
    """The output, or None when it has another size."""
    data = read_output(file, expected.bytes() + 1)
    if len(data) != expected.bytes():
        return None
    return np.frombuffer(data, dtype=expected.dtype).reshape(expected.shape)
