"""The programs that a plan's checks run, built from one submission."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.compile import overlooked, probable_causes
from grader.compile.make import Build
from grader.compile.make_process import BuildError, Waiting
from grader.compile.probable_causes import Cause
from grader.execute.backend import Backend
from grader.model import variant
from grader.model.grade_line import build_line
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.builds import Builds
from grader.session.could_not_run import CouldNotRun, at_fault
from grader.session.plan import Plan
from grader.session.timed_objects import TimedObjects

COMPILES = "compiles"
MOST_WARNINGS = 5


@dataclass(frozen=True)
class Binary:
    """A program that is built, and the backend that it runs on."""

    file: Path
    backend: Backend


@dataclass
class Programs:
    """The programs of one submission, and the checks of building them.

    causes: what the compiler warned of that may be why a program is wrong.
    plain: None when the submission does not build; then nothing can run. failing: the simulator's
    plain program, whose CUDA calls can be made to fail; `plain` itself where that is the backend.
    The instrumented program takes longest to build: that begins beside the plain one, and
    instrumented() waits for it. Where no check of the plan needs it, it is built when it is asked
    for: a case that fails is explained by it. nvcc compiles once the plain program is there;
    nvccs_check() waits for it.
    The shared objects that are timed are built beside the checks after begin_timed(), which is not
    called at once, to delay no case; finish_timed() waits for them.
    """

    checks: list[Check]
    plain: Path | None = None
    failing: Path | CouldNotRun = field(default_factory=lambda: CouldNotRun("skip"))
    _builds: Builds | None = None  # starts what is not built yet; None: nothing can be built
    _beside: Waiting[Build] | None = None  # the build of the instrumented program
    _nvcc: Waiting[Check | None] | None = None
    # None: not begun.
    _instrumented: Path | CouldNotRun | Waiting[Path | CouldNotRun] | None = None
    _timed: TimedObjects | None = None
    causes: list[Cause] = field(default_factory=list)

    def nvccs_check(self, wait: bool = True) -> Check | None:
        """What nvcc says of the file, when it is asked for the first time; then None, and where
        there is no nvcc or a GPU. wait: until it is known; else None before."""
        ask = self._nvcc
        if ask is None or not (wait or ask.has_ended()):
            return None
        self._nvcc = None
        return ask()

    def begin_instrumented(self) -> None:
        """Starts to build the instrumented program, unless that was done."""
        if self._instrumented is not None:
            return
        if self._builds and isinstance(self.failing, Path):
            self._instrumented = self._builds.start_instrumented(self._beside)
        else:
            self._instrumented = self.failing

    def is_being_built(self) -> bool:
        """Would instrumented() wait? Nothing is built before it is begun."""
        return isinstance(self._instrumented, Waiting) and not self._instrumented.has_ended()

    def instrumented(self) -> Path | CouldNotRun:
        """The instrumented program, once its build has ended."""
        self.begin_instrumented()
        if isinstance(self._instrumented, Waiting):
            self._instrumented = self._instrumented()
        assert self._instrumented is not None
        return self._instrumented

    def use_instrumented_of(self, wait: Callable[[], Path | CouldNotRun]) -> None:
        """From now on another process builds what is not built yet. wait: asks it for the
        instrumented program."""
        if self._instrumented is None or isinstance(self._instrumented, Waiting):
            self._instrumented = Waiting(wait, lambda: False)
        self._timed = self._timed or TimedObjects({})

    def begin_timed(self) -> TimedObjects:
        """Starts to build all shared objects, unless that was done."""
        if self._timed is None:
            self._timed = self._builds.start_timed() if self._builds else TimedObjects({})
        return self._timed

    def finish_timed(self) -> None:
        """Waits for all shared objects, so that what is timed has the machine to itself."""
        self.begin_timed().finish()

    def timed(self, where: Backend, file: str) -> Path:
        """The shared object of a file, once finish_timed() was called. Raises NotTimedError,
        BuildError or OSError."""
        return self.begin_timed().find(where, file)


@contextmanager
def being_built(
    plan: Plan,
    submission: Submission,
    verbose: bool,
    exclusive: Callable[[], AbstractContextManager[None]],
    meanwhile: Callable[[], None],
) -> Iterator[Programs]:
    """Builds what the plan needs. A build that has not ended with the block is given up.

    exclusive: held while a build is repeated alone, for which the machine had been too busy.
    meanwhile: called once the compilers run.
    """
    if lines := _refused(submission):
        yield Programs([build_line(submission.lab, COMPILES, "fail", lines)])
        return
    with ExitStack() as stack:
        yield _build(Builds(plan, submission, verbose, exclusive, stack), meanwhile)


def _refused(submission: Submission) -> list[str]:
    """Why a submission is not built at all."""
    if submission.problems:
        return [*submission.problems, *submission.remedies()]
    return variant.problems(submission.lab.variant, submission.contents)


def _build(builds: Builds, meanwhile: Callable[[], None]) -> Programs:
    """Builds the plain program, and starts what can be built beside it and after it."""
    lab = builds.submission.lab
    try:
        plain, beside = builds.start_first()
        meanwhile()
        result = plain()
        nvcc = builds.start_nvcc(result.causes) if result.binary else None
    except (BuildError, OSError) as fault:
        return Programs([build_line(lab, COMPILES, "error", at_fault(fault).lines)])
    if result.binary is None:
        return Programs([build_line(lab, COMPILES, "fail", result.errors, result.seconds)])
    warnings = [w.render() for w in result.warnings if not probable_causes.is_of_gcc(w)]
    warnings += overlooked.warnings(builds.submission)
    lines = [f"warning: {line}" for line in warnings[:MOST_WARNINGS]]
    lines += [cause.render() for cause in result.causes[: probable_causes.MOST]]
    return Programs(
        [build_line(lab, COMPILES, "pass", lines, result.seconds)],
        result.binary,
        builds.failing(result.binary),
        builds,
        beside,
        nvcc,
        causes=result.causes,
    )
