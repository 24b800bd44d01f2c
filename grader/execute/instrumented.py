"""Runs the instrumented program of a submission: what it counts, what the checks find in it."""

import math
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from grader.execute import evidence, instructions, records
from grader.execute.case import CallsBefore, Outcome, run_case
from grader.execute.instructions import Instructions
from grader.execute.modes import (
    CHECKED_REVERSED,
    COUNTED_WHOLE,
    OPENMP_RACES,
    PROFILED,
    SAMPLED,
    SANITIZED,
    STEPPED,
    Mode,
)
from grader.execute.openmp_team import Team
from grader.execute.profile import Launch, Profile, profile, read_launches
from grader.model.finding import Finding
from grader.model.lab import Input, Lab, Technique
from grader.model.submission import Submission
from grader.oracle import cache, compare, operations

# Multiply-adds of a run for an explanation: about a second with all of the simulator's checks on,
# and with the sanitizers on the CPU.
QUICK, QUICK_ON_CPU = 5_000_000, 200_000_000


@dataclass(frozen=True)
class InstrumentedRun:
    """One run. pixels: how many the output has, and out_bytes: its size; right: whether all of them
    are right."""

    outcome: Outcome
    pixels: int
    right: bool
    out_bytes: int = 0
    inputs: int = 0  # elements of the first input

    def results(self, per: str | None) -> int:
        """What a counter is divided by where it is counted "per" one of them."""
        return self.inputs if per == "input" else self.pixels

    def errors(self) -> list[Finding]:
        """The findings that cost points, each kind at each source location once."""
        first: dict[tuple[str, str, str], Finding] = {}
        for finding in self.outcome.findings:
            if finding.severity == "error":
                first.setdefault((finding.kind, finding.where(), finding.elsewhere()), finding)
        return list(first.values())


def is_quick(lab: Lab, check: Input, backend: str) -> bool:
    """Is the input small enough to be run for an explanation alone? Raises DatasetMissing."""
    arrays = cache.prepared(lab, check).inputs.arrays
    operation = operations.of(lab, check.part)
    work = math.prod(operation.output(arrays)[1]) * max(1, operation.taps(arrays))
    on_cpu = backend == "cpu" or lab.file_of(check).endswith(".c")
    return work <= (QUICK_ON_CPU if on_cpu else QUICK)


@dataclass
class Runner:
    """Runs the instrumented program of a submission, once for each input and mode, however many
    checks ask for it. All methods that run it raise OSError or DatasetMissing.

    backend: cpu (built with sanitizers) or sim (built for profiles).
    sampled: a profiled run records one warp of each memory access as well.
    plain: the program that is stepped; None: it is beside the instrumented one.
    """

    submission: Submission
    binary: Path
    backend: str
    work: Path
    sampled: bool = False
    plain: Path | None = None
    _done: dict[tuple[str, Mode, bool], InstrumentedRun] = field(default_factory=dict)

    def forwards(self, check: Input, before: CallsBefore | None = None) -> InstrumentedRun:
        """Runs with all checks on: profiled on the simulator, under sanitizers on the CPU."""
        profiled = SAMPLED if self.sampled else PROFILED
        return self._run(check, profiled if self.backend == "sim" else SANITIZED, before)

    def profiled(
        self, check: Input, before: CallsBefore | None = None
    ) -> tuple[InstrumentedRun, Profile | None]:
        """Runs as forwards() does, and reads what was counted; None if the result is wrong, or what
        was counted is damaged. before: calls that come first."""
        run = self.forwards(check, before)
        if not run.right:
            return run, None
        try:
            return run, profile(
                self.binary, read_launches(run.outcome.profile), run.outcome.findings
            )
        except msgspec.DecodeError:
            return run, None

    def recorded(self, check: Input, what: str) -> InstrumentedRun:
        """Runs as forwards() does on the simulator, and records the block that is asked for, or
        one warp of each access and the store that is looked for: labs/sim/src/trace/steps.h."""
        asked = SAMPLED.env | {"CONVLABS_SIM_STEPS": what}
        return self._run_program(check, replace(SAMPLED, env=asked), None)

    def with_arithmetic(self, check: Input, before: CallsBefore | None = None) -> list[Launch]:
        """The launches of a run that records what grader/predict needs to count operations; none if
        its result is wrong, or the record is damaged. before: calls that come first."""
        run = self._run(check, COUNTED_WHOLE, before)
        with suppress(msgspec.DecodeError):
            return read_launches(run.outcome.profile) if run.right else []
        return []

    def backwards(self, check: Input) -> InstrumentedRun | None:
        """Runs with the threads and blocks of every kernel in reverse order; None on the CPU, where
        there are no kernels."""
        return self._run(check, CHECKED_REVERSED) if self.backend == "sim" else None

    def openmp_races(self, check: Input) -> InstrumentedRun | None:
        """Runs under the race detector for OpenMP's threads (labs/runtime/openmp_race); None where
        the input starts no threads."""
        if "threads" not in check.settings():
            return None
        return self._run(check, OPENMP_RACES)

    def openmp_team(self, check: Input) -> Team | None:
        """What the threads did in the run of openmp_races(); None where that is not known."""
        raced = self.openmp_races(check)
        return records.readable(raced.outcome.evidence.last(evidence.TEAM), Team) if raced else None

    def stepped(self, check: Technique) -> tuple[InstrumentedRun, Instructions | None]:
        """Runs a function in C one instruction at a time, and counts those that the check asks for;
        None if that could not be done."""
        run = self._run(check, STEPPED)
        record = instructions.read_instructions(run.outcome.evidence.last(evidence.INSTRUCTIONS))
        if not record:
            return run, None
        return run, instructions.counted(record, check.counter, self._plain())

    def _plain(self) -> Path:
        return self.plain or self.binary.with_name("run")

    def _run(self, check: Input, mode: Mode, before: CallsBefore | None = None) -> InstrumentedRun:
        key = (check.signature(), mode, before is not None)
        if key not in self._done:
            self._done[key] = self._run_program(check, mode, before)
        return self._done[key]

    def _run_program(self, check: Input, mode: Mode, before: CallsBefore | None) -> InstrumentedRun:
        lab = self.submission.lab
        prepared = cache.prepared(lab, check)
        # A traced program reports accesses by calls, which would be stepped as well.
        binary = self._plain() if mode.stepped else self.binary
        binary = binary.with_name("raced") if mode.openmp_races else binary
        outcome = run_case(lab, check, binary, prepared.inputs, self.work, mode, before=before)
        right = False
        if outcome.output is not None and outcome.status and outcome.status.returned == 0:
            right = compare.compare(outcome.output, prepared.expected).right()
        dtype, shape = operations.of(lab, check.part).output(prepared.inputs.arrays)
        pixels = math.prod(shape)
        out_bytes = pixels * np.dtype(dtype).itemsize
        given = prepared.inputs.image.size
        return InstrumentedRun(outcome, pixels, right, out_bytes, given)
