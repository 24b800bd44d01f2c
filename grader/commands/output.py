"""Where and how a command prints: colour, width, files. The standard library alone."""

import contextlib
import errno
import os
import re
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from grader import exit_codes, files, paths
from grader.commands.errors import CommandError, UsageError


class Colour(StrEnum):
    """The values of --color."""

    auto = "auto"
    always = "always"
    never = "never"


def coloured(choice: Colour) -> bool:
    """Whether to colour what goes to stdout."""
    if choice is Colour.auto:
        return understands_escapes(sys.stdout) and "NO_COLOR" not in os.environ
    return choice is Colour.always


def understands_escapes(stream: TextIO) -> bool:
    """Whether a stream is a terminal that takes escape sequences. Emacs's shell, for one, is a
    terminal and does not; it sets TERM=dumb."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """The width of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def width_of(stream: TextIO) -> int | None:
    """The width of the terminal that a stream is; None where it is a file or a pipe."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except OSError:
        return None


def begin_line(stream: TextIO) -> None:
    """Where a program may have left a terminal's cursor behind its last line, goes to the next one:
    the spaces reach it only from there."""
    width = width_of(stream)
    if width and stream.isatty():
        stream.write(" " * (width - 1) + "\r")


def announce_first_build() -> None:
    """Says on stderr why the first build takes longer, where this is the first."""
    from grader.compile import make

    if not make.runtime_is_built():
        print("building the simulator and the runner (once, about 15 s)", file=sys.stderr)


def offer_nvcc() -> None:
    """Says once that NVIDIA's compiler can be had, where a grade could have asked it."""
    from grader.compile import nvcc_check
    from grader.setup import nvcc

    offered = paths.BUILD / "nvcc.offered"
    if not nvcc_check.available() and not offered.exists():
        missing = "nobody says what only nvcc refuses, and predicted times are rougher"
        say(f"without nvcc, {missing}: {nvcc.OFFER}")
        with contextlib.suppress(OSError):
            offered.touch()


def say(text: str) -> None:
    """Says on stderr what happens, in one line."""
    print(f"grade: {text}", file=sys.stderr)


def step_file(name: str, page: str) -> Path:
    """Writes a page to step through, below build/step; as page_file()."""
    return page_file("step", name, page)


def page_file(folder: str, name: str, page: str) -> Path:
    """Writes a page to a folder below build/; a new one replaces the last of this name. Raises
    CommandError."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "program"
    file = paths.BUILD / folder / f"{slug[:80]}.html"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        files.replace(file, page.encode(errors="replace"), sync=False)
    except OSError as problem:
        raise _not_written(str(file), problem) from problem
    return file


def write(target: str, data: bytes) -> None:
    """Writes `data` to a file, whole or not at all; to stdout where `target` is "-". A device or a
    pipe, such as /dev/stdout, is written to and never replaced. Raises CommandError."""
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
        raise _not_written(target, problem) from problem


def _not_written(file: str, problem: OSError) -> CommandError:
    """A name of a file is the user's to correct; that a disk is full is no wrong usage."""
    text = f"{file} cannot be written: {problem.strerror}"
    if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return CommandError(f"{text}; {files.remedy(problem)}", exit_codes.FAULT)
    return UsageError(text)
