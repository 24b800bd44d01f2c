"""Runs the timing program (labs/runtime/bench) and reads its outputs after it has ended. How many
rounds it runs is decided in grader/checks/speed.py."""

import resource
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from socket import socket
from typing import Literal

import msgspec
import numpy as np

from grader.execute import evidence, free_space, records
from grader.execute.evidence import Evidence
from grader.model.lab import Speed
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation
from grader.sandbox import launcher
from grader.sandbox.ending import Finished, end_of_run
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs
from grader.timing import row_samples, timed_inputs
from grader.timing.row_samples import RowSample
from grader.timing.statistics import F64
from grader.timing.verifier import Verifier

Side = Literal["student", "baseline", "reference"]
End = Literal["completed", "returned", "failed", "our-fault"]
STARTING = 10.0  # seconds of processor time to start, to warm up and to end, at most
SAMPLES = "bands"  # the file that the program writes


class Status(msgspec.Struct, frozen=True):
    """What the program says about its rounds. A time in it counts only if the outputs are right and
    the time measured from outside agrees."""

    completed: bool
    returned: int
    error: str
    rounds: list[tuple[float, float, float, float]]
    quiet: list[tuple[float, float]]
    copy_ns: float
    mac_rate: float


@dataclass(frozen=True)
class TimedRun:
    """One run of the program. `reason` says why it was not completed.

    wall, processor: seconds that it took as measured from outside, with all processes it started;
    where one side was timed alone, `wall` is that of all its calls but the first (verifier.py).
    samples: rows of the student's outputs; of each timed call, unless the run was not completed.
    watched: the instructions that were seen, as grader/execute/instructions.py reads them.
    """

    end: End
    reason: str
    wall: float
    processor: float
    status: Status | None = None
    samples: list[RowSample] = field(default_factory=list)
    watched: bytes = b""

    def rounds(self) -> F64:
        """The times of calls in ns, n x 4: student, baseline, reference and the last one again; nan
        where a round left one out."""
        times = np.array(self.status.rounds if self.status else [], dtype=np.float64)
        times = times.reshape(-1, 4)
        times[times <= 0] = np.nan
        return times

    def calibrations(self) -> F64:
        """The worst calibration of each round, n x 2: its wall time and its processor time."""
        return np.array(self.status.quiet if self.status else [], dtype=np.float64).reshape(-1, 2)


@dataclass(frozen=True)
class Bench:
    """A timing program and the shared objects that it opens; None for one that is not timed.

    operation: what their functions compute.
    wall: times from outside are wall time, not the processor time of the process.
    in_advance: the reference was not compiled here (reference.py).
    watch: what the student's function executes is looked at in some of its calls.
    """

    operation: Operation
    program: Path
    student: Path
    baseline: Path | None
    reference: Path | None
    threads: int
    wall: bool
    gpu: bool = False
    in_advance: bool = False
    watch: bool = False

    def run(
        self,
        speed: Speed,
        inputs: Inputs,
        work: Path,
        limits: tuple[int, float],
        seed: int,
        only: Side | None = None,
        enough: tuple[int, float] | None = None,
    ) -> TimedRun:
        """Runs the program once.

        limits: the number of rounds and the seconds after which it ends, whichever comes first.
        seed: of the inputs of the rounds.
        only: times this side alone, with inputs that a Verifier chooses.
        enough: so many rounds in at least so many seconds end it as well.
        Raises OSError for a fault of the machine, and TooBusyError where other programs did not let
        it run.
        """
        folder = Path(tempfile.mkdtemp(dir=work))
        try:
            sides = self._sides(only)
            argv = [str(self.program)]
            for side, library in sides.items():
                argv += [f"--{side}", str(library)]
            argv += ["--part", speed.part, *self._array_options(inputs, folder)]
            argv += self._options(speed, limits, seed)
            if enough and self.watch:
                argv += ["--watch", "1"]
            if enough:
                argv += ["--enough", str(enough[0]), "--enough-seconds", str(enough[1])]
            bounds = Limits(
                seconds=STARTING + 2 * min(limits[1], 30),
                file_size=max(row_samples.MAX_BYTES, evidence.MEMORY),
                address_space=None,
                kernel_counts=False,
            )
            outputs = create_outputs(folder, (SAMPLES,))
            view = View((folder, self.program, *sides.values()), outputs, gpu=self.gpu)
            before = _children_seconds()
            if only is None:
                argv += ["--row-samples", f"{folder}/{SAMPLES}"]
                done, reported = _run(argv, bounds, folder, view)
                samples = row_samples.read_row_samples(
                    folder / SAMPLES, self.operation, inputs, seed
                )
                kept_promise = True
            else:
                verifier = Verifier(limits[0], self.operation, inputs)
                argv += ["--only", only, "--verifier", str(verifier.program_end.fileno())]
                with verifier.program_end as program_end:
                    done, reported = _run(argv, bounds, folder, view, program_end, verifier)
                samples, kept_promise = verifier.result()
            timed = _timed_run(done, reported, folder, _children_seconds() - before)
            if timed.end == "completed" and not kept_promise:
                reason = "after your function had returned, its output still changed"
                return replace(timed, end="failed", reason=reason)
            wall = timed.wall if only is None else verifier.seconds
            return replace(timed, samples=samples, wall=wall)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _sides(self, only: Side | None) -> dict[Side, Path]:
        """The shared objects that the program opens. One that is timed alone must not see the
        others: it could let them do its work."""
        sides: dict[Side, Path | None] = {
            "student": self.student,
            "baseline": self.baseline,
            "reference": self.reference,
        }
        return {side: path for side, path in sides.items() if path and only in (None, side)}

    def _options(self, speed: Speed, limits: tuple[int, float], seed: int) -> list[str]:
        """The program's options for the check's settings and for the number of rounds."""
        options = []
        for axis, size in speed.sizes.items():
            options += [f"--{axis}", str(size)]
        for name, value in speed.settings().items():
            options += [f"--{name}", value] if name != "threads" else []
        rounds, seconds = limits
        options += ["--threads", str(self.threads), "--rounds", str(rounds)]
        options += ["--seconds", str(seconds), "--seed", str(seed)]
        # The baseline may be 30 times as slow. Where it only shows that the machine is fit, every
        # seventh round is enough; 7 is odd, because the order within rounds alternates.
        needed = speed.against == "baseline" or not self.reference
        return [*options, "--baseline-every", "1" if needed else "7"]

    def _array_options(self, inputs: Inputs, folder: Path) -> list[str]:
        """Saves the inputs in `folder`. Returns the program's options for inputs and output."""
        options = []
        for name, array in inputs.arrays.items():
            if array is not inputs.image:  # each call gets another image, of this type and size
                np.save(folder / f"{name}.npy", array)
                options += ["--mask", f"{folder}/{name}.npy"]
        rows = row_samples.image_rows(self.operation, inputs.image)
        size = f"{rows}x{inputs.image.size // rows}"
        options += ["--image", f"{timed_inputs.kind_of(inputs.image)}:{size}"]
        dtype, shape = row_samples.output(self.operation, inputs)
        sizes = [*(1,) * (3 - len(shape)), *shape, np.dtype(dtype).itemsize]
        return [*options, "--output", "x".join(map(str, sizes))]


def _run(
    argv: list[str],
    limits: Limits,
    folder: Path,
    view: View,
    program_end: socket | None = None,
    verifier: Verifier | None = None,
) -> tuple[Finished, Evidence]:
    """Runs the program, connected to the verifier where there is one."""
    with evidence.recorder() as recorder:
        environment = recorder.environment(view.gpu)
        files = (recorder.descriptor, *([program_end.fileno()] if program_end else []))
        with launcher.start(argv, limits, folder, environment, view, files) as running:
            if program_end and verifier:
                program_end.close()  # only the program still holds it: its end is then noticed
                verifier.start()
            return running.wait(), recorder.read()


def _children_seconds() -> float:
    """Processor time of all processes below this one that have ended, orphans included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _timed_run(done: Finished, reported: Evidence, folder: Path, processor: float) -> TimedRun:
    """How the run ended, and the program's status when it was completed."""

    def ended(end: End, reason: str) -> TimedRun:
        return TimedRun(end, reason, done.seconds, processor)

    if early := end_of_run(done):
        advice = "; remove the printing" if early.kind == "flood" else ""
        return ended("failed", f"while it was timed, your program {early.reason}{advice}")
    if fault := reported.our_fault(lambda: free_space.is_full(folder, row_samples.MAX_BYTES)):
        return ended("our-fault", fault)
    status = records.readable(reported.last(evidence.STATUS), Status)
    if status is None or not reported.is_complete():
        why = reported.students_fault() or f"your program ended with exit status {done.status}"
        return ended("failed", f"while it was timed, {why}")
    if status.returned != 0:
        return ended("returned", f"while it was timed, {status.error}")
    watched = reported.last(evidence.INSTRUCTIONS)
    return TimedRun("completed", "", done.seconds, processor, status, watched=watched)
