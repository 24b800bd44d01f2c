"""Why a check did not run: its program is missing, or the grader or the machine is at fault."""

from dataclasses import dataclass, field

from datasets.missing import DatasetMissing
from grader import files
from grader.compile.make_process import BuildError
from grader.model.result import Verdict

# What a build or a run raises when the student's code is not to blame.
FAULTS = (DatasetMissing, BuildError, OSError, MemoryError)


@dataclass(frozen=True)
class CouldNotRun:
    """The verdict and the lines of a check that did not run. needs: the check that failed first."""

    verdict: Verdict
    lines: list[str] = field(default_factory=list)
    needs: str | None = None


def at_fault(fault: BaseException) -> CouldNotRun:
    """A fault of the grader or the machine, and what to do about it."""
    if isinstance(fault, BuildError):
        last = [line for line in fault.log.splitlines() if line.strip()][-4:]
        return CouldNotRun(
            "error", [str(fault), *last, "./grade doctor says what this machine lacks"]
        )
    if isinstance(fault, DatasetMissing):
        return CouldNotRun("error", [str(fault)])
    reason = str(fault) or "out of memory"
    if isinstance(fault, OSError):
        remedy = files.remedy(fault)
        reason = f"{fault.strerror or fault}{f'; {remedy}' if remedy else ''}"
    return CouldNotRun("error", [f"the grader cannot work on this machine: {reason}"])
