"""How far a bulk run is, on stderr: a bar on a terminal, elsewhere a line now and then."""

import sys
import time
from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from grader.model import plain_text

INTERVAL = 10.0  # seconds between two lines at least
MOST_NAMED = 3  # students without a grade


class Bar:
    """One phase at a time: done of total, rate, time left, and failures so far."""

    def __init__(self, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        terminal = sys.stderr.isatty()
        self._progress = Progress(
            TextColumn("{task.description:>10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("left:"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[failures]}"),
            console=Console(stderr=True),
            disable=quiet or not terminal,
            transient=True,
        )
        self._task = self._progress.add_task("", total=0, rate="", failures="")
        self._lines = not quiet and not terminal
        self._clock = clock
        self._name, self._total, self._done = "", 0, 0
        self._failed: list[str] = []  # students
        self._started = self._said = clock()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def phase(self, name: str, total: int) -> None:
        self._name, self._total, self._done = name, total, 0
        self._started = self._said = self._clock()
        # reset() forgets the fields that it is not given.
        self._progress.reset(
            self._task, description=name, total=total, rate="", failures=self._failures()
        )

    def step(self, failed: str = "") -> None:
        self._done += 1
        self._failed += [failed] if failed else []
        now = self._clock()
        minutes = (now - self._started) / 60
        rate = f"{self._done / minutes:.0f}/min" if minutes > 0 else ""
        self._progress.update(self._task, advance=1, rate=rate, failures=self._failures())
        if self._lines and now - self._said >= INTERVAL and self._done < self._total:
            self._said = now
            print(self._line(now - self._started), file=sys.stderr, flush=True)

    def _failures(self) -> str:
        return f"without a grade: {len(self._failed)}" if self._failed else ""

    def _line(self, seconds: float) -> str:
        """As in "grading: 34 of 120, 1 without a grade (ann), about 3 min left"."""
        left = seconds / self._done * (self._total - self._done)
        about = f"{max(1, round(left / 60))} min" if left >= 90 else f"{max(1, round(left))} s"
        who = plain_text.few([plain_text.line(name, 60) for name in self._failed], MOST_NAMED)
        failed = f", {len(self._failed)} without a grade ({who})" if who else ""
        return f"{self._name}: {self._done} of {self._total}{failed}, about {about} left"
