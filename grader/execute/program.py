"""Builds and runs a program of the user's own on the simulator: `./grade run FILE...`."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.compile import make as build
from grader.execute.case import findings_in, workspace
from grader.execute.profile import Launch, Profile, profile, read
from grader.model import submission as submissions

SUFFIXES = (".cu", ".cpp", ".c")


class ProgramError(Exception):
    """The program does not build, or a file of it cannot be read: the user's to mend."""


@dataclass(frozen=True)
class Program:
    """A built program. `traced`: it counts its memory accesses."""

    binary: Path
    traced: bool


def make(files: list[str], include: list[str], traced: bool) -> Program:
    """Compiles and links the files. Raises ProgramError, and BuildError for a fault of ours."""
    mixed = hashlib.sha256(repr((files, include, traced)).encode())
    contents = []
    for name in files:
        if Path(name).suffix not in SUFFIXES:
            raise ProgramError(f"{name}: a program is made of {', '.join(SUFFIXES)} files")
        try:
            contents.append(Path(name).read_bytes())
        except OSError as problem:
            raise ProgramError(f"{name}: {problem.strerror}") from problem
        mixed.update(hashlib.sha256(contents[-1]).digest())
        folders = [Path(name).resolve().parent, *map(Path, include)]
        for header in _headers(contents[-1], folders, set()):
            mixed.update(hashlib.sha256(header).digest())
    home = paths.BUILD / "program" / mixed.hexdigest()[:12]
    (home / "src").mkdir(parents=True, exist_ok=True)
    staged = [f"{number}{Path(name).suffix}" for number, name in enumerate(files)]
    for target, content in zip(staged, contents, strict=True):
        place = home / "src" / target
        if not place.exists() or place.read_bytes() != content:
            place.write_bytes(content)
    searched = [*include, *(str(Path(name).resolve().parent) for name in files)]
    environment = {"CPATH": ":".join(str(Path(f).resolve()) for f in searched)}
    environment |= {f"NAME{i}": submissions.harmless(name) for i, name in enumerate(files)}
    log = build.make_program(home, staged, traced, environment)
    if log is not None:
        raise ProgramError(log)
    return Program(home / "program", traced)


def _headers(content: bytes, folders: list[Path], seen: set[Path]) -> Iterator[bytes]:
    """What the program's own headers say, and theirs: a change of one is another program."""
    for name in re.findall(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', content, re.MULTILINE):
        path = next((p for f in folders if (p := f / os.fsdecode(name)).is_file()), None)
        if path is not None and path.resolve() not in seen:
            seen.add(path.resolve())
            header = path.read_bytes()
            yield header
            yield from _headers(header, [path.parent, *folders[1:]], seen)


def execute(
    program: Program, arguments: list[str], checked: bool = False, sample: int = 0
) -> tuple[int, Profile]:
    """Runs it with the terminal's own input and output. Gives its exit status (128 + the signal, if
    one ended it) and, when it is traced, its counters: of all blocks, or of about `sample` blocks
    of each launch that stand for all. `checked`: with all checks on."""
    with workspace() as work:
        environment = os.environ | {"CONVLABS_SIM_FINDINGS": str(work / "findings.jsonl")}
        if checked:
            environment["CONVLABS_SIM_CHECK"] = "1"
        if program.traced:
            environment["CONVLABS_SIM_PROFILE"] = str(work / "profile.jsonl")
            environment["CONVLABS_SIM_SAMPLE"] = str(sample)
            environment["CONVLABS_SIM_THREADS"] = "1"  # the counters do not depend on the cores
        done = subprocess.run([program.binary, *arguments], env=environment, check=False)
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        raw = work / "profile.jsonl"
        launches: list[Launch] = read(raw.read_bytes(), strict=False) if raw.exists() else []
        return status, profile(program.binary, launches, findings_in(work, program.binary))
