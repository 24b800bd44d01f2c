"""Runs the commands of a set-up. Their output goes to build/setup.log; what is being done, and for
how long, to stderr."""

import contextlib
import os
import selectors
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

INDENT = "      "
REDRAW = 1.0  # seconds between two updates of the line that a terminal shows
REPEAT = 5.0  # seconds between two lines where there is no terminal


@dataclass(frozen=True)
class Output:
    """What a command left: its exit status, and stdout and stderr in one text."""

    status: int
    text: str


class Runner:
    """A set-up of `total` steps. On a terminal the current activity is one line that is rewritten
    each second; elsewhere it is a new line every five seconds.

    `lock` is a file descriptor that every command inherits: a set-up that was killed still holds
    its lock until its last command has ended.
    """

    def __init__(self, log: Path, total: int, lock: int | None = None) -> None:
        self.log = log
        self._total, self._lock = total, lock
        self._number = 0
        self._activity = ""
        self._began = self._printed = time.monotonic()
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Announces a step, and prints how long it took unless it raises an exception."""
        self._number += 1
        self._activity = ""
        self._began = self._printed = time.monotonic()
        self.note(f"[{self._number}/{self._total}] {title}", indent="")
        try:
            yield
        finally:
            self._clear()
        self.note(f"took {time.monotonic() - self._began:.0f} s")

    def note(self, text: str, indent: str = INDENT) -> None:
        """Prints a line that stays."""
        self._clear()
        print(f"{indent}{text}", file=sys.stderr, flush=True)
        self._printed = time.monotonic()

    def doing(self, activity: str) -> None:
        """Sets what is being done now, such as "downloading numpy"."""
        self._activity = activity
        self._show()

    def _show(self) -> None:
        """Shows the activity and the seconds since the step began; without a terminal only now and
        then."""
        if not self._activity:
            return
        now = time.monotonic()
        text = f"{INDENT}{self._activity}, {now - self._began:.0f} s"
        if self._live:
            width = shutil.get_terminal_size((80, 24)).columns - 1
            print(f"\r\x1b[K{text[:width]}", end="", file=sys.stderr, flush=True)
        elif now - self._printed >= REPEAT:
            print(text, file=sys.stderr, flush=True)
            self._printed = now

    def _clear(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def run(
        self,
        command: Sequence[str],
        activity: Callable[[str], str] = lambda _: "",
        settings: Mapping[str, str] | None = None,
    ) -> Output:
        """Runs a command with `settings` added to the environment. `activity` is given each line
        of output; the text that it returns, unless "", becomes the current activity."""
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        environment |= {"PIP_USER": "0", "PYTHONUNBUFFERED": "1", **(settings or {})}
        lines: list[str] = []
        with self.log.open("a", encoding="utf-8", errors="replace") as log:
            print(f"$ {shlex.join(command)}", file=log, flush=True)
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                pass_fds=[self._lock] if self._lock is not None else [],
            )
            with ending(process):
                for line in self._lines_of(process):
                    self._read(line, log, activity)
                    lines.append(line)
            print(file=log)
        return Output(process.returncode, "\n".join(lines))

    def _read(self, line: str, log: TextIO, activity: Callable[[str], str]) -> None:
        print(line, file=log, flush=True)
        if now := activity(line):
            self.doing(now)

    def _lines_of(self, process: subprocess.Popen[bytes]) -> Iterator[str]:
        """The lines of a command's output as they come. Shows the activity while it waits."""
        assert process.stdout is not None
        rest = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(REDRAW):
                    self._show()
                    continue
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    break
                *whole, rest = (rest + data).split(b"\n")
                yield from (line.decode(errors="replace").rstrip() for line in whole)
        if rest:
            yield rest.decode(errors="replace").rstrip()


@contextlib.contextmanager
def ending(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Waits for a command to end; where an exception such as Ctrl-C comes first, makes it end."""
    try:
        yield
        process.wait()
    except BaseException:
        for stop in (process.terminate, process.kill):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):  # sudo's are not ours
                stop()
                process.wait(5)
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()


def shown(path: Path) -> str:
    """A path as the user would type it: relative where it is below the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
