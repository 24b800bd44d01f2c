"""Plays a sequence: runs its steps in one process and reads what each of them left."""

import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from grader.contract import script
from grader.contract.prepared import Prepared, operation, prepare, prepare_drawn
from grader.contract.step import Sequence, Step
from grader.execute import evidence, recorded, records, room, sanitizers
from grader.execute.case import without_result
from grader.execute.evidence import Evidence
from grader.execute.finding_lines import findings_in
from grader.execute.modes import PLAIN, SANITIZED, Mode
from grader.execute.recorded import Recording
from grader.model.finding import Finding
from grader.model.lab import Contract, Lab
from grader.oracle import disk_cache
from grader.oracle.operations import Array
from grader.sandbox.ending import Finished, end_of_run
from grader.sandbox.limits import WITHOUT_DEVICE, Limits
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs, read_output

CALLS = 20  # of a sequence for which a program may use as much time as for one case

End = Literal["completed", "stopped", "our-fault"]


class StepStatus(msgspec.Struct, frozen=True):
    """What the runner says of a step: labs/runtime/runner/steps.h."""

    step: int
    returned: int = 0
    error: str = ""
    guards: str = "intact"
    changed: str = ""
    failed_call: str = ""
    failed_line: int = 0  # of that call; 0: not known
    left: str = ""
    fault: str = ""
    # Of a step that is counted: how many calls of the CUDA runtime could fail, and where they are:
    # name, line (0: not known), the numbers of the first and of the last.
    calls: int = 0
    sites: list[tuple[str, int, int, int]] = []


NO_MEMORY = re.compile(rb"^terminate called .*'std::(?:bad_alloc|bad_array_new_length)'$", re.M)


@dataclass(frozen=True)
class Result:
    """What one step left."""

    status: StepStatus
    output: Array


@dataclass(frozen=True)
class Played:
    """A sequence that was played. results: of the steps that ended. fault: where the next step left
    its memory, in words, or "". kind, reason: of a program that was stopped, as in case.Outcome.
    no_memory: C++ ended it, as it could not allocate."""

    sequence: Sequence
    results: list[Result]
    end: End
    kind: str = ""
    reason: str = ""
    fault: str = ""
    findings: list[Finding] = field(default_factory=list)
    printed: str = ""
    prepared: Prepared | None = None
    no_memory: bool = False


@dataclass(frozen=True)
class Player:
    """Plays sequences of one contract with one program. work: a folder for their files. source:
    the text of the student's file, if that is known. only: the kinds of findings that count; None:
    all."""

    lab: Lab
    contract: Contract
    binary: Path
    work: Path
    gpu: bool = False
    mode: Mode = PLAIN
    source: str = ""
    only: frozenset[str] | None = None

    def operation(self, step: Step) -> str:
        """What the step's part computes: a key of OPERATIONS."""
        return operation(self.lab, step)

    def play(self, sequence: Sequence, is_drawn: bool = False) -> Played:
        """is_drawn: by a seed, so that others will play it, too. Raises OSError for a fault of the
        machine, such as a full disk; TooBusyError where other programs did not let it run."""
        with closing(self.play_ahead([sequence], is_drawn)) as ahead:
            return next(ahead)

    def play_ahead(
        self, sequences: Iterable[Sequence], is_drawn: bool = True
    ) -> Generator[Played, None, None]:
        """Plays one after the other; the next one runs while the caller looks at one. Raises as
        play() does. To be closed, which kills what still runs."""
        with ExitStack() as one:
            wait: Callable[[], Played] | None = None
            for sequence in sequences:
                played = wait() if wait else None
                one.close()  # what is left of the one before
                wait = one.enter_context(self._playing(sequence, is_drawn))
                if played:
                    yield played
            if wait:
                yield wait()

    @contextmanager
    def _playing(self, sequence: Sequence, is_drawn: bool) -> Iterator[Callable[[], Played]]:
        """Starts a sequence. Yields what waits for its end."""
        folder = Path(tempfile.mkdtemp(dir=self.work))
        try:
            make = prepare_drawn if is_drawn and disk_cache.may_use(self.gpu) else prepare
            prepared = make(self.lab, self.contract, sequence, folder)
            with self._run(folder, prepared) as recording:
                yield lambda: self._waited(folder, prepared, recording)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, folder: Path, prepared: Prepared) -> AbstractContextManager[Recording]:
        given, slots = prepared.folder, prepared.slots
        argv = [str(self.binary), "--steps", f"{given}/{script.STEPS}"]
        argv += ["--data", f"{given}/{script.DATA}", "--results", f"{folder}/{script.RESULTS}"]
        limits = Limits(
            seconds=self.lab.limits.seconds * max(1, len(slots) / CALLS),
            waiting=None if self.gpu else WITHOUT_DEVICE,
            file_size=_size(slots),
            address_space=None if self.gpu else self.mode.address_space,
        )
        outputs = create_outputs(folder, (script.RESULTS,))
        # Of what is kept, not the right results.
        files = () if given == folder else (given / script.STEPS, given / script.DATA)
        view = View(
            (self.binary, folder, *files), outputs, debugger=self.mode.debugger, gpu=self.gpu
        )
        return recorded.start(argv, limits, folder, self.mode, view)

    def _waited(self, folder: Path, prepared: Prepared, recording: Recording) -> Played:
        """What the run leaves."""
        done, reported = recording.wait()
        played = self._played(folder, prepared, done, reported)
        if not reported.claims_full_disk() or played.end == "our-fault":
            return played
        # It may have been full for a moment. What happens again is the program's own doing.
        with self._run(folder, prepared) as again:
            return self._played(folder, prepared, *again.wait())

    def _played(
        self, folder: Path, prepared: Prepared, done: Finished, reported: Evidence
    ) -> Played:
        """What a run that has ended left."""
        slots = prepared.slots
        findings = findings_in(reported.lines(evidence.FINDING), self.binary)
        if self.mode is SANITIZED:
            findings += sanitizers.findings(done.stderr.decode(errors="replace"), reported)
        if self.only is not None:
            findings = [f for f in findings if f.kind in self.only]
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
        elif fault_of_ours := reported.our_fault(lambda: room.is_full(folder, _size(slots))):
            end, reason = "our-fault", fault_of_ours
        elif len(results) < len(slots) or not reported.is_complete():
            end, kind, reason = "stopped", "no-result", without_result(done, reported)
        printed = done.stdout.decode(errors="replace")
        no_memory = NO_MEMORY.search(done.stderr) is not None
        return Played(
            prepared.sequence, results, end, kind, reason, fault, findings, printed, prepared,
            no_memory,
        )  # fmt: skip


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
