"""Stages the submitted files and builds them with the lab's runner.

The files are copied, by content, to build/<lab>/<key>/src, so that what is graded is what was
read, a path with odd characters never reaches make, and an unchanged file is not built again.
The rules themselves are in labs/common/submission.mk.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from grader import paths
from grader.compile import staging
from grader.compile.compiler_messages import Diagnostic, diagnostics_in, listed, unlinked
from grader.model.spec import Lab
from grader.model.submission import Submission
from grader.sandbox import bubblewrap, launcher
from grader.sandbox.bubblewrap import View

COMPILE_LIMITS = launcher.Limits(
    seconds=90, output=1 << 20, file_size=1 << 28, address_space=None, grace=2
)
TEMPORARY = 1 << 29  # bytes of /tmp that compilers may fill
RUNTIME_LIMITS = launcher.Limits(seconds=600, output=8 << 20, address_space=None, grace=2)


Target = Literal["run", "checked", "unit", "speed"]
_TARGETS: dict[Target, str] = {
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
    """What is ours did not build. `log` is make's output."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log


@dataclass(frozen=True)
class Build:
    """A finished build. `binary` is None when the student's file does not build. `nvcc` is the file
    with nvcc's words, where those were asked for.

    The runner for the checks that watch it run is traced on the simulator, and under sanitizers
    where the file is plain C.
    """

    binary: Path | None
    errors: list[str] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0
    nvcc: Path | None = None


def runtime_is_built() -> bool:
    """False when the next build has to compile the simulator first, which takes a while."""
    return (paths.BUILD / "lib" / "plain" / "libsim.a").exists()


def build(
    submission: Submission,
    backend: str,
    verbose: bool = False,
    target: Target = "run",
    checked: bool = False,
    files: list[str] | None = None,
    nvcc: bool = False,
) -> Build:
    """Builds the submission's runner ("run"), the one for the checks that watch it ("checked"), its
    unit tests ("unit") or what times it ("speed").

    For "speed" the binary is a shared object of the student's functions; the program that opens it
    is the lab's own: given(). `checked`: the checked program too, at the same time. `files`: only
    these of the submitted ones. `nvcc`: also what nvcc says of the CUDA file.

    Raises BuildError when something of ours does not build or make cannot run.
    """
    with building(submission, backend, verbose, target, checked, files, nvcc) as finish:
        return finish()


@contextlib.contextmanager
def building(
    submission: Submission,
    backend: str,
    verbose: bool = False,
    target: Target = "run",
    checked: bool = False,
    files: list[str] | None = None,
    nvcc: bool = False,
) -> Iterator[Callable[[], Build]]:
    """Starts what build() does. What it yields waits for the end; both may raise BuildError. What
    is still being built at the end of the block is given up."""
    lab = submission.lab
    home = submission.home or paths.BUILD / lab.id
    kind = f"{backend}\0{submission.shown}\0{_rules(lab)}\0"
    out = staging.stage(home, kind, submission.contents)
    targets = [_TARGETS[target], *(["checked-binary"] * checked), *(["nvcc-report"] * nvcc)]
    variables = {
        "LAB": lab.folder,
        "BACKEND": backend,
        "FILES": " ".join(files or lab.submit),
        "OUT": str(out.relative_to(paths.ROOT)),
    }
    _ready(f"the parts of {lab.id} that come with the course", targets, variables, verbose)
    environment = {"SHOWN": submission.shown, "PYTHONDONTWRITEBYTECODE": "1"}
    ready = variables | {"READY": "1"}
    with contextlib.ExitStack() as alone:
        alone.enter_context(_alone(out))
        staging.begin(out)
        seen = view(lab, out, backend)
        making = _making(targets, ready, COMPILE_LIMITS, verbose, environment, seen)
        finish = alone.enter_context(making)

        def finished() -> Build:
            made = finish()
            if made.status is not None:
                staging.finish(out)
            alone.close()  # others may build here before the block ends
            binaries = [out / _PRODUCTS[target], *([out / "checked"] * checked)]
            return _built(made, submission, binaries, out / "nvcc.txt" if nvcc else None)

        yield finished


def _built(
    made: launcher.Finished, submission: Submission, binaries: list[Path], report: Path | None
) -> Build:
    """What make has come to: the binaries, or why there are none. Raises BuildError."""
    log = made.stderr.decode(errors="replace")
    diagnostics = diagnostics_in(log, submission.shown)
    warnings = [d for d in diagnostics if d.severity == "warning"]
    if made.status == 0:
        for binary in binaries:
            if binary.is_symlink() or not binary.is_file():
                raise BuildError(f"{binary} is not a file", log)
        return Build(binaries[0], [], warnings, made.seconds, report)
    errors = _explain(made, log, diagnostics, submission)
    if not errors:
        course = f"the parts of {submission.lab.id} that come with the course"
        raise BuildError(f"{course} do not build", log)
    return Build(None, errors, warnings, made.seconds)


def prepare(lab: Lab, backend: str, timed: bool) -> None:
    """Builds what comes with the course once for all submissions. Raises BuildError."""
    speed = timed and lab.speed and backend != "sim"
    kinds = ["run-binary", "checked-binary"][: 1 if backend == "gpu" else 2]
    kinds += ["speed-binary"] if speed else []
    variables = {"LAB": lab.folder, "BACKEND": backend, "FILES": " ".join(lab.submit)}
    variables["OUT"] = str((paths.BUILD / lab.id).relative_to(paths.ROOT))
    _ready(f"the parts of {lab.id} that come with the course", kinds, variables, verbose=False)


def given(lab: Lab, backend: str) -> Path:
    """Where the lab's own parts are built: the timing program, baseline.so, reference.so."""
    return paths.BUILD / "given" / lab.folder / backend


def make_program(home: Path, staged: list[str], traced: bool, env: dict[str, str]) -> str | None:
    """Builds home/program from the files in home/src. Returns None, or what the compiler said."""
    variables = {"PROGRAM": str(home.relative_to(paths.ROOT)), "FILES": " ".join(staged)}
    variables |= {"TRACED": "1"} if traced else {}
    _ready("the parts of the simulator", [], {}, verbose=False)
    with _alone(home):
        made = _make(["program"], variables, COMPILE_LIMITS, verbose=False, env=env)
    if made.status == 0:
        return None
    lines = made.stderr.decode(errors="replace").splitlines()
    return "\n".join(line for line in lines if not line.startswith("make: ")) or "make failed"


def _make(
    targets: list[str],
    variables: dict[str, str],
    limits: launcher.Limits,
    verbose: bool,
    env: dict[str, str] | None = None,
) -> launcher.Finished:
    with _making(targets, variables, limits, verbose, env) as finish:
        return finish()


@contextlib.contextmanager
def _making(
    targets: list[str],
    variables: dict[str, str],
    limits: launcher.Limits,
    verbose: bool,
    env: dict[str, str] | None = None,
    view: View | None = None,
) -> Iterator[Callable[[], launcher.Finished]]:
    """Starts make; what it yields waits for the end. Both may raise BuildError."""
    argv = ["make", "--no-print-directory", f"-j{len(targets)}", "-Otarget", *targets]
    argv += [f"{k}={v}" for k, v in variables.items()]
    argv += ["V=1"] if verbose else []
    with contextlib.ExitStack() as stack:
        with _calling_make():
            command = launcher.started(argv, limits, paths.ROOT, env, view)
            running = stack.enter_context(command)

        def finish() -> launcher.Finished:
            with _calling_make():
                made = running.finish()
            if verbose:
                print(made.stdout.decode(errors="replace"), end="", flush=True)
            return made

        yield finish


@contextlib.contextmanager
def _calling_make() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        what = f"make cannot be run: {problem.strerror}; try ./grade doctor"
        raise BuildError(what, "") from problem


def _sources(lab: Lab) -> list[Path]:
    """What decides, besides the submitted files, what is made of them: rules, flags and headers."""
    here, common, simulator = paths.LABS / lab.folder, paths.LABS / "common", paths.LABS / "sim"
    found = [*common.rglob("*.h"), *here.glob("*.h"), *here.glob("flags.mk")]
    found += [*(simulator / "translate").glob("*.py"), *(simulator / "include").glob("*.h")]
    return [paths.ROOT / "Makefile", common / "submission.mk", *sorted(found)]


def _rules(lab: Lab) -> str:
    """A hash of them: after an update of the course nothing built by the old one is used."""
    digests = [hashlib.sha256(source.read_bytes()).digest() for source in _sources(lab)]
    return hashlib.sha256(b"".join(digests)).hexdigest()


def view(lab: Lab, out: Path, backend: str) -> View:
    """What the compiler of a submission sees: its files, the public headers, what is linked."""
    here = paths.LABS / lab.folder
    lib, ours = paths.BUILD / "lib" / "plain", given(lab, backend)
    headers = paths.LABS / "sim" / "include"  # as one: each thing that is shown takes half a ms
    reads = [headers, *(source for source in _sources(lab) if source.parent != headers)]
    reads += [*here.glob("baseline.*"), *ours.glob("*.o")]
    reads += [lib / f"lib{name}.a" for name in ("common", "sim", "openmp_race")]
    reads += [lib / "common" / "runner" / "runner.o", out / "src"]
    if backend == "sim":
        reads += bubblewrap.interpreter()
    bubblewrap.give(out, compiler=True)
    # nvcc asks the GPU what it is: -arch=native.
    gpu = backend == "gpu"
    return View(tuple(reads), (out,), temporary=TEMPORARY, compiler=True, gpu=gpu)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two graders in one checkout take turns at what make puts into a folder."""
    try:
        lock = staging.lock(folder)
    except OSError as problem:
        raise BuildError(
            f"{folder} cannot be written: {problem.strerror}; try ./grade doctor", ""
        ) from problem
    with lock:
        yield


def _ready(what: str, targets: list[str], variables: dict[str, str], verbose: bool) -> None:
    """Builds what all submissions share: the runtime and what `targets` need of the course's own.

    Raises BuildError.
    """
    wanted = ["runtime", *(f"{target}-given" for target in targets)]
    paths.BUILD.mkdir(exist_ok=True)
    with _alone(paths.BUILD):
        made = _make(wanted, variables, RUNTIME_LIMITS, verbose)
    if made.status != 0:
        raise BuildError(f"{what} do not build", made.stderr.decode(errors="replace"))


def _explain(
    made: launcher.Finished, log: str, diagnostics: list[Diagnostic], submission: Submission
) -> list[str]:
    """Why the student's file does not build, the first reason first; [] when it is not theirs."""
    if made.timed_out:
        return [f"compiling took more than {COMPILE_LIMITS.seconds:.0f} s and was stopped"]
    if made.flooded:
        return ["the compiler printed more than a megabyte of messages and was stopped"]
    if made.swollen:
        return [f"the compiler {launcher.SWOLLEN}"]
    errors = [d for d in diagnostics if d.severity == "error"]
    return listed(errors, submission) if errors else unlinked(log, submission)
