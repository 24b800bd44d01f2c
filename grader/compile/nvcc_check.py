"""What nvcc says of a file that the simulator takes, on a machine that has nvcc and no GPU.

The simulator is g++ and forgives what nvcc does not, such as a kernel that calls a function of the
host. The Makefile's rule `nvcc-report` keeps nvcc's words and, last, "exit N".
"""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.compile.compiler_messages import diagnostics_in, listed
from grader.model.result import Check
from grader.model.submission import Submission

NAME = "compiles with nvcc"


def here() -> bool:
    """Whether this machine has nvcc."""
    return shutil.which("nvcc") is not None


def check(submission: Submission, report: Path) -> Check:
    """The check of a report. It has no points: what it fails for would not run on a GPU at all.

    What is wrong with nvcc itself is a skip, and is forgotten, so that the next build asks again.
    """
    identity = f"{submission.lab.id}/{NAME}"
    *said, status = report.read_text(errors="replace").splitlines()
    if status == "exit 0":
        return Check(identity, NAME, "build", "pass")
    errors = [d for d in diagnostics_in("\n".join(said), submission.shown) if d.severity == "error"]
    lines = (
        listed(errors, submission) if errors else [s for s in said if s.startswith("ptxas error")]
    )
    if lines:
        why = "the simulator takes your file, but nvcc refuses it: on a GPU it would not run"
        return Check(identity, NAME, "build", "fail", message=[why, *lines])
    report.unlink(missing_ok=True)
    reason = next((line.strip() for line in said if line.strip()), f"it ended with {status}")
    lines = [f"nvcc does not compile here, whatever the file: {reason[:200]}"]
    return Check(identity, NAME, "build", "skip", message=lines)
