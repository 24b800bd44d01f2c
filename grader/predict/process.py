"""Predicts speed checks that need a GPU while a lab is graded without one, in a process of its own.

The process runs beside the checks that use one core, below their priority. It has limits like any
other command: what a submission's code makes it do for too long, or crash, is no prediction, and
costs nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Self

import msgspec

from grader import files, paths
from grader.compile import make
from grader.compile.make_process import BuildError
from grader.execute import records
from grader.model import course_key, spec
from grader.model.lab import Lab, Speed
from grader.model.prediction import Prediction
from grader.model.submission import Submission
from grader.predict.gpu import gpu
from grader.predict.speed import CountedProgram, predict_speed
from grader.sandbox import launcher, priority
from grader.sandbox.launcher import Running
from grader.sandbox.limits import Limits
from grader.sandbox.workspace import workspace
from grader.sass import compiled
from grader.sass.compiled import Code, NoCodeError

NOTE = "predicted.json"  # beside the program: what was predicted of it before
JOB = "predict.json"
NICE = 19  # below what the score waits for
# Of the process and all that it starts; one check has limits of its own (speed.SECONDS).
LIMITS = Limits(seconds=150, file_size=1 << 31, address_space=None, output=4 << 20)


class Job(msgspec.Struct, frozen=True):
    """What the process does. checks: the names of speed checks. shown: as of a Submission. home:
    where the kernels are built."""

    lab: str
    checks: list[str]
    shown: str
    home: str
    contents: dict[str, bytes]
    own_names: dict[str, str]
    binary: str


class PredictionProcess:
    """Predicts speed checks of one submission, while others are judged."""

    def __init__(self, submission: Submission, work: Path, noted: bool) -> None:
        """work: a folder for the job's file. noted: predictions are taken from the note beside the
        program, and added to it."""
        self.begun = False
        self._submission, self._work, self._noted = submission, work, noted
        self._stack = ExitStack()
        self._running: Running | None = None
        self._checks: list[str] = []  # ids, in the order in which they were asked for
        self._known: dict[str, Prediction] = {}
        self._note: Note | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, binary: Path, speeds: list[Speed]) -> None:
        """Starts to predict, unless the note has it all. binary: the instrumented program."""
        lab = self._submission.lab
        self.begun = True
        self._checks = [lab.id_of(speed) for speed in speeds]
        if self._noted:
            self._note = Note(binary.parent / NOTE, _key(lab, binary))
            self._known = self._note.read()
        if left := [speed.name for speed in speeds if lab.id_of(speed) not in self._known]:
            self._running = self._stack.enter_context(self._start(binary, left))

    def under_way(self) -> bool:
        """Would finish() wait?"""
        return self._running is not None

    def finish(self) -> list[Prediction]:
        """Waits for the process; what is predicted, in the order in which it was asked for."""
        made: list[Prediction] = []
        if self._running is not None:
            done, self._running = self._running.wait(), None
            with contextlib.suppress(msgspec.DecodeError):
                made = records.decode(done.stdout, list[Prediction])
        self._known |= {prediction.check: prediction for prediction in made}
        found = [self._known[check] for check in self._checks if check in self._known]
        if self._note is not None and made:
            self._note.write(found)
        return found

    def _start(self, binary: Path, checks: list[str]) -> contextlib.AbstractContextManager[Running]:
        submission = self._submission
        job = Job(
            lab=submission.lab.id,
            checks=checks,
            shown=submission.shown,
            home=str(submission.home or paths.BUILD / submission.lab.id),
            contents=submission.contents,
            own_names=dict(submission.own_names),
            binary=str(binary),
        )
        file = self._work / JOB
        file.write_bytes(msgspec.json.encode(job))
        argv = [sys.executable, "-m", "grader.predict.process", str(file)]
        return launcher.start(argv, LIMITS, paths.ROOT)


class Note:
    """What was predicted of a program before, in a file beside it."""

    def __init__(self, file: Path, key: str) -> None:
        """key: of all that decides the predictions; those of another key are not read."""
        self._file, self._key = file, key

    def read(self) -> dict[str, Prediction]:
        """Those with a time, by the id of the check."""
        with contextlib.suppress(OSError, msgspec.DecodeError):
            kept = records.decode(files.read_regular(self._file), tuple[str, list[Prediction]])
            if kept[0] == self._key:
                return {p.check: p for p in kept[1] if p.time is not None}
        return {}

    def write(self, predictions: list[Prediction]) -> None:
        with contextlib.suppress(OSError):
            files.replace(self._file, msgspec.json.encode((self._key, predictions)))


def _key(lab: Lab, binary: Path) -> str:
    """The hash of all that decides the predictions of a program."""
    whole = hashlib.sha256(course_key.digest(lab.id))
    whole.update(binary.read_bytes())
    whole.update(" ".join(compiled.missing()).encode())
    return whole.hexdigest()


# ---------------------------------------------------------------- the process


def predict_all(job: Job, work: Path) -> list[Prediction]:
    """The predictions of a job."""
    lab = spec.load(job.lab, hidden=False)
    home = Path(job.home)
    submission = Submission(
        lab, home, job.shown, job.contents, [], home=home, own_names=job.own_names
    )
    with _code(submission) as code:
        program = CountedProgram(submission, Path(job.binary), work, code)
        return [_predicted(program, speed) for speed in lab.speed if speed.name in job.checks]


@contextlib.contextmanager
def _code(submission: Submission) -> Iterator[Callable[[], Code | None]]:
    """Lets nvcc compile a submission meanwhile, where it is installed; waits for its code when that
    is asked for. None where there is no nvcc, or it refuses the file."""
    with contextlib.ExitStack() as stack:
        try:
            compiled.require_nvcc()
            request = make.BuildRequest(submission, "sim", "code")
            wait = stack.enter_context(make.start(request))
        except (NoCodeError, BuildError):
            yield lambda: None
            return

        @cache
        def code() -> Code | None:
            with contextlib.suppress(NoCodeError, BuildError):
                report = wait().binary
                return compiled.read(report, submission) if report else None
            return None

        yield code


def _predicted(program: CountedProgram, speed: Speed) -> Prediction:
    """The prediction of one check; without a time where this machine cannot make it."""
    try:
        return predict_speed(program, speed)
    except (OSError, MemoryError) as fault:
        reason = getattr(fault, "strerror", None) or "this machine cannot do it now"
        return Prediction(program.submission.lab.id_of(speed), gpu().name, reason=str(reason))


def main() -> None:
    priority.let_others_first(NICE)
    job = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Job)
    with workspace() as work:
        found = predict_all(job, work)
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
