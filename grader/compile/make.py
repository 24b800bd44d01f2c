"""Compiles submissions, and the course's parts that they are linked with, by calling make.

The submitted files are staged (staging.py) and compiled in the sandbox; the rules for make are in
labs/runtime/submission.mk.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from grader import files, paths
from grader.compile import cuda_words, make_process, probable_causes, sources, staging
from grader.compile.compiler_messages import (
    Diagnostic,
    diagnostics_in,
    errors_in_headers,
    given_up,
    last_error,
    listed,
    machine_ended,
    program_errors,
    program_warnings,
    unassembled,
    unlinkable,
    unlinked,
)
from grader.compile.make_process import BuildError, Waiting
from grader.compile.probable_causes import Cause
from grader.model.lab import Lab
from grader.model.submission import Submission
from grader.sandbox.ending import Finished, early_end
from grader.sandbox.limits import Limits

if TYPE_CHECKING:
    from grader.compile.permitted.submission_check import Product
    from grader.compile.permitted.symbol_rules import Kind

# nvcc, which may be called as well, has a limit of its own: labs/runtime/submission.mk.
COMPILE_LIMITS = Limits(seconds=90, output=1 << 20, file_size=1 << 28, address_space=None, grace=2)
RUNTIME_LIMITS = Limits(seconds=600, output=8 << 20, address_space=None, grace=2)

Target = Literal["run", "checked", "unit", "speed", "nvcc", "code"]
REPORTS = ("nvcc", "code")  # of nvcc: no program, and nothing of the course is linked
# What is shown last lets others go first: how much.
NICE_NVCC = 8
WARNED = "warned.txt"  # what the compilers of the plain program printed, for later gradings
# Of products; others have their target's.
_NAMES = {"speed": "student.so", "nvcc": "nvcc.txt", "code": "code.txt"}


@dataclass(frozen=True)
class BuildRequest:
    """What to build of a submission.

    target: "run", the submission's runner; "checked", the instrumented runner, with profiles on
        the simulator and with sanitizers on the CPU; "unit", its unit tests; "speed", a shared
        object of its functions, which the lab's timing program in sources.course_build() opens;
        "nvcc", no program: a file with nvcc's messages about the CUDA file; "code", the same of an
        optimized build, beside its machine code.
    checked: also builds the instrumented runner, at the same time.
    files: builds only these of the submitted files; None builds all.
    reference: an object of the course's solution to time, where its source is not in this copy.
    verbose: prints make's commands.
    """

    submission: Submission
    backend: str
    target: Target = "run"
    checked: bool = False
    files: tuple[str, ...] | None = None
    reference: Path | None = None
    verbose: bool = False

    def rules(self) -> list[str]:
        """The rules of submission.mk that make the products."""
        first = f"{self.target}-{'report' if self.target in REPORTS else 'binary'}"
        return [first, *(["checked-binary"] if self.checked else [])]

    def binaries(self, out: Path) -> list[Path]:
        """The programs that make leaves in `out`, that of `target` first."""
        first = _NAMES.get(self.target, self.target)
        return [out / name for name in (first, *(["checked"] if self.checked else []))]


@dataclass(frozen=True)
class Build:
    """A finished build. `binary` is None when the student's file does not build: see `errors`.
    causes: which warnings may be why the program is wrong."""

    binary: Path | None
    errors: list[str] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0
    causes: list[Cause] = field(default_factory=list)


def runtime_is_built() -> bool:
    """False when the next build has to compile the simulator first, which takes a while."""
    return (paths.BUILD / "lib" / "plain" / "libsim.a").exists()


def build(request: BuildRequest) -> Build:
    """Builds what is requested. Raises BuildError when a part of the course does not build or make
    cannot run; MachineBusyError where building again on an idle machine could help."""
    with start(request) as wait:
        return wait()


@contextlib.contextmanager
def start(request: BuildRequest, is_prepared: bool = False) -> Iterator[Waiting[Build]]:
    """Starts what build() does, and yields what waits for the result. A build that is not finished
    at the end of the block is killed. Both may raise BuildError. is_prepared: after prepare()."""
    submission = request.submission
    lab = submission.lab
    home = submission.home or paths.BUILD / lab.id
    names = {name: submission.path(name) for name in submission.contents}
    # What may run at the same time has a folder of its own.
    own = {
        "nvcc": "nvcc",
        "code": "code",
        "checked": f"{request.backend} checked",
        "speed": f"{request.backend} speed {request.files}",
    }
    apart = own.get(request.target, request.backend)
    kind = f"{apart}\0{sorted(names.items())}\0{sources.key(lab)}\0{sources.given_of(lab)}\0"
    out = staging.stage(home, kind, submission.contents)
    variables = _variables(lab, request.backend, request.files or tuple(lab.submit), out)
    if request.reference and not lab.variant:  # that object has the usual values
        variables |= {"REFERENCE_OBJECT": str(request.reference.relative_to(paths.ROOT))}
    if request.target not in REPORTS and not is_prepared:
        _build_course(f"{_course(lab)} do not build", request.rules(), variables, request.verbose)
    with contextlib.ExitStack() as locked:
        locked.enter_context(make_process.locked(out))
        locked.enter_context(staging.building(out))
        running = make_process.start(
            request.rules(),
            variables | {"READY": "1"},
            COMPILE_LIMITS,
            request.verbose,
            env=shown(names) | {"PYTHONDONTWRITEBYTECODE": "1"},
            view=sources.view(lab, out, request.backend),
            nice=NICE_NVCC if request.target == "nvcc" else 0,
            # The program that gives the first verdict is built meanwhile.
            at_a_time=1 if request.target == "checked" else make_process.FILES,
        )
        wait_for_make = locked.enter_context(running)

        def wait() -> Build:
            done = wait_for_make()
            if done.status is not None:
                staging.finish(out)
            locked.close()  # another grader may build here before the block ends
            return _result(done, request, out)

        yield Waiting(wait, wait_for_make.has_ended)


def _result(done: Finished, request: BuildRequest, out: Path) -> Build:
    """What make built, or why it did not. Raises BuildError when the student is not to blame."""
    submission = request.submission
    log = done.stderr.decode(errors="replace")
    diagnostics = diagnostics_in(log, submission.shown)
    kept = "".join(f.read_text(errors="replace") for f in sorted(out.glob("*.ii.warnings")))
    warned = diagnostics_in(kept + log, submission.shown)
    warnings = [d for d in warned if d.severity == "warning"]
    make_process.must_have_run(done)
    if refused := _refused(request, out, done.status == 0):
        return Build(None, listed(refused, submission), warnings, done.seconds)
    if done.status == 0:
        binaries = request.binaries(out)
        for binary in binaries:
            if binary.is_symlink() or not binary.is_file():
                raise BuildError(f"{binary} is not a file", log)
        causes = _causes(log, submission, out) if request.target == "run" else []
        return Build(binaries[0], [], warnings, done.seconds, causes)
    errors = _student_errors(done, log, diagnostics, submission)
    if not errors:
        if reason := make_process.fault_of_machine(log):
            raise BuildError(reason, "")
        if machine_ended(log) or _is_starter(submission) or not _starter_builds(request):
            raise BuildError(f"{_course(submission.lab)} do not build", log)
        headers = errors_in_headers(log, submission.shown)
        errors = listed(headers, submission) if headers else last_error(log)
    return Build(None, errors, warnings, done.seconds)


def _causes(log: str, submission: Submission, out: Path) -> list[Cause]:
    """The probable causes among the warnings of the plain program, which is made once."""
    warned = out / WARNED
    with contextlib.suppress(OSError):
        if not warned.exists():
            files.replace(warned, log.encode(), sync=False)
        log = files.read_regular(warned).decode(errors="replace")
    return probable_causes.causes(log, diagnostics_in(log, submission.shown), submission)


def _starter(lab: Lab) -> dict[str, bytes]:
    """The lab's files as students get them."""
    given = paths.LABS / lab.folder / "starter"  # of a student's copy, who changes starter/
    folder = given if given.is_dir() else paths.ROOT / "starter" / lab.folder
    return {name: (folder / name).read_bytes() for name in lab.submit}


def _is_starter(submission: Submission) -> bool:
    return submission.contents == _starter(submission.lab)


def _starter_builds(request: BuildRequest) -> bool:
    """Can this machine build anything of the lab? Otherwise an error is no fault of the file."""
    submission = replace(request.submission, contents=_starter(request.submission.lab))
    try:
        return build(replace(request, submission=submission)).binary is not None
    except BuildError:
        return False


def _objects(request: BuildRequest, out: Path) -> list[list[Product]]:
    """The objects that make leaves in `out`, those of each program together."""
    from grader.compile.permitted.submission_check import Product

    if request.target in REPORTS:
        return []
    files = request.files or tuple(request.submission.lab.submit)
    c_files = [name for name in files if name.endswith(".c")]
    kinds: list[Kind] = ["timed" if request.target == "speed" else "plain"]
    kinds = ["checked"] if request.target == "checked" else kinds
    kinds += ["checked"] if request.checked else []
    groups = [(kind, files) for kind in kinds]
    groups += [("raced", tuple(c_files))] if "checked" in kinds else []
    return [
        [Product.of(out, name, kind, request.backend) for name in names] for kind, names in groups
    ]


def _refused(request: BuildRequest, out: Path, built: bool) -> list[Diagnostic]:
    """What the submission's code may not do. built: make made everything; what it did not make is
    not missed otherwise. Raises BuildError when a product cannot be read."""
    # With NumPy: imported while the compilers run.
    from grader.compile.permitted import submission_check
    from grader.compile.permitted.elf import ObjectError

    groups = _objects(request, out)
    try:
        for product in (p for group in groups if built for p in group):
            for file in (product.file, product.text):
                if not file.exists():
                    raise FileNotFoundError(f"{file} was not made")
        return submission_check.find(request.submission, out, groups, request.backend)
    except (OSError, ObjectError) as problem:
        message = f"the objects of {request.submission.lab.id} cannot be read"
        raise BuildError(message, str(problem)) from problem


def _student_errors(
    done: Finished, log: str, diagnostics: list[Diagnostic], submission: Submission
) -> list[str]:
    """Why the student's file does not build, the first reason first; [] when the reason is not in
    that file."""
    if done.stopped_by and (early := early_end(done)):
        return [f"the compiler {early.reason}"]
    errors = [d for d in diagnostics if d.severity == "error"]
    if errors := cuda_words.reworded(errors, log, submission):
        return listed(errors, submission)
    return unassembled(log) or given_up(log) or unlinked(log, submission)


def shown(names: Mapping[str, str]) -> dict[str, str]:
    """The environment that tells submission.mk how messages name each file."""
    return {"SHOWN_" + re.sub("[.-]", "_", name): path for name, path in names.items()}


def prepare(lab: Lab, backend: str, timed: bool, verbose: bool = False) -> None:
    """Builds the course's parts of a lab once, before several builds. timed: those for timing as
    well. Raises BuildError."""
    rules = ["run-binary"] if backend == "gpu" else ["run-binary", "checked-binary"]
    rules += ["speed-binary"] if timed and lab.speed and backend != "sim" else []
    variables = _variables(lab, backend, tuple(lab.submit), paths.BUILD / lab.id)
    _build_course(f"{_course(lab)} do not build", rules, variables, verbose)


@dataclass
class ProgramOptions:
    """How a user's own program is compiled. defines: NAME or NAME=VALUE, of the program's own text.
    flags: for all files and their headers, such as -DNDEBUG. include: the folders of -I. libraries:
    for the linker, such as -lpng. standard: of C++, where it is newer than the simulator's own.
    openmp: its host code uses OpenMP. cuda: each file is a .cu file, whatever its name. own_copies:
    each has its own __constant__ and __device__ variables of a header, as in nvcc without -rdc.
    columns: those of __shared__ arrays are checked, which may change counters."""

    defines: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    include: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    standard: str = ""
    openmp: bool = False
    cuda: bool = False
    own_copies: bool = False
    columns: bool = False

    def variables(self) -> dict[str, str]:
        """As the variables of make."""
        words = {"PROGRAM_FLAGS": self.flags, "PROGRAM_LIBRARIES": self.libraries}
        words["PROGRAM_DEFINES"] = [word for text in self.defines for word in ("--define", text)]
        words["PROGRAM_HOST_DEFINES"] = [f"-D{text}" for text in self.defines]
        found = {name: shlex.join(v).replace("$", "$$") for name, v in words.items() if v}
        found |= {"PROGRAM_STD": shlex.quote(f"-std={self.standard}")} if self.standard else {}
        return found | ({"OPENMP": "1"} if self.openmp else {}) | (
            {"OWN_COPIES": "1"} if self.own_copies else {}) | (
            {"COLUMNS": "1"} if self.columns else {})  # fmt: skip


def make_program(
    home: Path,
    files: list[str],
    profiled: bool,
    env: dict[str, str],
    options: ProgramOptions,
    coded: bool = False,
) -> Build:
    """Builds home/program, a user's own program, from files in home/src. When that fails, the
    errors are what the compiler printed. The warnings are those of the files that this call
    compiled: none when all is up to date. coded: also makes the machine code of each CUDA file,
    beside nvcc's messages in home/0.txt, home/1.txt, ... Raises BuildError."""
    variables = {"PROGRAM": str(home.relative_to(paths.ROOT)), "FILES": " ".join(files)}
    variables |= {"TRACED": "1"} if profiled else {}
    variables |= options.variables()
    _build_course("the parts of the simulator do not build", [], {}, verbose=False)
    with make_process.locked(home), staging.building(home):
        rules = ["program", *(["program-code"] if coded else [])]
        done = make_process.run_make(rules, variables, COMPILE_LIMITS, verbose=False, env=env)
        if done.status is not None:
            staging.finish(home)
    log = done.stderr.decode(errors="replace")
    if done.status == 0:
        return Build(home / "program", [], program_warnings(log), done.seconds)
    make_process.must_have_run(done)
    if early := early_end(done):
        return Build(None, [f"the compiler {early.reason}"])
    if reason := make_process.fault_of_machine(log):
        raise BuildError(reason, "")
    return Build(None, unlinkable(log) or program_errors(log) or ["make failed"])


def _variables(lab: Lab, backend: str, files: tuple[str, ...], out: Path) -> dict[str, str]:
    """The variables of submission.mk."""
    return {
        "VARIANT": " ".join(f"-D{name}={value}" for name, value in sorted(lab.variant.items())),
        "GIVEN_OF": sources.given_of(lab),
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
    with make_process.locked(paths.BUILD):
        needed = ["runtime", *(f"{rule}-given" for rule in rules)]
        # Plain C includes none of the simulator's headers.
        if variables and ".cu" not in variables["FILES"]:
            variables = variables | {"PRECOMPILED": ""}
        done = make_process.run_make(needed, variables, RUNTIME_LIMITS, verbose)
    if done.status != 0:
        log = done.stderr.decode(errors="replace")
        reason = make_process.fault_of_machine(log)
        raise BuildError(reason or problem, "" if reason else log)
