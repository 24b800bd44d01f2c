"""Runs one case in one process and reads what it left, once it is dead.

Nothing that the process printed, returned or wrote decides about it: a run counts only when the
runner completed its protocol, and the output is then judged elsewhere.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from grader import paths
from grader.execute import addr2line as lines
from grader.execute import sanitizers
from grader.model.finding import Finding
from grader.model.spec import Case, Input, Lab
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS, Array
from grader.sandbox import launcher
from grader.sandbox.bubblewrap import View, give

End = Literal["completed", "no-result", "crashed", "timeout", "flood", "our-fault"]
MAX_TEXT = 1 << 20
MAX_FINDINGS = 50
RUNNER = "runner: "  # how the runner's own complaints begin


class Status(msgspec.Struct, frozen=True):
    """The runner's own word on a case: labs/common/runner/runner.h."""

    completed: bool
    returned: int
    error: str = ""  # a sentence for the student, which names the function
    outputs: list[dict[str, str]] = []


@dataclass(frozen=True)
class Wanted:
    """Element type and shape of the output."""

    kind: np.dtype[Any]
    shape: tuple[int, ...]

    def bytes(self) -> int:
        return self.kind.itemsize * math.prod(self.shape)


@dataclass(frozen=True)
class Outcome:
    """How one run ended. `output` is there only when it was completed."""

    end: End
    reason: str
    seconds: float
    output: Array | None = None
    status: Status | None = None
    findings: list[Finding] = field(default_factory=list)
    printed: str = ""
    profile: bytes = b""  # what a traced run counted
    warps: bytes = b""  # a warp of each of its accesses, where they were asked for


@dataclass(frozen=True, eq=False)
class Mode:
    """How a binary is run. `counted`: it is a traced one and leaves its counters; `pictured`: and a
    warp of each access. There are seven, below; each is equal to itself only."""

    env: dict[str, str] = field(default_factory=dict)
    counted: bool = False
    pictured: bool = False
    address_space: int | None = launcher.ADDRESS_SPACE
    debugger: bool = False  # it looks at its own threads, with ptrace
    raced: bool = False  # its threads run one at a time, and races between them are found


# One thread of the host: what a traced run counts and finds does not depend on the cores.
_TRACED = {"CONVLABS_SIM_THREADS": "1", "CONVLABS_SIM_CHECK": "1"}
PLAIN = Mode()
REVERSED = Mode({"CONVLABS_SIM_ORDER": "reverse"})
TRACED = Mode(_TRACED, counted=True)
PICTURED = Mode(_TRACED, counted=True, pictured=True)
BACKWARDS = Mode(_TRACED | {"CONVLABS_SIM_ORDER": "reverse"})
# AddressSanitizer reserves terabytes of addresses for its shadow.
RACED = Mode(raced=True)
SANITIZED = Mode({"ASAN_OPTIONS": "detect_leaks=1"}, address_space=None, debugger=True)
# All that a run may write. They are there before it, and are all that it can write behind walls.
LEFT = ("out.raw", "status.json", "findings.jsonl", "profile.jsonl", "warps.jsonl")


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder for the files of one grading; gone afterwards, whatever happens."""
    home = paths.BUILD / "run"
    home.mkdir(parents=True, exist_ok=True)
    sweep(home)
    folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=home))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(home: Path) -> None:
    """Removes what a killed grader could not."""
    for left in home.iterdir():
        pid = left.name.split("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(left, ignore_errors=True)


def run(
    lab: Lab,
    case: Input,
    binary: Path,
    given: Inputs,
    work: Path,
    mode: Mode = PLAIN,
    gpu: bool = False,
) -> Outcome:
    """Runs `case` once. Raises OSError when the machine cannot (disk full, say)."""
    folder = Path(tempfile.mkdtemp(dir=work))
    try:
        argv = [str(binary), "--part", case.part]
        for name, array in given.arrays.items():
            np.save(folder / f"{name}.npy", array)
            argv += ["--in", f"{name}={folder}/{name}.npy"]
        for name, value in case.settings().items():
            argv += ["--set", f"{name}={value}"]
        kind, shape = OPERATIONS[lab.part_of(case).operation].output(given.arrays)
        wanted = Wanted(np.dtype(kind), shape)
        argv += ["--out", f"out={folder}/out.raw:{kind}:{'x'.join(map(str, shape))}"]
        argv += ["--status", f"{folder}/status.json"]
        env = mode.env | {"CONVLABS_SIM_FINDINGS": f"{folder}/findings.jsonl"}
        if isinstance(case, Case) and case.inject:
            env["CONVLABS_SIM_INJECT"] = case.inject
        if mode.counted:
            env["CONVLABS_SIM_PROFILE"] = f"{folder}/profile.jsonl"
        if mode.pictured:
            env["CONVLABS_SIM_WARPS"] = f"{folder}/warps.jsonl"
        limits = launcher.Limits(
            seconds=lab.limits.seconds,
            file_size=max(wanted.bytes(), MAX_TEXT),
            address_space=None if gpu else mode.address_space,  # CUDA reserves all it may need
        )
        view = View((binary, folder), made(folder, LEFT), debugger=mode.debugger, gpu=gpu)
        done = launcher.launch(argv, limits, folder, env, view)
        findings = findings_in(folder, binary)
        if mode is SANITIZED:
            findings += sanitizers.findings(done.stderr.decode(errors="replace"))
        outcome = _outcome(done, folder, wanted, lab.limits.seconds, findings)
        profile = read_regular(folder / "profile.jsonl", MAX_TEXT) or b""
        warps = read_regular(folder / "warps.jsonl", MAX_TEXT) or b""
        return replace(outcome, profile=profile, warps=warps)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def made(folder: Path, names: tuple[str, ...]) -> tuple[Path, ...]:
    """Empty files that a run will write. What is in the folder already, it may read."""
    files = tuple(folder / name for name in names)
    for file in files:
        file.touch()
    for file in folder.iterdir():
        file.chmod(0o644)  # whatever the umask: behind walls it is another user
    for file in files:
        give(file)
    folder.chmod(0o755)  # mkdtemp() makes it for our user alone
    return files


def _outcome(
    done: launcher.Finished,
    folder: Path,
    wanted: Wanted,
    seconds: float,
    findings: list[Finding],
) -> Outcome:
    printed = done.stdout.decode(errors="replace")

    def ended(end: End, reason: str) -> Outcome:
        return Outcome(end, reason, done.seconds, None, None, findings, printed)

    if done.timed_out:
        return ended("timeout", f"did not finish within {seconds:g} s and was stopped")
    if done.flooded:
        return ended("flood", "printed more than a megabyte and was stopped; take the printing out")
    if done.swollen:
        return ended("crashed", launcher.SWOLLEN)
    if done.signal is not None:
        return ended("crashed", crash(done.signal))
    status = _status(folder)
    output = _output(folder / "out.raw", wanted)
    said = last_line(done.stderr)
    if done.status == 2 and status is None and said.startswith(RUNNER):
        return ended("our-fault", said.removeprefix(RUNNER))
    if done.status != 0 or status is None or not status.completed or output is None:
        return ended(
            "no-result",
            f"the program ended (exit status {done.status}) before your function returned; "
            "a function of a library must return, never exit()",
        )
    return Outcome("completed", "", done.seconds, output, status, findings, printed)


def crash(number: int) -> str:
    names = {
        signal.SIGSEGV: "segmentation fault: memory that is not the program's was touched",
        signal.SIGBUS: "bus error: memory that is not the program's was touched",
        signal.SIGFPE: "arithmetic fault, such as a division of integers by 0",
        signal.SIGABRT: "abort() was called",
        signal.SIGILL: "illegal instruction",
        signal.SIGXFSZ: "wrote a file larger than any result",
        signal.SIGXCPU: "used up its processor time",
        signal.SIGKILL: "killed, most likely for using too much memory",
    }
    with suppress(ValueError):
        return "crashed: " + names.get(signal.Signals(number), signal.Signals(number).name)
    return f"crashed: signal {number}"


def read_regular(path: Path, limit: int) -> bytes | None:
    """A regular file's first bytes, never through a link; None when there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        return file.read(limit) if stat.S_ISREG(os.fstat(fd).st_mode) else None


def _output(path: Path, wanted: Wanted) -> Array | None:
    data = read_regular(path, wanted.bytes() + 1)
    if data is None or len(data) != wanted.bytes():
        return None
    return np.frombuffer(data, dtype=wanted.kind).reshape(wanted.shape)


def _status(folder: Path) -> Status | None:
    data = read_regular(folder / "status.json", 1 << 16)
    try:
        return msgspec.json.decode(data or b"", type=Status)
    except msgspec.DecodeError:
        return None


def _findings(folder: Path) -> list[Finding]:
    data = read_regular(folder / "findings.jsonl", MAX_TEXT) or b""
    found: list[Finding] = []
    for line in data.splitlines()[:MAX_FINDINGS]:
        with suppress(msgspec.DecodeError):
            found.append(msgspec.json.decode(line, type=Finding))
    return found


def findings_in(folder: Path, binary: Path) -> list[Finding]:
    """What the simulator wrote to findings.jsonl, each finding with its line if that is known."""
    found = _findings(folder)
    missing = {f.pc for f in found if f.pc and not f.line}
    missing |= {f.other_pc for f in found if f.other_pc and not f.other_line}
    places = lines.places(binary, missing)
    return _without_consequences(_once([_with_lines(f, places) for f in found]))


def _once(found: list[Finding]) -> list[Finding]:
    """Two instructions of one line may say the same: an atomicAdd() of floats is a loop."""
    shown = [msgspec.structs.replace(f, pc=0, other_pc=0) for f in found]
    return [f for i, f in enumerate(found) if shown[i] not in shown[:i]]


def _without_consequences(found: list[Finding]) -> list[Finding]:
    """A read before its write, in the order that the simulator chose, is what its race says."""
    racing = {(f.file, f.line) for f in found if f.kind.endswith("-race")}
    racing |= {(f.other_file, f.other_line) for f in found if f.kind.endswith("-race")}
    return [f for f in found if f.kind != "uninitialised-read" or (f.file, f.line) not in racing]


def _with_lines(finding: Finding, places: dict[int, lines.Place]) -> Finding:
    """The finding with the lines of its program counters, where they are known."""
    if not finding.line:
        file, line = places.get(finding.pc, lines.UNKNOWN)
        if line:
            finding = msgspec.structs.replace(finding, file=file, line=line)
    if not finding.other_line:
        file, line = places.get(finding.other_pc, lines.UNKNOWN)
        if line:
            finding = msgspec.structs.replace(finding, other_file=file, other_line=line)
    return finding


def last_line(text: bytes) -> str:
    lines: list[Any] = text.decode(errors="replace").strip().splitlines()
    return str(lines[-1])[:300] if lines else ""
