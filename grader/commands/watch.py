"""`./grade labN --watch`: grades again whenever a file is saved."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from grader import exit_codes
from grader.commands import options
from grader.commands.errors import CommandError
from grader.compile.make_process import BuildError
from grader.model.outline import SpecError

State = tuple[tuple[int, int, int] | None, ...]

EVERY = 0.1  # seconds between two looks at the files, and without a change before they are read
MISSING = 2.0  # seconds that a file may be missing: some editors remove it, then write it again


def watch(lab_id: str, src: str, grade: Callable[[], int]) -> int:
    """Grades, waits for a change, grades again, until Ctrl-C. Returns the exit status."""
    lab = options.load(lab_id)
    submission = options.submission(lab, src)
    watched = [submission.file(name) for name in lab.submit]
    names = ", ".join(map(submission.path, lab.submit))
    try:
        while True:
            _clear()
            before = look(watched)
            _grade(grade)
            print(f"  watching {names}: save to grade again, Ctrl-C to stop", flush=True)
            wait(watched, before)
    except KeyboardInterrupt:
        print(f"\nno longer watching {lab_id}", file=sys.stderr)
        return exit_codes.INTERRUPTED


def _grade(grade: Callable[[], int]) -> None:
    """Grades. An error that saving a file can cause, and can fix, is printed and does not stop the
    watching."""
    try:
        grade()
    except (CommandError, SpecError, BuildError, OSError) as problem:
        print(f"grade: {problem}", file=sys.stderr)


def look(files: list[Path]) -> State:
    """What changes when a file is saved, in place or by a rename; None for a missing file."""
    return tuple(_state(file) for file in files)


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        info = file.stat()
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino


def wait(files: list[Path], before: State) -> None:
    """Returns when the files have changed, all exist, and no longer change."""
    missing = 0.0
    while (now := look(files)) == before:
        time.sleep(EVERY)
    while True:
        time.sleep(EVERY)
        later = look(files)
        missing = missing + EVERY if None in later else 0.0
        if later == now and (None not in later or missing >= MISSING):
            return
        now = later


def _clear() -> None:
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        print("\x1b[2J\x1b[H", end="", flush=True)
