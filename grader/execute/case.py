"""Runs one case in one process and reads its outputs after the process has ended.

Nothing that the process prints, returns or writes decides about the case: a run counts only when
the runner completed its protocol, and the output is judged elsewhere.
"""

import math
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
import numpy as np

from grader.execute import evidence, free_space, records, sanitizers, with_evidence
from grader.execute.evidence import Evidence
from grader.execute.finding_lines import findings_in
from grader.execute.modes import PLAIN, SANITIZED, Mode
from grader.model import plain_text
from grader.model.finding import Finding
from grader.model.lab import Input, Lab
from grader.oracle import operations
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array
from grader.sandbox.ending import Finished, end_of_run
from grader.sandbox.limits import WITHOUT_DEVICE, Limits
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs, read_output

End = Literal["completed", "no-result", "crashed", "timeout", "waiting", "flood", "our-fault"]
OUTPUT = "out.raw"
# All that a run may write. The file exists before it starts; a sandbox lets it write no other.
OUTPUT_FILES = (OUTPUT,)
MAX_PRINTED, MAX_LINES, MAX_LINE = 1 << 16, 200, 200  # bytes, lines, characters of each
NPY, PAGE = b"\x93NUMPY\x01\x00", 4096  # how a .npy file begins; bytes
STOPPED = 3  # exit status after a finding: labs/sim/src/calls/call_targets.h, trace/confinement.c
OURS = ("convlabs-sim: ", "runner: ")  # how lines begin that are not the student's


class Status(msgspec.Struct, frozen=True):
    """What the runner says about a case: labs/runtime/runner/runner.h."""

    completed: bool
    returned: int
    error: str = ""  # a sentence for the student, which names the function
    outputs: list[dict[str, str]] = []
    # The function works on device memory, and the host could see so many bytes of it: copied there,
    # or in memory that both can access. None: it takes and returns memory of the host.
    seen_by_host: int | None = None
    not_copied: int = 0  # bytes of the host's input that never were on the device as they are
    # The calls of the CUDA runtime that could fail, and where they are: name, line (0: not known),
    # the numbers of the first and of the last.
    calls: int = 0
    sites: list[tuple[str, int, int, int]] = []


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
    when the run was completed. Only then are there an output, if it was kept, and a status."""

    end: End
    reason: str
    seconds: float
    output: Array | None = None
    status: Status | None = None
    findings: list[Finding] = field(default_factory=list)
    printed: Sequence[str] = ()  # lines on stdout, then those on stderr
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def profile(self) -> bytes:
        """The counters of a profiled run, a line of JSON for each launch."""
        return self.evidence.lines(evidence.PROFILE)

    @property
    def steps(self) -> bytes:
        """What CONVLABS_SIM_STEPS asked for: lines of step_lines.py."""
        return self.evidence.lines(evidence.STEPS)


class CallsBefore(Protocol):
    """Calls that a program makes before the case, in the same process."""

    def write(self, folder: Path) -> list[str]:
        """Writes what they need to the folder. Returns the runner's options for them."""

    def __len__(self) -> int: ...


def run_case(
    lab: Lab,
    case: Input,
    binary: Path,
    inputs: Inputs,
    work: Path,
    mode: Mode = PLAIN,
    gpu: bool = False,
    before: CallsBefore | None = None,
    inject: str | None = None,
) -> Outcome:
    """Runs `case` once, in a new folder below `work`, after the calls of `before`, of which nothing
    is in the outcome. inject: NAME:N, the call of the CUDA runtime that fails. Raises OSError for a
    fault of the machine, such as a full disk; TooBusyError where other programs did not let it
    run."""
    folder = Path(tempfile.mkdtemp(dir=work))
    try:
        expected = expected_of(lab, case, inputs)
        argv = [str(binary), *([*before.write(folder), "--then"] if before else [])]
        argv += arguments(case, inputs, folder, expected, keeps=mode.output)
        limits = Limits(
            seconds=lab.limits.seconds,
            waiting=None if gpu else WITHOUT_DEVICE,
            file_size=expected.bytes(),
            address_space=None if gpu else mode.address_space,  # CUDA reserves all it may need
        )
        outputs = create_outputs(folder, OUTPUT_FILES)
        view = View((binary, folder), outputs, debugger=mode.debugger, gpu=gpu)
        kept = expected if mode.output else None
        done, reported = with_evidence.launch(argv, limits, folder, mode, view, inject)
        outcome = _outcome(done, reported, folder, kept)
        if reported.claims_full_disk() and outcome.end == "no-result":
            # It may have been full for a moment. What happens again is the program's own doing.
            done, reported = with_evidence.launch(argv, limits, folder, mode, view, inject)
            outcome = _outcome(done, reported, folder, kept)
        reported = reported.after(evidence.STATUS, len(before)) if before else reported
        findings = findings_in(reported.lines(evidence.FINDING), binary)
        if mode is SANITIZED:
            findings += sanitizers.findings(done.stderr.decode(errors="replace"), reported)
        return replace(outcome, findings=findings, evidence=reported)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def expected_of(lab: Lab, case: Input, inputs: Inputs) -> ArrayType:
    """What a case writes."""
    dtype, shape = operations.of(lab, case.part).output(inputs.arrays)
    return ArrayType(np.dtype(dtype), shape)


def arguments(
    case: Input, inputs: Inputs, folder: Path, expected: ArrayType, keeps: bool = True
) -> list[str]:
    """Saves the inputs in `folder`. Returns the runner's options for the case. keeps: its output is
    written to the folder."""
    sides = "x".join(map(str, expected.shape))
    kind = f"{expected.dtype.kind}{expected.dtype.itemsize}"
    output = f"out={f'{folder}/{OUTPUT}' if keeps else '-'}:{kind}:{sides}"
    return ["--part", case.part, *input_options(case, inputs, folder), "--out", output]


def input_options(case: Input, inputs: Inputs, folder: Path) -> list[str]:
    """Saves the inputs in `folder`. Returns the runner's options for them and for the settings."""
    options = []
    for name, array in inputs.arrays.items():
        band = inputs.bands.get(name)
        save(folder / f"{name}.npy", array if band is None else band)
        options += ["--in", f"{name}={folder}/{name}.npy"]
        if band is not None:
            options += ["--repeat", f"{name}={'x'.join(map(str, array.shape))}"]
    for name, value in case.settings().items():
        options += ["--set", f"{name}={value}"]
    return options


def save(file: Path, array: Array) -> None:
    """np.save(), with a header of a whole page: the runner shows the pages behind it."""
    head = f"{{'descr': {array.dtype.str!r}, 'fortran_order': False, 'shape': {array.shape}, }}"
    text = head.encode().ljust(PAGE - len(NPY) - 3) + b"\n"
    with file.open("wb") as stream:
        stream.write(NPY + len(text).to_bytes(2, "little") + text)
        stream.write(np.ascontiguousarray(array).data)  # tofile() would not say that a disk is full


def _outcome(
    done: Finished, reported: Evidence, folder: Path, expected: ArrayType | None
) -> Outcome:
    """How the run ended, and its output when it was completed. expected: of the output; None where
    it was not kept."""
    size = expected.bytes() if expected else 0
    printed = printed_lines(done)

    def ended(end: End, reason: str) -> Outcome:
        return Outcome(end, reason, done.seconds, printed=printed)

    if early := end_of_run(done):
        assert early.kind != "starved"  # it raises then
        advice = "; remove the printing" if early.kind == "flood" else ""
        return ended(early.kind, early.reason + advice)
    if fault := reported.our_fault(lambda: free_space.is_full(folder, size)):
        return ended("our-fault", fault)
    status = records.readable(reported.last(evidence.STATUS), Status)
    output = read_array(folder / OUTPUT, expected) if expected else None
    if not reported.is_complete() or status is None or (expected and output is None):
        return ended("no-result", without_result(done, reported))
    return Outcome("completed", "", done.seconds, output, status, printed=printed)


def without_result(done: Finished, reported: Evidence) -> str:
    """Why a program that ended by itself left no result; completes a sentence that begins with
    "your program"."""
    if reported.damaged:
        return "wrote to memory or files of the grader; remove the code that does"
    if reported.claims_full_disk():
        return (
            f"was called, and then the runner could not write its result: "
            f"{reported.students_fault()}. There is enough space, so your code is the cause: "
            f"does it write outside its arrays, or use a resource that it does not own?"
        )
    if problem := reported.students_fault():
        return f"was called, and then the runner could not continue: {problem}"
    if done.status == STOPPED and reported.of(evidence.FINDING):
        return "was stopped before your function returned, at what no program may access or call"
    return (
        f"ended with exit status {done.status} before your function returned; "
        "a function must return to its caller and never call exit()"
    )


def printed_lines(done: Finished) -> list[str]:
    """What the student's program printed: on stdout, then on stderr."""
    return [*_lines(done.stdout), *_lines(done.stderr)]


def _lines(printed: bytes) -> list[str]:
    """The first lines that the student's program printed, fit for a terminal. What the simulator
    and the runner say there is in the findings and in the status."""
    text = printed[:MAX_PRINTED].decode(errors="replace")
    # As they are shown: a tab or an escape must not hide how a line will begin.
    lines = (plain_text.line(line, MAX_LINE) for line in text.splitlines())
    return [line for line in lines if not line.startswith(OURS)][:MAX_LINES]


def read_array(file: Path, expected: ArrayType) -> Array | None:
    """The output, or None when it has another size."""
    data = read_output(file, expected.bytes() + 1)
    if len(data) != expected.bytes():
        return None
    return np.frombuffer(data, dtype=expected.dtype).reshape(expected.shape)
