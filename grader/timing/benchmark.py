"""Runs the timing program (labs/common/bench/bench.h) and reads what it left, once it is dead."""

from __future__ import annotations

import resource
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from grader.execute.case import MAX_TEXT, RUNNER, crash, last_line, made, read_regular
from grader.model.spec import Speed
from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS
from grader.sandbox import launcher
from grader.sandbox.bubblewrap import View
from grader.timing import noise
from grader.timing import row_samples as bands
from grader.timing.row_samples import Band
from grader.timing.statistics import F64
from grader.timing.verifier import Witness

Side = Literal["student", "baseline", "reference"]
End = Literal["completed", "returned", "failed", "our-fault"]
STARTING = 10.0  # seconds for the process to start, to warm up and to end, at most


class Status(msgspec.Struct, frozen=True):
    """The program's own word. A figure in it is believed only as far as the outputs and the clock
    outside agree."""

    completed: bool
    returned: int
    error: str
    rounds: list[tuple[float, float, float, float]]
    quiet: list[tuple[float, float]]
    copy_ns: float
    mac_rate: float


@dataclass(frozen=True)
class Ran:
    """One run of the program. wall, processor: seconds as seen from outside, with all that the
    program started."""

    end: End
    reason: str
    wall: float
    processor: float
    status: Status | None = None
    bands: list[Band] = field(default_factory=list)

    def rounds(self) -> F64:
        times = np.array(self.status.rounds if self.status else [], dtype=np.float64)
        times = times.reshape(-1, 4)
        times[times <= 0] = np.nan
        return times

    def quiet(self) -> F64:
        return np.array(self.status.quiet if self.status else [], dtype=np.float64).reshape(-1, 2)


@dataclass(frozen=True)
class Bench:
    """A timing program with what it opens. `reference` and `baseline` are there or not."""

    operation: str  # what its functions compute
    program: Path
    student: Path
    baseline: Path | None
    reference: Path | None
    threads: int
    wall: bool  # the clock outside is the one on the wall, not the processor's account
    gpu: bool = False

    def run(
        self,
        speed: Speed,
        given: Inputs,
        work: Path,
        limits: tuple[int, float],
        seed: int,
        only: Side | None = None,
    ) -> Ran:
        """Runs it once. limits: rounds and seconds, whichever comes first; `only`: see bench.h.

        Raises OSError when the machine cannot.
        """
        folder = Path(tempfile.mkdtemp(dir=work))
        try:
            rounds, seconds = limits
            sides: dict[Side, Path | None] = {
                "student": self.student,
                "baseline": self.baseline,
                "reference": self.reference,
            }
            # One that is timed alone sees none of the others: their work cannot pass for its own.
            shown = {side: path for side, path in sides.items() if path and only in (None, side)}
            argv = [str(self.program)]
            for side, library in shown.items():
                argv += [f"--{side}", str(library)]
            argv += ["--part", speed.part, *self._arrays(given, folder)]
            for name, value in speed.settings().items():
                argv += [f"--{name}", value] if name != "threads" else []
            argv += ["--threads", str(self.threads), "--rounds", str(rounds)]
            argv += ["--seconds", str(seconds), "--seed", str(seed)]
            # The baseline may be 30 times as slow: where it only shows that the machine is fit, a
            # round in seven is enough (odd, as the turns of a round change by one each time).
            needed = speed.against == "baseline" or not self.reference
            argv += ["--baseline-every", "1" if needed else "7"]
            argv += ["--status", f"{folder}/status.json"]
            bounds = launcher.Limits(
                seconds=STARTING + 2 * min(seconds, 30),
                file_size=bands.MOST,
                address_space=None,
                processor=False,
            )
            reads = (folder, self.program, *shown.values())
            view = View(reads, made(folder, ("bands", "status.json")), gpu=self.gpu)
            before = _children_seconds()
            if only is None:
                argv += ["--row-samples", f"{folder}/bands"]
                done = launcher.launch(argv, bounds, folder, view=view)
                found, kept = bands.read(folder / "bands", self.operation, given, seed), True
            else:
                witness = Witness(rounds, self.operation, given)
                argv += ["--only", only, "--verifier", str(witness.theirs.fileno())]
                done = _witnessed(argv, bounds, folder, view, witness)
                found, kept = witness.heard()
            processor = _children_seconds() - before
            ran = _ran(done, processor, folder)
            if ran.end == "completed" and not kept:
                reason = "after your function had returned, its output still changed"
                return replace(ran, end="failed", reason=reason)
            return replace(ran, bands=found)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _arrays(self, given: Inputs, folder: Path) -> list[str]:
        """The program's options for what goes in, saved in `folder`, and for what comes out."""
        options = []
        for name, array in given.arrays.items():
            if name != "image":  # of which only type and size matter: each call has its own
                np.save(folder / f"{name}.npy", array)
                options += [f"--{name}", f"{folder}/{name}.npy"]
        rows = bands.image_rows(self.operation, given.image)
        size = f"{rows}x{given.image.size // rows}"
        options += ["--image", f"{noise.kind_of(given.image)}:{size}"]
        kind, shape = OPERATIONS[self.operation].output(given.arrays)
        sizes = [*(1,) * (3 - len(shape)), *shape, np.dtype(kind).itemsize]
        return [*options, "--output", "x".join(map(str, sizes))]


def _witnessed(
    argv: list[str], limits: launcher.Limits, folder: Path, view: View, witness: Witness
) -> launcher.Finished:
    """Runs the program with a witness at its side."""
    with witness.theirs as theirs:
        files = (theirs.fileno(),)
        with launcher.started(argv, limits, folder, view=view, files=files) as running:
            theirs.close()  # the program's end is then the only one
            witness.start()
            return running.finish()


def _children_seconds() -> float:
    """Processor time of all processes that ended below this one, orphans among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ran(done: launcher.Finished, processor: float, folder: Path) -> Ran:
    def ended(end: End, reason: str) -> Ran:
        return Ran(end, reason, done.seconds, processor)

    if done.timed_out:
        return ended("failed", "did not come to an end while it was timed, and was stopped")
    if done.flooded:
        return ended("failed", "printed more than a megabyte; take the printing out")
    if done.swollen:
        return ended("failed", launcher.SWOLLEN)
    if done.signal is not None:
        return ended("failed", crash(done.signal))
    said = last_line(done.stderr)
    try:
        data = read_regular(folder / "status.json", 4 * MAX_TEXT)
        status = msgspec.json.decode(data or b"", type=Status)
    except msgspec.DecodeError:
        if done.status == 2 and said.startswith(RUNNER):
            return ended("our-fault", said.removeprefix(RUNNER))
        return ended("failed", f"the program ended (exit status {done.status}) while it was timed")
    if status.returned != 0:
        return ended("returned", f"while it was timed, {status.error}")
    return Ran("completed", "", done.seconds, processor, status)
