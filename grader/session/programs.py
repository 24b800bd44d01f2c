"""The programs that a plan's checks run, built from one submission."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.compile import make, nvcc_check
from grader.compile.make import Build, BuildRequest
from grader.compile.make_process import BuildError, MachineBusyError
from grader.execute.backend import Backend
from grader.model.result import Check
from grader.model.submission import Submission
from grader.model.verdicts import build_line
from grader.session.could_not_run import CouldNotRun, at_fault
from grader.session.plan import Plan

COMPILES = "compiles"


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
    The instrumented program takes longest to build: it is built while the first cases run, and
    instrumented() waits for it. Where no check of the plan needs it, instrumented() builds it: a
    case that fails is explained by it.
    """

    checks: list[Check]
    plain: Path | None = None
    failing: Path | CouldNotRun = field(default_factory=lambda: CouldNotRun("skip"))
    _instrumented: Path | CouldNotRun | Callable[[], Build] = field(
        default_factory=lambda: CouldNotRun("skip")
    )

    def is_being_built(self) -> bool:
        """Would instrumented() wait?"""
        return callable(self._instrumented)

    def instrumented(self) -> Path | CouldNotRun:
        """The instrumented program, once its build has ended."""
        if callable(self._instrumented):
            wait = self._instrumented
            try:
                built = wait()
                self._instrumented = built.binary or CouldNotRun("fail", built.errors)
            except (BuildError, OSError) as fault:
                self._instrumented = at_fault(fault)
        return self._instrumented


@contextmanager
def built(
    plan: Plan,
    submission: Submission,
    verbose: bool,
    exclusive: Callable[[], AbstractContextManager[None]],
) -> Iterator[Programs]:
    """Builds what the plan needs. A build that has not ended with the block is given up.

    exclusive: held while a build is repeated alone, for which the machine had been too busy.
    """
    programs = _plain(plan, submission, verbose, exclusive)
    kind: Backend = "cpu" if plan.backend == "cpu" else "sim"
    with ExitStack() as stack:
        if programs.plain is not None:
            programs.failing = programs.plain
            if plan.backend == "gpu" and plan.programs & {"failing", "instrumented"}:
                programs.failing = _simulator(submission, verbose)
            if "instrumented" in plan.programs:
                programs._instrumented = programs.failing
                if isinstance(programs.failing, Path):
                    try:
                        request = BuildRequest(submission, kind, "checked", verbose=verbose)
                        programs._instrumented = stack.enter_context(make.start(request))
                    except (BuildError, OSError) as fault:
                        programs._instrumented = at_fault(fault)
            elif plan.backend != "gpu":
                request = BuildRequest(submission, kind, "checked", verbose=verbose)
                programs._instrumented = lambda: make.build(request)  # for a case that fails
        yield programs


def _plain(
    plan: Plan,
    submission: Submission,
    verbose: bool,
    exclusive: Callable[[], AbstractContextManager[None]],
) -> Programs:
    """Builds the plain program, and asks nvcc where it is installed without a GPU."""
    lab = submission.lab
    if submission.problems:
        lines = [*submission.problems, *submission.remedies()]
        return Programs([build_line(lab, COMPILES, "fail", lines)])
    try:
        ask_nvcc = plan.backend == "sim" and nvcc_check.available()
        request = BuildRequest(submission, plan.backend, nvcc=ask_nvcc, verbose=verbose)
        try:
            result = make.build(request)
        except MachineBusyError:
            with exclusive():
                result = make.build(request)
    except (BuildError, OSError) as fault:
        return Programs([build_line(lab, COMPILES, "error", at_fault(fault).lines)])
    if result.binary is None:
        return Programs([build_line(lab, COMPILES, "fail", result.errors, result.seconds)])
    warnings = [f"warning: {w.render()}" for w in result.warnings[:5]]
    checks = [build_line(lab, COMPILES, "pass", warnings, result.seconds)]
    if result.nvcc:
        checks.append(nvcc_check.judge_nvcc(submission, result.nvcc))
    return Programs(checks, result.binary)


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
