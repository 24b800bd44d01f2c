"""Builds and runs a user's own program on the simulator: `./grade run FILE...`."""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from grader import paths
from grader.compile import make as compiler
from grader.compile import sources, staging
from grader.compile.compiler_messages import Diagnostic
from grader.execute import accesses, steps
from grader.execute.accesses import WarpAccess
from grader.execute.finding_lines import in_order
from grader.execute.profile import Launch, Profile, profile, read_launches
from grader.execute.steps import Recording
from grader.files import no_source
from grader.model import outline, plain_text, spec
from grader.model.finding import Finding
from grader.sandbox import foreground
from grader.sandbox.ending import Finished
from grader.sandbox.workspace import read_output, workspace

KEPT = 60  # built programs; one has about 2 MB
PROFILE, FINDINGS = "profile.jsonl", "findings.jsonl"
STEPS = "steps.jsonl"
MOST_RECORDED = 1 << 23  # bytes
MOST_FINDINGS = 1 << 20  # bytes
SILENT = 2  # seconds before the simulator says how far a kernel is
ERASE = "\033[K"  # to the right of the cursor
CPP = (".cpp", ".cc", ".cxx", ".C", ".c++")
SUFFIXES = (".cu", ".c", *CPP)
MAIN = re.compile(rb"\bmain\s*\(")
# Of a program for nvcc -rdc=true: a variable of another file.
OF_ANOTHER_FILE = re.compile(rb"\bextern\b[^;{}()]*__(?:constant|device|managed)__")
# nvcc ignores OpenMP's pragmas too, unless an option of the host compiler enables them: a program
# that includes this header was built with one, unless it asks first.
OPENMP = re.compile(
    rb'^(?P<asks>[ \t]*#[ \t]*if.*_OPENMP.*\n)?[ \t]*#[ \t]*include[ \t]*[<"]omp\.h', re.MULTILINE
)


class LostError(Exception):
    """The counters or findings of a run could not be written to build/run."""


NO_HEADER = re.compile(r"fatal error: (\S+): No such file")
NO_LIBRARY = re.compile(r"cannot find (-l\S+?):? ")


class ProgramError(Exception):
    """The program does not build, or one of its files cannot be read: the user has to fix it."""


@dataclass(frozen=True)
class Program:
    """A built program. profiled: it counts its memory accesses. warnings: the compiler's, about
    the program's own files; none when nothing had to be compiled."""

    binary: Path
    profiled: bool
    warnings: list[Diagnostic]


def build(
    files: list[str],
    profiled: bool,
    options: compiler.ProgramOptions | None = None,
    announce: Callable[[], None] = lambda: None,
    coded: bool = False,
) -> Program:
    """Compiles and links the files. announce: called once they are read and nothing is wrong with
    them. coded: its machine code is made, too (make_program). Raises ProgramError, BuildError when
    a part of the course does not build."""
    options = options or compiler.ProgramOptions()
    contents = []
    headers: list[bytes] = []
    flags = options.flags
    forced = [f'#include "{name}"\n' for f, name in pairwise(flags) if f == "-include"]
    for name in files:
        if Path(name).suffix not in SUFFIXES:
            raise ProgramError(f"{name}: a program is made of {', '.join(SUFFIXES)} files")
        try:
            contents.append(Path(name).read_bytes())
        except OSError as problem:
            raise ProgramError(f"{name}: {problem.strerror}") from problem
        folders = [Path(name).resolve().parent, *map(Path, options.include)]
        headers += _headers(os.fsencode("".join(forced)) + contents[-1], folders, set())
    _refuse_files(files, contents)
    texts = [*contents, *headers]
    openmp = options.openmp or any(_uses_openmp(text) for text in texts)
    suffixes = [".cu" if options.cuda else Path(name).suffix for name in files]
    own_copies = suffixes.count(".cu") > 1 and not any(
        OF_ANOTHER_FILE.search(text) for text in texts
    )
    options = replace(options, openmp=openmp, own_copies=own_copies)
    kind = hashlib.sha256(repr((files, options, profiled, sources.compilers())).encode())
    for header in headers:
        kind.update(hashlib.sha256(header).digest())
    staged = {f"{i}{'.cpp' if s in CPP else s}": contents[i] for i, s in enumerate(suffixes)}
    home = staging.stage(paths.BUILD / "program", kind.hexdigest(), staged, KEPT)
    searched = [*(str(Path(name).resolve().parent) for name in files), *options.include]
    environment = {"CPATH": ":".join(str(Path(f).resolve()) for f in searched)}
    environment |= {f"NAME{i}": plain_text.name(name) for i, name in enumerate(files)}
    announce()
    result = compiler.make_program(home, list(staged), profiled, environment, options, coded)
    if result.binary is None:
        raise ProgramError("\n".join([*result.errors, *_what_to_do(result.errors)]))
    return Program(result.binary, profiled, result.warnings)


def _what_to_do(errors: list[str]) -> list[str]:
    """What to do about a header or a library that is not there."""
    text = "\n".join(errors)
    advice = [
        f"{header}: give -I and the name of its folder to ./grade run, or install the package that "
        "has it"
        for header in NO_HEADER.findall(text)
    ]
    return advice + [
        f"{library}: install its development files, or give -L and the name of its folder"
        for library in NO_LIBRARY.findall(text)
    ]


def _uses_openmp(text: bytes) -> bool:
    return any(found["asks"] is None for found in OPENMP.finditer(text))


def _refuse_files(files: list[str], contents: list[bytes]) -> None:
    """Raises ProgramError about a file that no compiler can read, and about one that is a lab's."""
    for name, content in zip(files, contents, strict=True):
        if what := no_source(content):
            raise ProgramError(f"{name}: the file is {what}")
    if any(MAIN.search(content) for content in contents):
        return
    for name in files:
        for lab in map(spec.load, outline.available()):
            if Path(name).name in lab.submit:
                what = f"{name}: this is {lab.id}'s file: ./grade {lab.id} --src {name}"
                raise ProgramError(what)


def _headers(content: bytes, folders: list[Path], visited: set[Path]) -> Iterator[bytes]:
    """The contents of the headers in `folders` that a source includes, directly or through others:
    a program is built again when one of them changes. visited: headers that are not repeated."""
    for name in re.findall(
        rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', content, re.MULTILINE
    ):
        path = next((p for f in folders if (p := f / os.fsdecode(name)).is_file()), None)
        if path is not None and path.resolve() not in visited:
            visited.add(path.resolve())
            header = path.read_bytes()
            yield header
            yield from _headers(header, [path.parent, *folders[1:]], visited)


_CHECKED = {"CONVLABS_SIM_FAULT": "error", "CONVLABS_SIM_CHECK": "1"}
# What a device does in practice; the checks report who relies on it.
_UNCHECKED = {"CONVLABS_SIM_FAULT": "error", "CONVLABS_SIM_FRESH": "zeros"}


def execute(
    program: Program,
    arguments: list[str],
    seconds: float,
    checked: bool = False,
    sample: int | None = 0,
    progress: bool = False,
) -> tuple[Finished, Profile]:
    """Runs the program with the terminal's own input and output.

    seconds: its time limit; 0: none.
    checked: with all of the simulator's checks on.
    sample: counts about this many blocks of each launch and scales to all; 0 counts all blocks,
    None counts nothing, which saves half of the time that the checks take.
    progress: stderr is a terminal; a line on it says how far a long kernel is.
    Returns how it ended, and what it counted and found; there are no counters of a program that was
    not built to be profiled. Raises LostError, and OSError.
    """
    environment = _CHECKED if checked else _UNCHECKED
    done, launches, findings = _run(program, arguments, seconds, environment, sample, progress)
    return done, profile(program.binary, launches, findings)


def execute_counted(
    program: Program, arguments: list[str], seconds: float, sample: int, progress: bool = False
) -> tuple[Finished, list[Launch], list[Finding]]:
    """As execute(), with the counters as the simulator wrote them."""
    return _run(program, arguments, seconds, _UNCHECKED, sample, progress)


@dataclass(frozen=True)
class ToStep:
    """What a run shows of where to step through it: its counters, and a warp of each access."""

    profile: Profile
    warps: list[WarpAccess]


def execute_to_step(
    program: Program, arguments: list[str], seconds: float, progress: bool = False
) -> tuple[Finished, ToStep]:
    """As execute() with all checks on and all blocks counted; findings name their launch."""
    settings = _CHECKED | {"CONVLABS_SIM_STEPS": "store:0:0"}
    done, launches, findings, kept = _run_kept(program, arguments, seconds, settings, 0, progress)
    warps = accesses.of_warps(program.binary, kept)
    return done, ToStep(profile(program.binary, launches, findings), warps)


def record_block(
    program: Program, arguments: list[str], seconds: float, block: str
) -> Recording | None:
    """Runs the program again, without input and without its output, and records a block
    (execute/steps.py); None where the simulator did not come to it."""
    settings = _CHECKED | {"CONVLABS_SIM_STEPS": block}
    *_, kept = _run_kept(program, arguments, seconds, settings, 0, quiet=True)
    return steps.read(kept, program.binary)


def execute_sampled(
    program: Program, arguments: list[str], seconds: float, sample: int, progress: bool = False
) -> tuple[Finished, list[Launch], list[Finding]]:
    """As execute(), for a prediction: only about `sample` blocks of each launch run, so its results
    are incomplete. Returns what they counted, scaled to all blocks, and what was found."""
    environment = {"CONVLABS_SIM_FRESH": "zeros", "CONVLABS_SIM_PREDICT": "1"}
    return _run(program, arguments, seconds, environment, sample, progress)


def _run(
    program: Program,
    arguments: list[str],
    seconds: float,
    settings: dict[str, str],
    sample: int | None,
    progress: bool,
) -> tuple[Finished, list[Launch], list[Finding]]:
    return _run_kept(program, arguments, seconds, settings, sample, progress)[:3]


def _run_kept(
    program: Program,
    arguments: list[str],
    seconds: float,
    settings: dict[str, str],
    sample: int | None,
    progress: bool = False,
    quiet: bool = False,
) -> tuple[Finished, list[Launch], list[Finding], bytes]:
    """Also returns what CONVLABS_SIM_STEPS asked for. quiet: the program
    gets no input and prints nothing."""
    with workspace() as work:
        environment = os.environ | settings | {"CONVLABS_SIM_FINDINGS": str(work / FINDINGS)}
        written = [work / FINDINGS]
        if program.profiled and sample is not None:
            written.append(work / PROFILE)
            environment["CONVLABS_SIM_PROFILE"] = str(work / PROFILE)
            environment["CONVLABS_SIM_SAMPLE"] = str(sample)
        if progress:
            environment["CONVLABS_SIM_PROGRESS"] = "1"
        if seconds:
            environment["CONVLABS_SIM_TIMED"] = "1"
        kept = work / STEPS
        environment["CONVLABS_SIM_STEPS_FILE"] = str(kept)
        for file in written:
            file.touch()
        done = foreground.run_in_foreground(
            [program.binary, *arguments], seconds, environment, quiet
        )
        if progress and done.seconds >= SILENT:  # a program that was killed leaves its line
            print(ERASE, end="", file=sys.stderr, flush=True)
        if program.profiled and not all(file.exists() for file in written):
            raise LostError("the simulator cannot write to build/run; is the disk full?")
        raw = work / PROFILE
        launches: list[Launch] = (
            read_launches(raw.read_bytes(), strict=False) if raw.exists() else []
        )
        findings = in_order(read_output(work / FINDINGS, MOST_FINDINGS), program.binary)
        recorded = read_output(kept, MOST_RECORDED) if kept.exists() else b""
        return done, launches, findings, recorded
