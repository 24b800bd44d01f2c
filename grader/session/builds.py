"""Starts the builds of one submission, as a plan needs them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.compile import make, nvcc_check
from grader.compile.make import Build, BuildRequest
from grader.compile.make_process import BuildError, MachineBusyError, Waiting
from grader.compile.probable_causes import Cause
from grader.execute.backend import Backend
from grader.model.grade_line import build_line
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.could_not_run import CouldNotRun, at_fault
from grader.session.plan import Plan
from grader.session.timed_objects import TimedObjects, request_timed


@dataclass(frozen=True)
class Builds:
    """The builds of one submission. What has not ended when `stack` closes is given up.

    exclusive: held while a build is repeated alone, for which the machine had been too busy.
    """

    plan: Plan
    submission: Submission
    verbose: bool
    exclusive: Callable[[], AbstractContextManager[None]]
    stack: ExitStack

    @property
    def kind(self) -> Backend:
        """Where the instrumented program runs."""
        return "cpu" if self.plan.backend == "cpu" else "sim"

    def start(self, request: BuildRequest, is_prepared: bool = False) -> Waiting[Build]:
        """Starts a build; what waits for it, and repeats it alone if it was starved."""
        wait = self.stack.enter_context(make.start(request, is_prepared))
        return Waiting(partial(self._finished, request, wait), wait.has_ended)

    def _finished(self, request: BuildRequest, wait: Waiting[Build]) -> Build:
        try:
            return wait()
        except MachineBusyError:
            with self.exclusive():
                return make.build(request)

    def start_first(self) -> tuple[Waiting[Build], Waiting[Build] | None]:
        """Starts the plain program, and the instrumented one beside it where the plan needs it and
        both run on the same backend."""
        both = self.plan.backend == self.kind and "instrumented" in self.plan.programs
        if both:
            make.prepare(self.submission.lab, self.kind, timed=False, verbose=self.verbose)
        plain = BuildRequest(self.submission, self.plan.backend, verbose=self.verbose)
        return self.start(plain, both), self._start_checked() if both else None

    def start_nvcc(self, known: list[Cause]) -> Waiting[Check | None] | None:
        """Starts nvcc, where there is one and no GPU: what waits for its check. known: what the
        first compiler warned of."""
        if self.plan.backend != "sim" or not nvcc_check.available():
            return None
        request = BuildRequest(self.submission, "sim", "nvcc", verbose=self.verbose)
        build = self.start(request)
        return Waiting(partial(_judge_nvcc, self.submission, known, build), build.has_ended)

    def failing(self, plain: Path) -> Path | CouldNotRun:
        """The program whose CUDA calls can be made to fail: the plain one, or on a GPU the
        simulator's, where the plan needs it."""
        if self.plan.backend == "gpu" and self.plan.programs & {"failing", "instrumented"}:
            return _simulator(self.submission, self.verbose)
        return plain

    def start_instrumented(
        self, beside: Waiting[Build] | None
    ) -> CouldNotRun | Waiting[Path | CouldNotRun]:
        """Starts the instrumented program. beside: its build, where that has begun."""
        if self.plan.backend != self.kind and "instrumented" not in self.plan.programs:
            return CouldNotRun("skip")
        try:
            build = beside or self._start_checked()
        except (BuildError, OSError) as fault:
            return at_fault(fault)
        return Waiting(partial(_instrumented, build), build.has_ended)

    def start_timed(self) -> TimedObjects:
        """Starts all shared objects that the plan times."""
        files = (
            (planned.backend, self.submission.lab.file_of(planned.check))
            for planned in self.plan.checks
            if planned.program == "timed"
        )
        return TimedObjects({which: self._start_object(*which) for which in dict.fromkeys(files)})

    def _start_object(self, where: Backend, file: str) -> Waiting[Build] | Exception:
        try:
            return self.start(request_timed(self.submission, where, file, self.verbose))
        except (BuildError, OSError) as fault:
            return fault

    def _start_checked(self) -> Waiting[Build]:
        return self.start(BuildRequest(self.submission, self.kind, "checked", verbose=self.verbose))


def _instrumented(wait: Callable[[], Build]) -> Path | CouldNotRun:
    """The program of a build, once that has ended."""
    try:
        built = wait()
        return built.binary or CouldNotRun("fail", built.errors)
    except (BuildError, OSError) as fault:
        return at_fault(fault)


def _judge_nvcc(
    submission: Submission, known: list[Cause], wait: Callable[[], Build]
) -> Check | None:
    try:
        report = wait().binary
    except (BuildError, OSError) as fault:
        return build_line(submission.lab, nvcc_check.NAME, "skip", at_fault(fault).lines)
    return nvcc_check.judge_nvcc(submission, report, known) if report else None


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
