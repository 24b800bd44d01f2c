"""What several commands share: options, kind refusals, finding the lab and the files."""

from __future__ import annotations

import os
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from grader import files
from grader.compile import make as builder
from grader.execute import backend as backends
from grader.grading import score
from grader.model import spec
from grader.model import submission as submissions
from grader.model.submission import Submission


class BackendName(StrEnum):
    auto = "auto"
    cpu = "cpu"
    sim = "sim"
    gpu = "gpu"


class Colour(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


def _lab_names() -> list[str]:
    return list(spec.available())


LabName = Annotated[
    str, typer.Argument(metavar="LAB", help="lab1, lab2, ...", autocompletion=_lab_names)
]
Src = Annotated[
    str,
    typer.Option("--src", metavar="PATH", help="A folder with the lab's files, or with labN_*."),
]
BackendOption = Annotated[BackendName, typer.Option(help="auto takes a GPU where one answers.")]
ColourOption = Annotated[Colour, typer.Option("--color", help="auto: on a terminal only.")]


class CommandError(Exception):
    """A command that ends early. The message says why and what to do, `code` is the exit status."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class UsageError(CommandError):
    """A call that cannot be taken; the message says what to call instead."""

    def __init__(self, message: str) -> None:
        super().__init__(message, score.USAGE)


def load(lab_id: str) -> spec.Lab:
    if lab_id not in spec.available():
        raise UsageError(f"there is no {lab_id}; the labs are {', '.join(spec.available())}")
    return spec.load(lab_id)


def submission(lab: spec.Lab, src: str) -> Submission:
    try:
        return submissions.find(lab, src)
    except submissions.SourceError as problem:
        raise UsageError(str(problem)) from problem


def backend(lab: spec.Lab, wanted: str) -> backends.Backend:
    try:
        return backends.choose(lab, wanted)
    except backends.BackendError as problem:
        if problem.usage:
            raise UsageError(str(problem)) from problem
        raise


def coloured(choice: Colour) -> bool:
    if choice is Colour.auto:
        return understands_escapes(sys.stdout) and "NO_COLOR" not in os.environ
    return choice is Colour.always


def columns() -> int:
    """How wide the terminal is; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def understands_escapes(stream: TextIO) -> bool:
    """Is it a terminal that takes escape sequences? Emacs's shell, for one, is and does not."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def announce_first_build() -> None:
    if not builder.runtime_is_built():
        print("building the simulator and the runner (once, about 15 s)", file=sys.stderr)


def write(target: str, data: bytes) -> None:
    """To a file, whole or not at all: a reader never sees half of it. "-" is stdout. A device or a
    pipe, such as /dev/stdout, is written to and stays what it is."""
    if target == "-":
        sys.stdout.buffer.write(data)
        return
    path = Path(target).resolve()  # a link stays a link
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
        else:
            files.replace(path, data)
    except OSError as problem:
        raise UsageError(f"{target} cannot be written: {problem.strerror}") from problem
