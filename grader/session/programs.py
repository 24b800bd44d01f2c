"""The programs that a plan's checks run, built from one submission."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from grader.compile import make, nvcc_check
from grader.compile.make import Build, BuildRequest
from grader.compile.make_process import BuildError, MachineBusyError, Waiting
from grader.execute.backend import Backend
from grader.model import variant
from grader.model.result import Check
from grader.model.submission import Submission
from grader.model.verdicts import build_line
from grader.session.could_not_run import CouldNotRun, at_fault
from grader.session.plan import Plan
from grader.timing import reference

COMPILES = "compiles"
# For each file that is timed: its build, or why there is none, or what waits for the build.
Timed = dict[tuple[Backend, str], Build | Exception | Callable[[], Build]]


class NotTimedError(Exception):
    """A file that builds otherwise does not build as a shared object, for which the student is to
    blame: a macro of the compiler tells one build from another."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(*lines)
        self.lines = lines


@dataclass(frozen=True)
class Binary:
    """A program that is built, and the backend that it runs on."""

    file: Path
    backend: Backend


@dataclass
class Programs:
    """The programs of one submission, and the checks of building them.

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
    _instrumented: Path | CouldNotRun | Waiting[Path | CouldNotRun] = field(
        default_factory=lambda: CouldNotRun("skip")
    )
    _begin: Callable[[], Path | CouldNotRun | Waiting[Path | CouldNotRun]] | None = None
    _nvcc: Waiting[Check | None] | None = None
    _start_timed: Callable[[], Timed] = field(default=dict)
    _timed: Timed | None = None

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
        if self._begin:
            self._instrumented, self._begin = self._begin(), None

    def begin_timed(self) -> Timed:
        """Starts to build all shared objects, unless that was done."""
        if self._timed is None:
            self._timed = self._start_timed()
        return self._timed

    def finish_timed(self) -> None:
        """Waits for all shared objects, so that what is timed has the machine to itself."""
        timed = self.begin_timed()
        for which, wait in timed.items():
            if callable(wait):
                try:
                    timed[which] = wait()
                except (BuildError, OSError) as fault:
                    timed[which] = fault

    def timed(self, where: Backend, file: str) -> Path:
        """The shared object of a file, once finish_timed() was called. Raises NotTimedError,
        BuildError or OSError."""
        found = self.begin_timed()[where, file]
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Build)
        return shared_object(found)

    def is_being_built(self) -> bool:
        """Would instrumented() wait? Nothing is built before it is begun."""
        return isinstance(self._instrumented, Waiting) and not self._instrumented.has_ended()

    def instrumented(self) -> Path | CouldNotRun:
        """The instrumented program, once its build has ended."""
        self.begin_instrumented()
        if isinstance(self._instrumented, Waiting):
            self._instrumented = self._instrumented()
        return self._instrumented

    def build_elsewhere(self, wait: Callable[[], Path | CouldNotRun]) -> None:
        """From now on another process builds what is not built yet. wait: asks it for the
        instrumented program."""
        if isinstance(self._instrumented, Waiting) or self._begin:
            self._instrumented, self._begin = Waiting(wait, lambda: False), None
        self._timed = self._timed or {}


def request_timed(
    submission: Submission, where: Backend, file: str, verbose: bool = False
) -> BuildRequest:
    """What builds a file's shared object, and all that it is timed with."""
    solution = reference.find_object(submission.lab, file)
    return BuildRequest(submission, where, "speed", False, (file,), solution, verbose)


def shared_object(built: Build) -> Path:
    """Raises NotTimedError where there is none."""
    if built.binary is None:
        raise NotTimedError(["the file does not build as what is timed:", *built.errors])
    return built.binary


@contextmanager
def built(
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
    kind: Backend = "cpu" if plan.backend == "cpu" else "sim"
    with ExitStack() as stack:
        lab = submission.lab
        if submission.problems:
            lines = [*submission.problems, *submission.remedies()]
            yield Programs([build_line(lab, COMPILES, "fail", lines)])
            return
        if lines := variant.problems(lab.variant, submission.contents):
            yield Programs([build_line(lab, COMPILES, "fail", lines)])
            return

        def started(request: BuildRequest, is_prepared: bool = False) -> Waiting[Build]:
            """Starts a build; what waits for it, and repeats it alone if it was starved."""
            wait = stack.enter_context(make.start(request, is_prepared))

            def finished() -> Build:
                try:
                    return wait()
                except MachineBusyError:
                    with exclusive():
                        return make.build(request)

            return Waiting(finished, wait.has_ended)

        checked = BuildRequest(submission, kind, "checked", verbose=verbose)
        both = plan.backend == kind and "instrumented" in plan.programs
        try:
            if both:
                make.prepare(lab, kind, timed=False, verbose=verbose)
            plain = started(BuildRequest(submission, plan.backend, verbose=verbose), both)
            beside = started(checked, both) if both else None
            meanwhile()
            result = plain()
            nvcc = None
            if result.binary and plan.backend == "sim" and nvcc_check.available():
                nvcc = started(BuildRequest(submission, "sim", "nvcc", verbose=verbose))
        except (BuildError, OSError) as fault:
            yield Programs([build_line(lab, COMPILES, "error", at_fault(fault).lines)])
            return
        if result.binary is None:
            yield Programs([build_line(lab, COMPILES, "fail", result.errors, result.seconds)])
            return
        warnings = [f"warning: {w.render()}" for w in result.warnings[:5]]
        checks = [build_line(lab, COMPILES, "pass", warnings, result.seconds)]
        programs = Programs(checks, result.binary, failing=result.binary)
        if nvcc:
            programs._nvcc = Waiting(partial(_judge_nvcc, submission, nvcc), nvcc.has_ended)
        if plan.backend == "gpu" and plan.programs & {"failing", "instrumented"}:
            programs.failing = _simulator(submission, verbose)

        def begin() -> Path | CouldNotRun | Waiting[Path | CouldNotRun]:
            if not isinstance(programs.failing, Path):
                return programs.failing
            try:
                build = beside or started(checked)
                return Waiting(partial(_instrumented, build), build.has_ended)
            except (BuildError, OSError) as fault:
                return at_fault(fault)

        if plan.backend == kind or "instrumented" in plan.programs:
            programs._begin = begin

        def start_timed() -> Timed:
            timed: Timed = {}
            for planned in plan.checks:
                which = planned.backend, lab.file_of(planned.check)
                if planned.program == "timed" and which not in timed:
                    try:
                        timed[which] = started(request_timed(submission, *which, verbose))
                    except (BuildError, OSError) as fault:
                        timed[which] = fault
            return timed

        programs._start_timed = start_timed
        yield programs


def _instrumented(wait: Callable[[], Build]) -> Path | CouldNotRun:
    """The program of a build, once that has ended."""
    try:
        built = wait()
        return built.binary or CouldNotRun("fail", built.errors)
    except (BuildError, OSError) as fault:
        return at_fault(fault)


def _judge_nvcc(submission: Submission, wait: Callable[[], Build]) -> Check | None:
    try:
        report = wait().binary
    except (BuildError, OSError) as fault:
        return build_line(submission.lab, nvcc_check.NAME, "skip", at_fault(fault).lines)
    return nvcc_check.judge_nvcc(submission, report) if report else None


def _simulator(submission: Submission, verbose: bool) -> Path | CouldNotRun:
    """On a GPU, counters, findings and calls that fail come from the simulator's build."""
    if shutil.which("g++") is None:
        return CouldNotRun("skip", ["the simulator needs g++, which is not installed"])
    try:
        result = make.build(BuildRequest(submission, "sim", verbose=verbose))
    except (BuildError, OSError) as fault:
        return CouldNotRun("skip", at_fault(fault).lines[:1])
    if result.binary is None:
        return CouldNotRun("skip", [f"the simulator cannot build this file: {result.errors[0]}"])
    return result.binary
