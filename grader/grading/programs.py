"""The programs that a plan's checks run, built from one submission."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.compile import nvcc_check
from grader.compile.make import Build, BuildError, build, building
from grader.execute.backend import Backend
from grader.grading import faults
from grader.grading.plan import Plan
from grader.model.result import Check, Verdict
from grader.model.submission import Submission
from grader.model.verdicts import build_check

COMPILES = "compiles"


@dataclass(frozen=True)
class Missing:
    """Why a program is not there: what a check that needs it says instead of running."""

    verdict: Verdict
    lines: list[str]


@dataclass
class Programs:
    """The programs of one submission. `failing` is the simulator's plain program (`plain` itself
    where that is the backend). The instrumented one takes longest to build: it is built while the
    first cases run, and instrumented() waits for it."""

    plain: Path
    failing: Path | Missing
    _finish: Callable[[], Build] | None = None
    _instrumented: Path | Missing = field(default_factory=lambda: Missing("skip", []))

    def is_being_built(self) -> bool:
        """Would instrumented() wait?"""
        return self._finish is not None

    def instrumented(self) -> Path | Missing:
        """The instrumented program, once its build has ended."""
        if self._finish is not None:
            finish, self._finish = self._finish, None
            try:
                built = finish()
                self._instrumented = built.binary or Missing("fail", built.errors)
            except (BuildError, OSError) as fault:
                self._instrumented = Missing("error", faults.lines(fault))
        return self._instrumented


def compile_plain(
    submission: Submission, plan: Plan, verbose: bool
) -> tuple[list[Check], Path | None]:
    """Builds the plain program. Returns the checks of the build, and the program unless the files
    do not build."""
    lab = submission.lab
    if submission.problems:
        lines = [*submission.problems, *submission.remedies()]
        return [build_check(lab, COMPILES, "fail", lines)], None
    ask_nvcc = plan.backend == "sim" and nvcc_check.here()
    try:
        built = build(submission, plan.backend, verbose, nvcc=ask_nvcc)
    except (BuildError, OSError) as fault:
        return [build_check(lab, COMPILES, "error", faults.lines(fault))], None
    if built.binary is None:
        return [build_check(lab, COMPILES, "fail", built.errors, built.seconds)], None
    warnings = [f"warning: {w.render()}" for w in built.warnings[:5]]
    checks = [build_check(lab, COMPILES, "pass", warnings, built.seconds)]
    if built.nvcc:
        checks.append(nvcc_check.check(submission, built.nvcc))
    return checks, built.binary


@contextmanager
def building_the_rest(
    submission: Submission, plan: Plan, plain: Path, verbose: bool
) -> Iterator[Programs]:
    """All programs of the plan, the instrumented one still being built. What is not finished when
    the block ends is given up."""
    failing: Path | Missing = plain
    if plan.backend == "gpu":
        needed = plan.runs("failing", "instrumented")
        failing = _simulator(submission, verbose) if needed else Missing("skip", [])
    programs = Programs(plain, failing)
    with ExitStack() as stack:
        if not plan.runs("instrumented"):
            pass
        elif isinstance(failing, Missing):
            programs._instrumented = failing
        else:
            kind: Backend = "cpu" if plan.backend == "cpu" else "sim"
            try:
                started = building(submission, kind, verbose, "checked")
                programs._finish = stack.enter_context(started)
            except (BuildError, OSError) as fault:
                programs._instrumented = Missing("error", faults.lines(fault))
        yield programs


def _simulator(submission: Submission, verbose: bool) -> Path | Missing:
    """On a GPU, counters, findings and calls that fail come from the simulator's build."""
    if shutil.which("g++") is None:
        return Missing("skip", ["the simulator needs g++, which is not installed"])
    try:
        built = build(submission, "sim", verbose)
    except (BuildError, OSError) as fault:
        return Missing("skip", faults.lines(fault)[:1])
    if built.binary is None:
        return Missing("skip", [f"the simulator cannot build this file: {built.errors[0]}"])
    return built.binary
