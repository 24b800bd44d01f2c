"""Predicts speeds that need a GPU while a lab is graded without one, in a process of its own.

The process runs beside the checks that use one core, below their priority. It has limits like any
other command: what a submission's code makes it do for too long, or crash, is no prediction, and
costs nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader import files, paths
from grader.checks import predicted
from grader.execute import records
from grader.model import course_key, spec
from grader.model.lab import Lab
from grader.model.prediction import Prediction
from grader.model.submission import Submission
from grader.predict.gpu import gpu
from grader.sandbox import launcher, priority
from grader.sandbox.launcher import Running
from grader.sandbox.limits import Limits
from grader.sandbox.workspace import workspace

if TYPE_CHECKING:  # the process needs neither, and they import much
    from grader.model.result import Check
    from grader.session.session import Session

NOTE = "predicted.json"  # beside the program: what was predicted of it before
JOB = "predict.json"
NICE = 19  # below what the score waits for
# Of the process and all that it starts; one check has limits of its own (predicted.SECONDS).
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


@dataclass
class Predictions:
    """The predictions of one grading. noted: they may be taken from, and added to, the note beside
    the program."""

    session: Session
    noted: bool
    _stack: ExitStack = field(default_factory=ExitStack)
    _running: Running | None = None
    _begun: bool = False
    _known: dict[str, Prediction] = field(default_factory=dict)
    _key: str = ""
    _note: Path | None = None

    def __enter__(self) -> Predictions:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def under_way(self) -> bool:
        """Would finish() wait?"""
        return self._running is not None

    def begin(self) -> None:
        """Starts the process, if there is anything to predict and its program is built. To be
        called once the results of all parts are known; later calls do nothing."""
        plan, submission = self.session.plan, self.session.submission
        if self._begun or not plan.predicted or self.session.programs.plain is None:
            return
        binary = self.session.programs.instrumented()
        if not isinstance(binary, Path):
            return
        self._begun = True
        lab = plan.lab
        wanted = [s for s in plan.predicted if _is_right(self.session.so_far, s.part)]
        if self.noted:
            self._note = binary.parent / NOTE
            self._key = _key(lab, binary)
            self._known = _noted(self._note, self._key)
        left = [s.name for s in wanted if lab.id_of(s) not in self._known]
        self._known = {i: p for i, p in self._known.items() if i in map(lab.id_of, wanted)}
        if not left:
            return
        job = Job(
            lab=lab.id,
            checks=left,
            shown=submission.shown,
            home=str(submission.home or paths.BUILD / lab.id),
            contents=submission.contents,
            own_names=dict(submission.own_names),
            binary=str(binary),
        )
        file = self.session.work / JOB
        file.write_bytes(msgspec.json.encode(job))
        argv = [sys.executable, "-m", "grader.grading.predictions", str(file)]
        self._running = self._stack.enter_context(launcher.start(argv, LIMITS, paths.ROOT))

    def finish(self) -> list[Prediction]:
        """Waits for the process; the predictions of the parts whose results are right, in the order
        of their checks."""
        plan = self.session.plan
        if self._running is not None:
            done, self._running = self._running.wait(), None
            made: list[Prediction] = []
            with contextlib.suppress(msgspec.DecodeError):
                made = records.decode(done.stdout, list[Prediction])
            self._known |= {p.check: p for p in made}
            names = [plan.lab.id_of(speed) for speed in plan.predicted]
            self._known = {i: self._known[i] for i in names if i in self._known}
            if self._note is not None and made:
                _write(self._note, self._key, self._known)
        return list(self._known.values())


def _is_right(checks: list[Check], part: str) -> bool:
    """Has the part no wrong result, and a right one?"""
    verdicts = [c.verdict for c in checks if c.part == part and c.kind == "correct"]
    return "fail" not in verdicts and "error" not in verdicts


def _key(lab: Lab, binary: Path) -> str:
    """The hash of all that decides the predictions of a program."""
    whole = hashlib.sha256(course_key.digest(lab.id))
    whole.update(binary.read_bytes())
    return whole.hexdigest()


def _noted(note: Path, key: str) -> dict[str, Prediction]:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        kept = records.decode(files.read_regular(note), tuple[str, list[Prediction]])
        if kept[0] == key:
            return {p.check: p for p in kept[1] if p.time is not None}
    return {}


def _write(note: Path, key: str, predictions: dict[str, Prediction]) -> None:
    with contextlib.suppress(OSError):
        files.replace(note, msgspec.json.encode((key, list(predictions.values()))))


# ---------------------------------------------------------------- the process


def predict_all(job: Job, work: Path) -> list[Prediction]:
    """The predictions of a job."""
    lab = spec.load(job.lab, hidden=False)
    speeds = [speed for speed in lab.speed if speed.name in job.checks]
    home = Path(job.home)
    submission = Submission(
        lab, home, job.shown, job.contents, [], home=home, own_names=job.own_names
    )
    found = []
    for speed in speeds:
        program = predicted.Program(submission, Path(job.binary), work)
        try:
            found.append(predicted.predict_speed(program, speed))
        except (OSError, MemoryError) as fault:
            reason = getattr(fault, "strerror", None) or "this machine cannot do it now"
            found.append(Prediction(lab.id_of(speed), gpu().name, reason=str(reason)))
    return found


def main() -> None:
    priority.let_others_first(NICE)
    job = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Job)
    with workspace() as work:
        found = predict_all(job, work)
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
