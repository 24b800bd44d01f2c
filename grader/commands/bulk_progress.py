"""A progress bar for bulk runs: on stderr, and only on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)


class Bar:
    """One phase at a time: done of total, rate, time left, and failures so far."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:>10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("left:"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[failures]}"),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._progress.add_task("", total=0, rate="", failures="")
        self._started, self._done, self._failed = time.monotonic(), 0, 0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def phase(self, name: str, total: int) -> None:
        self._started, self._done = time.monotonic(), 0
        self._progress.reset(self._task, description=name, total=total, rate="")

    def step(self, failed: bool) -> None:
        self._done += 1
        self._failed += failed
        minutes = (time.monotonic() - self._started) / 60
        rate = f"{self._done / minutes:.0f}/min" if minutes > 0 else ""
        failures = f"failed: {self._failed}" if self._failed else ""
        self._progress.update(self._task, advance=1, rate=rate, failures=failures)
