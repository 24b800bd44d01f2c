"""Compiles submissions, and the course's parts that they are linked with, by calling make.

The submitted files are staged (staging.py) and compiled in the sandbox; the rules for make are in
labs/common/submission.mk.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from grader import paths
from grader.compile import sources, staging
from grader.compile.compiler_messages import (
    Diagnostic,
    diagnostics_in,
    disk_error,
    listed,
    program_errors,
    program_warnings,
    unlinkable,
    unlinked,
)
from grader.model.spec import Lab
from grader.model.submission import Submission
from grader.sandbox import launcher
from grader.sandbox.bubblewrap import View
from grader.sandbox.ending import Finished, early_end
from grader.sandbox.limits import Limits

# nvcc, which may be called as well, has a limit of its own: labs/common/submission.mk.
COMPILE_LIMITS = Limits(seconds=90, output=1 << 20, file_size=1 << 28, address_space=None, grace=2)
RUNTIME_LIMITS = Limits(seconds=600, output=8 << 20, address_space=None, grace=2)

TOOLS = ("g++", "gcc", "as", "ld", "ar", "bash")  # that the rules of make call

Target = Literal["run", "checked", "unit", "speed"]
_RULES: dict[Target, str] = {
    "run": "run-binary",
    "checked": "checked-binary",
    "unit": "test-binary",
    "speed": "speed-binary",
}
_PRODUCTS: dict[Target, str] = {
    "run": "run",
    "checked": "checked",
    "unit": "unit",
    "speed": "student.so",
}


class BuildError(Exception):
    """A part of the course does not build. `log` is what make printed."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log


class MachineBusyError(BuildError):
    """Other programs left the compiler too little of the processor to build anything."""


@dataclass(frozen=True)
class BuildRequest:
    """What to build of a submission.

    target: "run", the submission's runner; "checked", the instrumented runner, with profiles on
        the simulator and with sanitizers on the CPU; "unit", its unit tests; "speed", a shared
        object of its functions, which the lab's timing program in sources.course_build() opens.
    checked: also builds the instrumented runner, at the same time.
    nvcc: also records what nvcc says about the CUDA file.
    files: builds only these of the submitted files; None builds all.
    reference: an object of the course's solution to time, where its source is not in this copy.
    verbose: prints make's commands.
    """

    submission: Submission
    backend: str
    target: Target = "run"
    checked: bool = False
    nvcc: bool = False
    files: tuple[str, ...] | None = None
    reference: Path | None = None
    verbose: bool = False

    def rules(self) -> list[str]:
        """The rules of submission.mk that make the products."""
        rules = [_RULES[self.target]]
        rules += ["checked-binary"] if self.checked else []
        return [*rules, "nvcc-report"] if self.nvcc else rules

    def binaries(self, out: Path) -> list[Path]:
        """The programs that make leaves in `out`, that of `target` first."""
        names = [_PRODUCTS[self.target], *(["checked"] if self.checked else [])]
        return [out / name for name in names]


@dataclass(frozen=True)
class Build:
    """A finished build. `binary` is None when the student's file does not build; `errors` says why.
    `nvcc` is the file with nvcc's messages, where the request asked for them."""

    binary: Path | None
    errors: list[str] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0
    nvcc: Path | None = None


def runtime_is_built() -> bool:
    """False when the next build has to compile the simulator first, which takes a while."""
    return (paths.BUILD / "lib" / "plain" / "libsim.a").exists()


def build(request: BuildRequest) -> Build:
    """Builds what is requested. Raises BuildError when a part of the course does not build or make
    cannot run; MachineBusyError where building again on an idle machine could help."""
    with start(request) as wait:
        return wait()


@contextlib.contextmanager
def start(request: BuildRequest) -> Iterator[Callable[[], Build]]:
    """Starts what build() does, and yields the function that waits for the result. A build that is
    not finished at the end of the block is killed. Both may raise BuildError."""
    submission = request.submission
    lab = submission.lab
    home = submission.home or paths.BUILD / lab.id
    kind = f"{request.backend}\0{submission.shown}\0{sources.key(lab)}\0"
    out = staging.stage(home, kind, submission.contents)
    variables = _variables(lab, request.backend, request.files or tuple(lab.submit), out)
    if request.reference:
        variables |= {"REFERENCE_OBJECT": str(request.reference.relative_to(paths.ROOT))}
    _build_course(f"{_course(lab)} do not build", request.rules(), variables, request.verbose)
    with contextlib.ExitStack() as locked:
        locked.enter_context(_locked(out))
        staging.begin(out)
        running = _start_make(
            request.rules(),
            variables | {"READY": "1"},
            COMPILE_LIMITS,
            request.verbose,
            env={"SHOWN": submission.shown, "PYTHONDONTWRITEBYTECODE": "1"},
            view=sources.view(lab, out, request.backend),
        )
        wait_for_make = locked.enter_context(running)

        def wait() -> Build:
            done = wait_for_make()
            if done.status is not None:
                staging.finish(out)
            locked.close()  # another grader may build here before the block ends
            return _result(done, request, out)

        yield wait


def _result(done: Finished, request: BuildRequest, out: Path) -> Build:
    """What make built, or why it did not. Raises BuildError when the student is not to blame."""
    submission = request.submission
    log = done.stderr.decode(errors="replace")
    diagnostics = diagnostics_in(log, submission.shown)
    warnings = [d for d in diagnostics if d.severity == "warning"]
    if done.status == 0:
        binaries = request.binaries(out)
        for binary in binaries:
            if binary.is_symlink() or not binary.is_file():
                raise BuildError(f"{binary} is not a file", log)
        nvcc = out / "nvcc.txt" if request.nvcc else None
        return Build(binaries[0], [], warnings, done.seconds, nvcc)
    errors = _student_errors(done, log, diagnostics, submission)
    if not errors:
        raise BuildError(f"{_course(submission.lab)} do not build", log)
    return Build(None, errors, warnings, done.seconds)


def _student_errors(
    done: Finished, log: str, diagnostics: list[Diagnostic], submission: Submission
) -> list[str]:
    """Why the student's file does not build, the first reason first; [] when the reason is not in
    that file."""
    _must_have_run(done)
    if done.stopped_by and (early := early_end(done)):
        return [f"the compiler {early.reason}"]
    errors = [d for d in diagnostics if d.severity == "error"]
    return listed(errors, submission) if errors else unlinked(log, submission)


def _must_have_run(done: Finished) -> None:
    """Raises MachineBusyError where other programs did not let make run."""
    early = early_end(done)
    if early and early.kind == "starved":
        raise MachineBusyError(f"the compiler {early.reason}", "")


def prepare(lab: Lab, backend: str, timed: bool) -> None:
    """Builds the course's parts of a lab once, before many submissions are built. timed: those
    for timing as well. Raises BuildError."""
    rules = ["run-binary"] if backend == "gpu" else ["run-binary", "checked-binary"]
    rules += ["speed-binary"] if timed and lab.speed and backend != "sim" else []
    variables = _variables(lab, backend, tuple(lab.submit), paths.BUILD / lab.id)
    _build_course(f"{_course(lab)} do not build", rules, variables, verbose=False)


def make_program(
    home: Path, files: list[str], profiled: bool, env: dict[str, str], openmp: bool = False
) -> Build:
    """Builds home/program, a user's own program, from files in home/src. When that fails, the
    errors are what the compiler printed. The warnings are those of the files that this call
    compiled: none when all is up to date. openmp: its host code uses OpenMP. Raises BuildError."""
    variables = {"PROGRAM": str(home.relative_to(paths.ROOT)), "FILES": " ".join(files)}
    variables |= {"TRACED": "1"} if profiled else {}
    variables |= {"OPENMP": "1"} if openmp else {}
    _build_course("the parts of the simulator do not build", [], {}, verbose=False)
    with _locked(home):
        staging.begin(home)
        done = _make(["program"], variables, COMPILE_LIMITS, verbose=False, env=env)
        if done.status is not None:
            staging.finish(home)
    log = done.stderr.decode(errors="replace")
    if done.status == 0:
        return Build(home / "program", [], program_warnings(log), done.seconds)
    _must_have_run(done)
    if early := early_end(done):
        return Build(None, [f"the compiler {early.reason}"])
    if reason := _fault_of_machine(log):
        raise BuildError(reason, "")
    return Build(None, unlinkable(log) or program_errors(log) or ["make failed"])


def _fault_of_machine(log: str) -> str | None:
    """Why no compiler can work on this machine now, and what to do; None when it can."""
    absent = [name for name in TOOLS if shutil.which(name) is None]
    if absent:
        return f"{', '.join(absent)}: not found on this machine; try ./grade doctor"
    if reason := disk_error(log):
        where = f"to build/ or {tempfile.gettempdir()}"
        return f"the compiler cannot write {where}: {reason}; free some space"
    return None


def _variables(lab: Lab, backend: str, files: tuple[str, ...], out: Path) -> dict[str, str]:
    """The variables of submission.mk."""
    return {
        "LAB": lab.folder,
        "BACKEND": backend,
        "FILES": " ".join(files),
        "OUT": str(out.relative_to(paths.ROOT)),
    }


def _course(lab: Lab) -> str:
    return f"the parts of {lab.id} that come with the course"


def _build_course(problem: str, rules: list[str], variables: dict[str, str], verbose: bool) -> None:
    """Builds what all submissions share: the runtime, and the course's parts that `rules` need.
    Raises BuildError with `problem` as its message."""
    paths.BUILD.mkdir(exist_ok=True)
    with _locked(paths.BUILD):
        needed = ["runtime", *(f"{rule}-given" for rule in rules)]
        done = _make(needed, variables, RUNTIME_LIMITS, verbose)
    if done.status != 0:
        log = done.stderr.decode(errors="replace")
        reason = _fault_of_machine(log)
        raise BuildError(reason or problem, "" if reason else log)


def _make(
    rules: list[str],
    variables: dict[str, str],
    limits: Limits,
    verbose: bool,
    env: dict[str, str] | None = None,
) -> Finished:
    with _start_make(rules, variables, limits, verbose, env) as wait:
        return wait()


@contextlib.contextmanager
def _start_make(
    rules: list[str],
    variables: dict[str, str],
    limits: Limits,
    verbose: bool,
    env: dict[str, str] | None = None,
    view: View | None = None,
) -> Iterator[Callable[[], Finished]]:
    """Starts make, and yields the function that waits for its end. Both may raise BuildError."""
    argv = ["make", "--no-print-directory", f"-j{len(rules)}", "-Otarget", *rules]
    argv += [f"{k}={v}" for k, v in variables.items()]
    argv += ["V=1"] if verbose else []
    with contextlib.ExitStack() as stack:
        with _make_available():
            running = stack.enter_context(launcher.start(argv, limits, paths.ROOT, env, view))

        def wait() -> Finished:
            with _make_available():
                done = running.wait()
            if verbose:
                print(done.stdout.decode(errors="replace"), end="", flush=True)
            return done

        yield wait


@contextlib.contextmanager
def _make_available() -> Iterator[None]:
    """Turns an OSError of the launcher into a BuildError."""
    try:
        yield
    except OSError as problem:
        message = f"make cannot be run: {problem.strerror}; try ./grade doctor"
        raise BuildError(message, "") from problem


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Only one of several graders in this checkout runs make for a folder at a time."""
    try:
        lock = staging.lock(folder)
    except OSError as problem:
        message = f"{folder} cannot be written: {problem.strerror}; try ./grade doctor"
        raise BuildError(message, "") from problem
    with lock:
        yield
