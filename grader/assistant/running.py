"""A call that a process of its own carries out, with a limit on its time."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

import msgspec

from grader import paths
from grader.assistant import tools
from grader.assistant.messages import Message
from grader.execute import records
from grader.model.quoted import fenced
from grader.sandbox import limits

CHILD = (sys.executable, "-P", "-m", "grader.assistant.child")
LONGEST = 300.0  # seconds
MOST_PRINTED = 4000  # bytes of what the grader printed where a call failed
MOST_SAID = 32 << 20  # bytes of messages: a grade with its counters has one
FAILED = "this call gave no answer; the grader says:"


@dataclass
class Running:
    """A call under way. reply: where its answer goes. outcome: once it is known."""

    reply: Any
    request: tools.Request
    process: subprocess.Popen[bytes]
    printed: IO[bytes]
    ends: float = field(default_factory=lambda: time.monotonic() + LONGEST)
    outcome: Message | None = None
    _unread: bytearray = field(default_factory=bytearray)
    _said: str = ""  # what the grader printed

    def fileno(self) -> int:
        assert self.process.stdout
        return self.process.stdout.fileno()

    def heard(self) -> Iterator[Message] | None:
        """What the process has said since the last time; None once it has ended."""
        data = os.read(self.fileno(), 1 << 16)
        self._unread += data
        if not data or len(self._unread) > MOST_SAID:
            return None
        *lines, rest = self._unread.split(b"\n")
        self._unread = bytearray(rest)
        messages = [m for line in lines if (m := records.readable(bytes(line), Message))]
        self.outcome = next((m for m in messages if m.is_outcome()), self.outcome)
        return (message for message in messages if message.progress)

    def end(self, patience: float = 0) -> None:
        """Ends the process; what it has started is killed with it (grader/sandbox/). patience:
        seconds in which it may end by itself."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        with self.printed:
            self.printed.seek(0)
            self._said = self.printed.read(MOST_PRINTED).decode(errors="replace")

    def why_not(self) -> list[str]:
        """Why there is no outcome, once the process has ended."""
        if time.monotonic() > self.ends:
            return [f"it took more than {LONGEST:.0f} s and was ended; ask for one part of the lab"]
        said = [each.removeprefix("grade: ") for each in self._said.splitlines() if each.strip()]
        return [FAILED, *fenced(said or [f"its process ended, status {self.process.returncode}"])]


def start(reply: Any, name: str, request: tools.Request) -> Running:
    """Begins a call. Raises OSError."""
    arguments = msgspec.json.encode(request).decode()
    argv = [*CHILD, name, arguments]
    printed = tempfile.TemporaryFile()  # noqa: SIM115 - for the whole call
    process = subprocess.Popen(
        limits.that_dies_with_parent(argv) or argv,
        cwd=paths.ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=printed,
        start_new_session=True,
    )
    return Running(reply, request, process, printed)
