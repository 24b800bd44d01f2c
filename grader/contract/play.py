"""Plays a sequence: runs its steps in one process and reads what each of them left."""

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from grader.contract import arrays, script
from grader.contract.step import Sequence, Step
from grader.execute import evidence, recorded, records, sanitizers
from grader.execute.case import without_result
from grader.execute.evidence import Evidence
from grader.execute.findings import findings_in
from grader.execute.modes import PLAIN, SANITIZED, Mode
from grader.execute.recorded import Recording
from grader.model.finding import Finding
from grader.model.spec import Contract, Lab
from grader.oracle import operations
from grader.oracle.correlation import Expected
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array
from grader.sandbox.ending import Finished, end_of_run
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs, read_output

KEPT = 4096  # inputs and right results that one process keeps
CALLS = 20  # of a sequence for which a program may use as much time as for one case
MOST_KEPT = 1 << 19  # pixels of an image whose arrays are kept

End = Literal["completed", "stopped", "our-fault"]


class StepStatus(msgspec.Struct, frozen=True):
    """What the runner says of a step: labs/runtime/runner/steps.h."""

    step: int
    returned: int = 0
    error: str = ""
    guards: str = "intact"
    changed: str = ""
    failed_call: str = ""
    left: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Result:
    """What one step left."""

    status: StepStatus
    output: Array


@dataclass(frozen=True)
class Played:
    """A sequence that was played. results: of the steps that ended. fault: where the next step left
    its memory, in words, or "". kind, reason: of a program that was stopped, as in case.Outcome."""

    sequence: Sequence
    results: list[Result]
    end: End
    kind: str = ""
    reason: str = ""
    fault: str = ""
    findings: list[Finding] = field(default_factory=list)
    printed: str = ""


@dataclass(frozen=True)
class Player:
    """Plays sequences of one contract with one program. work: a folder for their files."""

    lab: Lab
    contract: Contract
    binary: Path
    work: Path
    gpu: bool = False
    mode: Mode = PLAIN

    def operation(self, step: Step) -> str:
        """What the step's part computes: a key of OPERATIONS."""
        return next(part.operation for part in self.lab.part if part.id == step.part)

    def play(self, sequence: Sequence) -> Played:
        """Raises OSError for a fault of the machine, such as a full disk; TooBusyError where other
        programs did not let it run."""
        with closing(self.play_ahead([sequence])) as ahead:
            return next(ahead)

    def play_ahead(self, sequences: Iterable[Sequence]) -> Generator[Played, None, None]:
        """Plays one after the other; the next one runs while the caller looks at one. Raises as
        play() does. To be closed, which kills what still runs."""
        with ExitStack() as one:
            wait: Callable[[], Played] | None = None
            for sequence in sequences:
                played = wait() if wait else None
                one.close()  # what is left of the one before
                wait = one.enter_context(self._playing(sequence))
                if played:
                    yield played
            if wait:
                yield wait()

    @contextmanager
    def _playing(self, sequence: Sequence) -> Iterator[Callable[[], Played]]:
        """Starts a sequence. Yields what waits for its end."""
        folder = Path(tempfile.mkdtemp(dir=self.work))
        try:
            given = [inputs(step) for step in sequence]
            operations = [self.operation(step) for step in sequence]
            slots = script.write_files(folder, self.contract, operations, sequence, given)
            with self._run(folder, slots) as recording:
                yield lambda: self._played(sequence, folder, slots, *recording.wait())
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, folder: Path, slots: list[script.Slot]) -> AbstractContextManager[Recording]:
        argv = [str(self.binary)]
        for file in (script.STEPS, script.DATA, script.RESULTS):
            argv += [f"--{Path(file).stem}", f"{folder}/{file}"]
        limits = Limits(
            seconds=self.lab.limits.seconds * max(1, len(slots) / CALLS),
            file_size=_size(slots),
            address_space=None if self.gpu else self.mode.address_space,
        )
        outputs = create_outputs(folder, (script.RESULTS,))
        view = View((self.binary, folder), outputs, debugger=self.mode.debugger, gpu=self.gpu)
        return recorded.start(argv, limits, folder, self.mode, view)

    def _played(
        self,
        sequence: Sequence,
        folder: Path,
        slots: list[script.Slot],
        done: Finished,
        reported: Evidence,
    ) -> Played:
        """What a run that has ended left."""
        findings = findings_in(reported.lines(evidence.FINDING), self.binary)
        if self.mode is SANITIZED:
            findings += sanitizers.findings(done.stderr.decode(errors="replace"), reported)
        statuses = _statuses(reported.of(evidence.STATUS))
        data = read_output(folder / script.RESULTS, _size(slots) + 1)
        fault = next((s.fault for s in statuses if s.fault), "")
        ended = [s for s in statuses if not s.fault]
        results = [
            Result(status, _array(data, slot))
            for index, (status, slot) in enumerate(zip(ended, slots, strict=False))
            if status.step == index and len(data) >= slot.offset + slot.bytes
        ]
        end: End = "completed"
        kind = reason = ""
        if early := end_of_run(done):
            end, kind, reason = "stopped", early.kind, early.reason
        elif fault_of_ours := reported.our_fault():
            end, reason = "our-fault", fault_of_ours
        elif len(results) < len(sequence) or not reported.is_complete():
            end, kind, reason = "stopped", "no-result", without_result(done, reported)
        printed = done.stdout.decode(errors="replace")
        return Played(sequence, results, end, kind, reason, fault, findings, printed)


def _size(slots: list[script.Slot]) -> int:
    """Bytes of all results."""
    return slots[-1].offset + slots[-1].bytes


def _statuses(lines: list[bytes]) -> list[StepStatus]:
    """What the runner reported of each step; what is damaged ends it."""
    statuses: list[StepStatus] = []
    with suppress(msgspec.DecodeError):
        statuses.extend(records.decode(line, StepStatus) for line in lines)
    return statuses


def _array(data: bytes, slot: script.Slot) -> Array:
    part = data[slot.offset : slot.offset + slot.bytes]
    return np.frombuffer(part, dtype=slot.dtype).reshape(slot.shape)


def inputs(step: Step) -> Inputs:
    """The arrays of a step, read-only."""
    return _kept_inputs(step) if _is_small(step) else _new_inputs(step)


def _is_small(step: Step) -> bool:
    return step.width * step.height <= MOST_KEPT


def _new_inputs(step: Step) -> Inputs:
    made = arrays.inputs(step)
    for array in made.arrays.values():
        array.setflags(write=False)
    return made


def expected(operation: str, exact: str | None, step: Step) -> Expected:
    """The right result of a step."""
    return (_kept_expected if _is_small(step) else _new_expected)(operation, exact, step)


def _new_expected(operation: str, exact: str | None, step: Step) -> Expected:
    return operations.expected(operation, exact, inputs(step).arrays, step.driver_settings())


_kept_inputs = lru_cache(maxsize=KEPT)(_new_inputs)
_kept_expected = lru_cache(maxsize=KEPT)(_new_expected)
