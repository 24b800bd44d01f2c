"""Stages the submitted files and builds them with the lab's runner.

The files are copied, by content, to build/<lab>/<key>/src, so that what is graded is what was
read, a path with odd characters never reaches make, and an unchanged file is not built again.
The rules themselves are in the Makefile.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader import files, jail, paths, sandbox, staging
from grader.jail import View
from grader.spec import Lab

COMPILE_LIMITS = sandbox.Limits(
    seconds=90, output=1 << 20, file_size=1 << 28, address_space=None, grace=2
)
TEMPORARY = 1 << 29  # bytes of /tmp that compilers may fill
RUNTIME_LIMITS = sandbox.Limits(seconds=600, output=8 << 20, address_space=None, grace=2)


_TARGETS = {"run": "run-binary", "unit": "test-binary", "speed": "speed-binary"}


class SourceError(Exception):
    """--src names no such place: a usage error."""


class BuildError(Exception):
    """What is ours did not build. `log` is make's output."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log


@dataclass(frozen=True)
class Submission:
    """The files of one lab from one place. `shown` is the folder as the student knows it."""

    lab: Lab
    folder: Path
    shown: str
    contents: dict[str, bytes]
    problems: list[str]  # why a file cannot be graded, in words
    home: Path | None = None  # where it is built; None: build/<lab>, which keeps the last few

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.contents.get(name, b"")).hexdigest()

    def line(self, file: str, number: int) -> str:
        """The text of a line that a message is about, fit to be shown; "" when it is not ours."""
        name = Path(file).name
        if file != f"{self.shown}/{name}":
            return ""
        lines = self.contents.get(name, b"").decode(errors="replace").splitlines()
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return "".join(c if c.isprintable() else "?" for c in text)[:100]

    def open_todos(self, file: str | None = None) -> list[str]:
        """ "shown/file:line" of every numbered TODO that is still there, in one file or in all."""
        return [
            f"{self.shown}/{name}:{number}"
            for name, content in self.contents.items()
            if file in (None, name)
            for number, line in enumerate(content.decode(errors="replace").splitlines(), 1)
            if re.search(r"\bTODO \d+\b", line)
        ]


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler about the student's file."""

    file: str
    line: int
    severity: str
    text: str

    def render(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Build:
    """A finished build. `binary` is None when the student's file does not build.

    `checked` is the same program for the checks that watch it run, where it was asked for: traced
    on the simulator, under sanitizers where the file is plain C. `nvcc` is the file with nvcc's
    words, where those were asked for.
    """

    binary: Path | None
    errors: list[str] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0
    checked: Path | None = None
    nvcc: Path | None = None


def find(lab: Lab, src: str) -> Submission:
    """The submission at `src`: a folder with the lab's files, or one with a folder labN_*.

    Raises SourceError when there is neither.
    """
    place = Path(src)
    if not place.is_absolute() and not place.exists():
        place = paths.ROOT / src  # ./grade works from anywhere; `starter` is the course's
    if not place.is_dir():
        raise SourceError(f"{src} is not a folder")
    inside = sorted(p for p in place.glob(f"{lab.id}_*") if p.is_dir())
    if any((place / name).exists() for name in lab.submit):
        folder = place
    elif inside:
        folder = inside[0]
    elif place.name.startswith(f"{lab.id}_"):
        folder = place  # the right folder, with the file missing
    else:
        raise SourceError(
            f"{src} holds neither {', '.join(lab.submit)} nor a folder {lab.id}_*; "
            f"name the folder with your file: ./grade {lab.id} --src PATH"
        )
    contents: dict[str, bytes] = {}
    problems: list[str] = []
    for name in lab.submit:
        try:
            contents[name] = files.read_regular(folder / name)
        except OSError as problem:
            problems.append(f"{_shown(folder)}/{name} {problem.strerror or problem}")
        else:
            if not contents[name].strip():
                problems.append(f"{_shown(folder)}/{name} is empty")
    return Submission(lab, folder, _shown(folder), contents, problems)


def _shown(folder: Path) -> str:
    """The folder's name for messages and #line: relative where that is shorter, always harmless."""
    resolved = folder.resolve()
    for base in (paths.ROOT, Path.cwd().resolve()):
        if resolved.is_relative_to(base):
            resolved = resolved.relative_to(base)
            break
    return harmless(str(resolved))


def harmless(name: str) -> str:
    """A file's name as it may stand in a #line and on a terminal."""
    return "".join(c if c.isprintable() and c not in '"\\' else "?" for c in name)


def runtime_is_built() -> bool:
    """False when the next build has to compile the simulator first, which takes a while."""
    return (paths.BUILD / "lib" / "plain" / "libsim.a").exists()


def build(
    submission: Submission,
    backend: str,
    verbose: bool = False,
    target: str = "run",
    checked: bool = False,
    files: list[str] | None = None,
    nvcc: bool = False,
) -> Build:
    """Builds the submission's runner ("run"), its unit tests ("unit") or what times it ("speed").

    For "speed" the binary is a shared object of the student's functions; the program that opens it
    is the lab's own: given(). `checked`: the checked program too, at the same time. `files`: only
    these of the submitted ones. `nvcc`: also what nvcc says of the CUDA file.

    Raises BuildError when something of ours does not build or make cannot run.
    """
    lab = submission.lab
    home = submission.home or paths.BUILD / lab.id
    out = staging.stage(home, f"{backend}\0{submission.shown}\0", submission.contents)
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
    with _alone(out):
        staging.begin(out)
        seen = view(lab, out, backend)
        made = _make(targets, ready, COMPILE_LIMITS, verbose, environment, seen)
        if made.status is not None:
            staging.finish(out)
    log = made.stderr.decode(errors="replace")
    diagnostics = diagnostics_in(log, submission.shown)
    warnings = [d for d in diagnostics if d.severity == "warning"]
    if made.status == 0:
        second = out / "checked" if checked else None
        product = "student.so" if target == "speed" else target
        for binary in filter(None, (out / product, second)):
            if binary.is_symlink() or not binary.is_file():
                raise BuildError(f"{binary} is not a file", log)
        report = out / "nvcc.txt" if nvcc else None
        return Build(out / product, [], warnings, made.seconds, second, report)
    errors = _explain(made, log, diagnostics, submission)
    if not errors:
        raise BuildError(f"the parts of {lab.id} that come with the course do not build", log)
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
    limits: sandbox.Limits,
    verbose: bool,
    env: dict[str, str] | None = None,
    view: View | None = None,
) -> sandbox.Finished:
    argv = ["make", "--no-print-directory", f"-j{len(targets)}", "-Otarget", *targets]
    argv += [f"{k}={v}" for k, v in variables.items()]
    argv += ["V=1"] if verbose else []
    try:
        made = sandbox.launch(argv, limits, paths.ROOT, env, view)
    except OSError as problem:
        raise BuildError(
            f"make cannot be run: {problem.strerror}; try ./grade doctor", ""
        ) from problem
    if verbose:
        print(made.stdout.decode(errors="replace"), end="", flush=True)
    return made


def view(lab: Lab, out: Path, backend: str) -> View:
    """What the compiler of a submission sees: its files, the public headers, what is linked."""
    here, common = paths.LABS / lab.folder, paths.LABS / "common"
    lib, ours = paths.BUILD / "lib" / "plain", given(lab, backend)
    reads = [paths.ROOT / "Makefile", *common.glob("*.h"), *here.glob("*.h")]
    reads += [*here.glob("baseline.*"), *here.glob("flags.mk"), *ours.glob("*.o")]
    reads += [lib / "libcommon.a", lib / "libsim.a", lib / "common" / "runner.o", out / "src"]
    if backend == "sim":
        simulator = paths.LABS / "sim"
        reads += [simulator / "include", *simulator.glob("*.py"), *jail.interpreter()]
    jail.give(out)
    # nvcc asks the GPU what it is: -arch=native.
    return View(tuple(reads), (out,), temporary=TEMPORARY, gpu=backend == "gpu")


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


_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?)[:(](?P<line>\d+)(?:[:,]\d+)?\)?:? ?:?\s*(?P<kind>fatal error|error|warning)\s*"
    r"(?:#[\w-]+)?: (?P<text>.*)$"
)
_UNDEFINED = re.compile(r"undefined reference to `(?P<name>[^'(]+)")
_TWICE = re.compile(r"multiple definition of `(?P<name>[^'(]+)")


def diagnostics_in(log: str, shown: str) -> list[Diagnostic]:
    """What gcc, g++ or nvcc say about the student's files, in their order."""
    found = []
    for line in log.splitlines():
        match = _DIAGNOSTIC.match(line)
        if match and match["file"].startswith(shown + "/"):
            severity = "warning" if match["kind"] == "warning" else "error"
            found.append(Diagnostic(match["file"], int(match["line"]), severity, match["text"]))
    return list(dict.fromkeys(found))  # two builds of one file say the same twice


def _explain(
    made: sandbox.Finished, log: str, diagnostics: list[Diagnostic], submission: Submission
) -> list[str]:
    """Why the student's file does not build, the first reason first; [] when it is not theirs."""
    if made.timed_out:
        return [f"compiling took more than {COMPILE_LIMITS.seconds:.0f} s and was stopped"]
    if made.flooded:
        return ["the compiler printed more than a megabyte of messages and was stopped"]
    if made.swollen:
        return [f"the compiler {sandbox.SWOLLEN}"]
    errors = [d for d in diagnostics if d.severity == "error"]
    if errors:
        return listed(errors, submission)
    if twice := sorted({m["name"] for m in _TWICE.finditer(log)}):
        return [
            f"{name} is defined twice: in your file and in the lab's own code; remove yours"
            for name in twice
        ]
    if missing := sorted({m["name"] for m in _UNDEFINED.finditer(log)}):
        names = ", ".join(f"{n}()" for n in missing)
        return [
            f"your file does not define {names}",
            f"labs/{submission.lab.folder}/lab.h says what each must do; "
            "a function of another name or with other parameters does not count",
        ]
    return []


def listed(errors: list[Diagnostic], submission: Submission) -> list[str]:
    """The first of some errors with the student's own line below it, and a few of the others."""
    source = submission.line(errors[0].file, errors[0].line)
    shown = [errors[0].render(), *([f"    {source}"] if source else [])]
    shown += [d.render() for d in errors[1:4]]
    if len(errors) > 4:
        shown.append(f"and {len(errors) - 4} more; the first one often causes the others")
    return shown
