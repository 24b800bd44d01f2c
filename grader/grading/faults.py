"""What is our fault or the machine's, never the student's, and what to do about it."""

from __future__ import annotations

from datasets.generate import DatasetMissing
from grader import files
from grader.compile.make import BuildError

# What a build or a run raises when the student's code is not to blame.
FAULTS = (DatasetMissing, BuildError, OSError, MemoryError)


def lines(fault: BaseException) -> list[str]:
    """The fault as a check of verdict `error` says it."""
    if isinstance(fault, BuildError):
        last = [line for line in fault.log.splitlines() if line.strip()][-4:]
        return [str(fault), *last, "./grade doctor says what this machine lacks"]
    if isinstance(fault, DatasetMissing):
        return [str(fault)]
    if isinstance(fault, OSError):
        remedy = files.remedy(fault)
        reason = f"{fault.strerror or fault}{f'; {remedy}' if remedy else ''}"
    else:
        reason = str(fault) or "out of memory"
    return [f"the grader cannot work on this machine: {reason}"]
