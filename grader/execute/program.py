"""Builds and runs a user's own program on the simulator: `./grade run FILE...`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.compile import make as compiler
from grader.execute.findings import FINDINGS, findings_in
from grader.execute.profile import Launch, Profile, profile, read
from grader.model import submission as submissions
from grader.sandbox import foreground
from grader.sandbox.ending import Finished
from grader.sandbox.workspace import workspace

SUFFIXES = (".cu", ".cpp", ".c")
# nvcc ignores OpenMP's pragmas too, unless an option of the host compiler enables them: a program
# that includes this header was built with one.
OPENMP = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]omp\.h', re.MULTILINE)


class ProgramError(Exception):
    """The program does not build, or one of its files cannot be read: the user has to fix it."""


@dataclass(frozen=True)
class Program:
    """A built program. profiled: it counts its memory accesses."""

    binary: Path
    profiled: bool


def build(files: list[str], include: list[str], profiled: bool) -> Program:
    """Compiles and links the files. include: the folders of -I options. Raises ProgramError, or
    BuildError when a part of the course does not build."""
    key = hashlib.sha256(repr((files, include, profiled)).encode())
    contents = []
    headers = []
    for name in files:
        if Path(name).suffix not in SUFFIXES:
            raise ProgramError(f"{name}: a program is made of {', '.join(SUFFIXES)} files")
        try:
            contents.append(Path(name).read_bytes())
        except OSError as problem:
            raise ProgramError(f"{name}: {problem.strerror}") from problem
        key.update(hashlib.sha256(contents[-1]).digest())
        folders = [Path(name).resolve().parent, *map(Path, include)]
        for header in _headers(contents[-1], folders, set()):
            key.update(hashlib.sha256(header).digest())
            headers.append(header)
    home = paths.BUILD / "program" / key.hexdigest()[:12]
    (home / "src").mkdir(parents=True, exist_ok=True)
    staged = [f"{number}{Path(name).suffix}" for number, name in enumerate(files)]
    for target, content in zip(staged, contents, strict=True):
        file = home / "src" / target
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)
    searched = [*(str(Path(name).resolve().parent) for name in files), *include]
    environment = {"CPATH": ":".join(str(Path(f).resolve()) for f in searched)}
    environment |= {f"NAME{i}": submissions.harmless(name) for i, name in enumerate(files)}
    openmp = any(OPENMP.search(source) for source in (*contents, *headers))
    errors = compiler.make_program(home, staged, profiled, environment, openmp)
    if errors is not None:
        raise ProgramError(errors)
    return Program(home / "program", profiled)


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


def execute(
    program: Program,
    arguments: list[str],
    seconds: float,
    checked: bool = False,
    sample: int | None = 0,
) -> tuple[Finished, Profile]:
    """Runs the program with the terminal's own input and output.

    seconds: its time limit; 0: none.
    checked: with all of the simulator's checks on.
    sample: counts about this many blocks of each launch and scales to all; 0 counts all blocks,
    None counts nothing, which saves half of the time that the checks take.
    Returns how it ended, and what it counted and found; there are no counters of a program that was
    not built to be profiled.
    """
    with workspace() as work:
        environment = os.environ | {"CONVLABS_SIM_FINDINGS": str(work / FINDINGS)}
        if checked:
            environment["CONVLABS_SIM_CHECK"] = "1"
        else:  # what a device does in practice; the checks report who relies on it
            environment["CONVLABS_SIM_FRESH"] = "zeros"
        if program.profiled and sample is not None:
            environment["CONVLABS_SIM_PROFILE"] = str(work / "profile.jsonl")
            environment["CONVLABS_SIM_SAMPLE"] = str(sample)
            environment["CONVLABS_SIM_THREADS"] = "1"  # or counters depend on the number of cores
        done = foreground.run([program.binary, *arguments], seconds, environment)
        raw = work / "profile.jsonl"
        launches: list[Launch] = read(raw.read_bytes(), strict=False) if raw.exists() else []
        findings = findings_in(work, program.binary)
        return done, profile(program.binary, launches, findings)
