"""Runs the timing program (labs/common/bench.h) and reads what it left, once it is dead."""

from __future__ import annotations

import resource
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from grader import sandbox
from grader.cases import Inputs
from grader.oracle import F32
from grader.run import MAX_TEXT, RUNNER, crash, last_line, read_regular
from grader.spec import Speed
from grader.speed import F64

End = Literal["completed", "returned", "failed", "our-fault"]
BAND = 8  # BENCH_BAND of bench.h
STEP = 61  # BENCH_STEP
MOST = 1 << 30  # bytes of bands
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
class Band:
    """Some rows of the student's output of one round."""

    first: int
    roll: int  # how many rows the round's input was rolled up by
    rows: F32


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

    program: Path
    student: Path
    baseline: Path | None
    reference: Path | None
    threads: int
    wall: bool  # the clock outside is the one on the wall, not the processor's account

    def run(
        self,
        speed: Speed,
        given: Inputs,
        work: Path,
        limits: tuple[int, float],
        seed: int,
        only: str | None = None,
    ) -> Ran:
        """Runs it once. limits: rounds and seconds, whichever comes first; `only`: see bench.h.

        Raises OSError when the machine cannot.
        """
        folder = Path(tempfile.mkdtemp(dir=work))
        try:
            np.save(folder / "image.npy", given.image)
            np.save(folder / "mask.npy", given.mask)
            rounds, seconds = limits
            argv = [str(self.program), "--student", str(self.student)]
            for name, library in (("--baseline", self.baseline), ("--reference", self.reference)):
                argv += [name, str(library)] if library else []
            argv += ["--part", speed.part, "--border", speed.border]
            argv += ["--image", f"{folder}/image.npy", "--mask", f"{folder}/mask.npy"]
            argv += ["--threads", str(self.threads), "--rounds", str(rounds)]
            argv += ["--seconds", str(seconds), "--seed", str(seed)]
            # The baseline may be 30 times as slow: where it only shows that the machine is fit, a
            # round in seven is enough (odd, as the turns of a round change by one each time).
            needed = speed.against == "baseline" or not self.reference
            argv += ["--baseline-every", "1" if needed else "7"]
            argv += ["--only", only] if only else ["--bands", f"{folder}/bands"]
            argv += ["--status", f"{folder}/status.json"]
            bounds = sandbox.Limits(
                seconds=STARTING + 2 * min(seconds, 30),
                file_size=MOST,
                address_space=None,
                processor=False,
            )
            before = _children_seconds()
            done = sandbox.launch(argv, bounds, folder)
            processor = _children_seconds() - before
            return _ran(done, processor, folder, given.image.shape, seed)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _children_seconds() -> float:
    """Processor time of all processes that ended below this one, orphans among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ran(
    done: sandbox.Finished, processor: float, folder: Path, shape: tuple[int, ...], seed: int
) -> Ran:
    def ended(end: End, reason: str) -> Ran:
        return Ran(end, reason, done.seconds, processor)

    if done.timed_out:
        return ended("failed", "did not come to an end while it was timed, and was stopped")
    if done.flooded:
        return ended("failed", "printed more than a megabyte; take the printing out")
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
        return ended("returned", f"a function returned {status.error} while it was timed")
    bands = _bands(folder / "bands", shape[0], shape[1], seed)
    return Ran("completed", "", done.seconds, processor, status, bands)


def _bands(path: Path, height: int, width: int, seed: int) -> list[Band]:
    """What the file holds, a record a round; [] for a file that is not there or cut off."""
    rows = min(height, BAND)
    record = np.dtype([("round", "<i4"), ("first", "<i4"), ("rows", "<f4", (rows, width))])
    data = read_regular(path, MOST) or b""
    if len(data) % record.itemsize:
        return []
    return [
        Band(int(r["first"]), (seed + STEP * int(r["round"])) % height, r["rows"])
        for r in np.frombuffer(data, dtype=record)
    ]
