"""What the course's own programs, the runner and the timing program, say about a run."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from grader.sandbox.ending import Finished
from grader.sandbox.workspace import read_output

FAULT_STATUS = 2
FAULT_PREFIX = "runner: "  # labs/common/runner and labs/common/bench print it on stderr

Status = TypeVar("Status", bound=msgspec.Struct)


def read_status(file: Path, kind: type[Status], limit: int) -> Status | None:
    """The status file that the program wrote last; None when it is missing or damaged, or has more
    than `limit` bytes: then the program did not complete its work."""
    try:
        return msgspec.json.decode(read_output(file, limit), type=kind)
    except msgspec.DecodeError:
        return None


def fault(done: Finished) -> str | None:
    """Why the program could not do its own part, such as read an input; None when it says nothing
    of the kind. To be asked only when there is no status file: a student's code can print this."""
    line = done.last_error_line()
    if done.status == FAULT_STATUS and line.startswith(FAULT_PREFIX):
        return line.removeprefix(FAULT_PREFIX)
    return None
