"""Plays a sequence: runs its steps in one process and reads what each of them left."""

from __future__ import annotations

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
from grader.execute import evidence, free_space, records, sanitizers, with_evidence
from grader.execute.case import without_result
from grader.execute.evidence import Evidence
from grader.execute.finding_lines import findings_in
from grader.execute.modes import PLAIN, SANITIZED, Mode
from grader.execute.with_evidence import Recording
from grader.model.finding import Finding
from grader.model.lab import Contract, Lab
from grader.oracle import disk_cache
from grader.oracle.operations import Array, Operation
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
class _Files:
    """A sequence that is prepared, and the folder for what its run writes."""

    folder: Path
    prepared: Prepared

    def options(self) -> list[str]:
        """The runner's."""
        given = self.prepared.folder
        options = ["--steps", f"{given}/{script.STEPS}", "--data", f"{given}/{script.DATA}"]
        return [*options, "--results", f"{self.folder}/{script.RESULTS}"]

    def read(self) -> list[Path]:
        """What the program reads: of what is kept, not the right results."""
        given = self.prepared.folder
        kept = [] if given == self.folder else [given / script.STEPS, given / script.DATA]
        return [self.folder, *kept]

    def bytes(self) -> int:
        """Of all results."""
        last = self.prepared.slots[-1]
        return last.offset + last.bytes

    def results(self, statuses: list[StepStatus]) -> list[Result]:
        """What each step left that ended."""
        data = read_output(self.folder / script.RESULTS, self.bytes() + 1)
        return [
            Result(status, _array(data, slot))
            for index, (status, slot) in enumerate(zip(statuses, self.prepared.slots, strict=False))
            if status.step == index and len(data) >= slot.offset + slot.bytes
        ]


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

    def operation(self, step: Step) -> Operation:
        """What the step's part computes."""
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

    def play_together(self, sequences: list[Sequence]) -> list[Played]:
        """Plays sequences that a seed drew, one after the other in one process, until one of them
        ends it. Returns those before it, in their order; none where the program printed something,
        since nobody knows in which. Raises as play() does."""
        with ExitStack() as stack:
            every = [stack.enter_context(self._files(sequence, True)) for sequence in sequences]
            done, reported = stack.enter_context(self._run(every)).wait()
            statuses = _statuses(reported.of(evidence.STATUS))
            played: list[Played] = []
            for files in every if not done.stdout else ():
                count = len(files.prepared.slots)
                results = files.results(statuses[:count])
                if len(results) < count:
                    break
                statuses = statuses[count:]
                sequence = files.prepared.sequence
                played.append(Played(sequence, results, "completed", prepared=files.prepared))
            return played

    @contextmanager
    def _files(self, sequence: Sequence, is_drawn: bool) -> Iterator[_Files]:
        """A sequence's files, until the end of the block."""
        folder = Path(tempfile.mkdtemp(dir=self.work))
        try:
            make = prepare_drawn if is_drawn and disk_cache.may_use(self.gpu) else prepare
            yield _Files(folder, make(self.lab, self.contract, sequence, folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def _playing(self, sequence: Sequence, is_drawn: bool) -> Iterator[Callable[[], Played]]:
        """Starts a sequence. Yields what waits for its end."""
        with self._files(sequence, is_drawn) as files, self._run([files]) as recording:
            yield lambda: self._waited(files, recording)

    def _run(self, every: list[_Files]) -> AbstractContextManager[Recording]:
        """Starts the sequences, one after the other in one process."""
        argv = [option for files in every for option in ("--then", *files.options())]
        length = sum(len(files.prepared.slots) for files in every)
        limits = Limits(
            seconds=self.lab.limits.seconds * max(1, length / CALLS),
            waiting=None if self.gpu else WITHOUT_DEVICE,
            file_size=max(files.bytes() for files in every),
            address_space=None if self.gpu else self.mode.address_space,
        )
        outputs = [o for f in every for o in create_outputs(f.folder, (script.RESULTS,))]
        read = [path for files in every for path in files.read()]
        view = View((self.binary, *read), tuple(outputs), debugger=self.mode.debugger, gpu=self.gpu)
        argv[0] = str(self.binary)
        return with_evidence.start(argv, limits, every[0].folder, self.mode, view)

    def _waited(self, files: _Files, recording: Recording) -> Played:
        """What the run leaves."""
        done, reported = recording.wait()
        played = self._played(files, done, reported)
        if not reported.claims_full_disk() or played.end == "our-fault":
            return played
        # It may have been full for a moment. What happens again is the program's own doing.
        with self._run([files]) as again:
            return self._played(files, *again.wait())

    def _played(self, files: _Files, done: Finished, reported: Evidence) -> Played:
        """What a run that has ended left."""
        prepared = files.prepared
        findings = findings_in(reported.lines(evidence.FINDING), self.binary)
        if self.mode is SANITIZED:
            findings += sanitizers.findings(done.stderr.decode(errors="replace"), reported)
        if self.only is not None:
            findings = [f for f in findings if f.kind in self.only]
        statuses = _statuses(reported.of(evidence.STATUS))
        fault = next((s.fault for s in statuses if s.fault), "")
        ended = [s for s in statuses if not s.fault]
        results = files.results(ended)
        end: End = "completed"
        kind = reason = ""
        if early := end_of_run(done):
            end, kind, reason = "stopped", early.kind, early.reason
        elif fault_of_ours := reported.our_fault(
            lambda: free_space.is_full(files.folder, files.bytes())
        ):
            end, reason = "our-fault", fault_of_ours
        elif len(results) < len(prepared.slots) or not reported.is_complete():
            end, kind, reason = "stopped", "no-result", without_result(done, reported)
        printed = done.stdout.decode(errors="replace")
        no_memory = NO_MEMORY.search(done.stderr) is not None
        return Played(
            prepared.sequence, results, end, kind, reason, fault, findings, printed, prepared,
            no_memory,
        )  # fmt: skip


def _statuses(lines: list[bytes]) -> list[StepStatus]:
    """What the runner reported of each step; what is damaged ends it."""
    statuses: list[StepStatus] = []
    with suppress(msgspec.DecodeError):
        statuses.extend(records.decode(line, StepStatus) for line in lines)
    return statuses


def _array(data: bytes, slot: script.Slot) -> Array:
    part = data[slot.offset : slot.offset + slot.bytes]
    return np.frombuffer(part, dtype=slot.dtype).reshape(slot.shape)
