"""Checks that nvcc compiles a file that the simulator accepts, on a machine with nvcc but no GPU.

The simulator compiles with g++ and accepts some code that nvcc refuses, such as a kernel that calls
a host function. The make rule `nvcc-report` writes a report: nvcc's messages and, in the last line,
"exit N".
"""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.compile.compiler_messages import diagnostics_in, listed
from grader.model.result import Check
from grader.model.submission import Submission
from grader.model.verdicts import build_line

NAME = "compiles with nvcc"


def available() -> bool:
    """Whether this machine has nvcc."""
    return shutil.which("nvcc") is not None


def check(submission: Submission, report: Path) -> Check:
    """The check of a submission that nvcc's report decides. It gives no points.

    When nvcc itself does not work, the check is skipped and the report is removed, so that the next
    build calls nvcc again.
    """
    *messages, status = report.read_text(errors="replace").splitlines()
    if status == "exit 0":
        return build_line(submission.lab, NAME, "pass")
    diagnostics = diagnostics_in("\n".join(messages), submission.shown)
    errors = [d for d in diagnostics if d.severity == "error"]
    ptxas_errors = [line for line in messages if line.startswith("ptxas error")]
    lines = listed(errors, submission) if errors else ptxas_errors
    if lines:
        why = "the simulator accepts your file, but nvcc refuses it: it would not run on a GPU"
        return build_line(submission.lab, NAME, "fail", [why, *lines])
    report.unlink(missing_ok=True)
    reason = next((line.strip() for line in messages if line.strip()), f"it ended with {status}")
    lines = [f"nvcc does not work on this machine: {reason[:200]}"]
    return build_line(submission.lab, NAME, "skip", lines)
