"""Checks that nvcc compiles a file that the simulator accepts, on a machine with nvcc but no GPU.

The simulator compiles with g++ and accepts some code that nvcc refuses, such as a kernel that calls
a host function. The make rule `nvcc-report` writes a report: nvcc's messages and, in the last line,
"exit N".
"""

import re
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from grader.compile import cuda_words, probable_causes
from grader.compile.compiler_messages import diagnostics_in, listed, shared_data
from grader.compile.probable_causes import Cause
from grader.model.grade_line import build_line
from grader.model.result import Check
from grader.model.submission import Submission
from grader.sandbox.ending import return_code

NAME = "compiles with nvcc"
TIMED_OUT = 124  # status of timeout(1)
SIGNALLED = re.compile(r"died due to signal 24\b|CPU time limit exceeded")


def available() -> bool:
    """Whether this machine has nvcc."""
    return shutil.which("nvcc") is not None


def judge_nvcc(submission: Submission, report: Path, known: Sequence[Cause] = ()) -> Check:
    """The check of a submission that nvcc's report decides. It gives no points. known: what the
    first compiler warned of, which is not said again.

    When nvcc itself does not work, the check is skipped and the report is removed, so that the next
    build calls nvcc again.
    """
    *messages, status = report.read_text(errors="replace").splitlines()
    if status == "exit 0":
        causes = probable_causes.causes("\n".join(messages), [], submission)
        new = [c.render() for c in causes if not c.is_said_by(known)]
        return build_line(submission.lab, NAME, "pass", new[: probable_causes.MOST])
    if lines := errors_of(submission, messages):
        why = "the simulator accepts your file, but nvcc refuses it: it would not run on a GPU"
        return build_line(submission.lab, NAME, "fail", [why, *lines])
    report.unlink(missing_ok=True)
    if why_stopped := stopped(messages, status):
        lines = [f"nvcc was stopped: it {why_stopped}"]
        return build_line(submission.lab, NAME, "skip", lines)
    reason = next((line.strip() for line in messages if line.strip()), f"it ended with {status}")
    lines = [f"nvcc does not work on this machine: {reason[:200]}"]
    return build_line(submission.lab, NAME, "skip", lines)


def errors_of(submission: Submission, messages: Sequence[str]) -> list[str]:
    """Why nvcc refuses a submission; [] where it does not say."""
    diagnostics = diagnostics_in("\n".join(messages), submission.shown)
    errors = [d for d in diagnostics if d.severity == "error"]
    errors = cuda_words.reworded(errors, "", submission)
    lines = listed(errors, submission) if errors else shared_data("\n".join(messages))
    return lines or [line for line in messages if line.startswith("ptxas error")]


def stopped(messages: list[str], status: str) -> str | None:
    """Which limit of the make rule ended nvcc, or one of the compilers that it calls; None when
    another reason did. bash, and nvcc itself, report a compiler's signal in words as well."""
    killed = return_code(int(status.removeprefix("exit "))) == -signal.SIGXCPU
    if killed or any(SIGNALLED.search(line) for line in messages):
        return "used more processor time than a file of a lab ever needs"
    if status == f"exit {TIMED_OUT}":
        return "waited for minutes, or other programs kept the cores busy"
    return None
