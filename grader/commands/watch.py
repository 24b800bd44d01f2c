"""`./grade labN --watch`: grades again whenever a file is saved."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from grader.commands import common
from grader.compile import make as builder
from grader.grading import score
from grader.model import spec

Seen = tuple[tuple[int, int, int] | None, ...]

EVERY = 0.3  # seconds between two looks; a few files cost nothing
MISSING = 2.0  # seconds that a file may be gone: some editors remove it, then write it anew


def watch(lab_id: str, src: str, grade: Callable[[], int]) -> int:
    """Grades, waits for a change, grades again, until Ctrl-C. Returns the exit status."""
    lab = common.load(lab_id)
    submission = common.submission(lab, src)
    watched = [submission.folder / name for name in lab.submit]
    names = ", ".join(f"{submission.shown}/{name}" for name in lab.submit)
    try:
        while True:
            _clear()
            before = look(watched)
            _tell(grade)
            print(f"  watching {names}: save to grade again, Ctrl-C ends", flush=True)
            wait(watched, before)
    except KeyboardInterrupt:
        print(f"\n{lab_id}: no longer watched", file=sys.stderr)
        return score.INTERRUPTED


def _tell(grade: Callable[[], int]) -> None:
    """Grades. What a save can cause and the next can mend is said, and ends nothing."""
    try:
        grade()
    except (common.CommandError, spec.SpecError, builder.BuildError, OSError) as problem:
        print(f"grade: {problem}", file=sys.stderr)


def look(files: list[Path]) -> Seen:
    """What changes when a file is saved, in place or by a rename; None for one that is gone."""
    return tuple(_state(file) for file in files)


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        info = file.stat()
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino


def wait(files: list[Path], before: Seen) -> None:
    """Comes back when the files have changed, are all there, and hold still."""
    gone = 0.0
    while (now := look(files)) == before:
        time.sleep(EVERY)
    while True:
        time.sleep(EVERY / 3)
        later = look(files)
        gone = gone + EVERY / 3 if None in later else 0.0
        if later == now and (None not in later or gone >= MISSING):
            return
        now = later


def _clear() -> None:
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        print("\x1b[2J\x1b[H", end="", flush=True)
