"""Compiles a file as for an H200, and reads what nvcc and nvdisasm wrote."""

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.compile import nvcc_check
from grader.files import read_regular
from grader.model.submission import Submission
from grader.sass import listing, resources
from grader.sass.listing import Function
from grader.sass.resources import Resources
from grader.setup import nvcc

MOST = 1 << 26  # bytes of a listing
TOOLS = ("nvcc", "nvdisasm")


class NoCodeError(Exception):
    """There is no machine code: why, in lines."""


@dataclass(frozen=True)
class Code:
    """The functions of a program's device code, and what its kernels need."""

    functions: list[Function]
    resources: dict[str, Resources]

    @property
    def kernels(self) -> list[Function]:
        return [f for f in self.functions if f.is_kernel and f.name in self.resources]


def of_program(binary: Path) -> Code:
    """That of a user's own program, which is built with it; of files in C++ there is none. Raises
    NoCodeError."""
    return joined(read(report) for report in sorted(binary.parent.glob("[0-9]*.txt")))


def joined(codes: Iterable[Code]) -> Code:
    """That of several files."""
    every = list(codes)
    needs = {name: one for code in every for name, one in code.resources.items()}
    return Code([function for code in every for function in code.functions], needs)


def missing() -> list[str]:
    """Which of nvcc and nvdisasm are not installed."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def require_nvcc() -> None:
    """Raises NoCodeError where nvcc or nvdisasm is missing."""
    if absent := missing():
        raise NoCodeError(f"machine code needs {' and '.join(absent)}: {nvcc.OFFER}")


def read(report: Path, submission: Submission | None = None) -> Code:
    """The code of a report of nvcc's messages, which the listing is beside. Raises NoCodeError."""
    *messages, status = report.read_text(errors="replace").splitlines() or [""]
    text = report.with_suffix(".sass")
    if status != "exit 0":
        report.unlink(missing_ok=True)  # nvcc is asked again
        if stopped := nvcc_check.stopped(messages, status):
            raise NoCodeError(f"nvcc was stopped: it {stopped}")
        said = nvcc_check.errors_of(submission, messages) if submission else []
        said = said or [line for line in messages if re.search(r"\berror\b", line)][:10]
        refused = "nvcc refuses the file:" if said else f"nvcc and nvdisasm ended with {status}:"
        said = said or [line for line in messages if line.strip()][-3:]
        raise NoCodeError("\n".join([refused, *said]))
    if text.stat().st_size > MOST:
        raise NoCodeError("the machine code is too long to be shown")
    lines = read_regular(text, MOST).decode(errors="replace").splitlines()
    return Code(listing.read(lines), resources.read(messages))
