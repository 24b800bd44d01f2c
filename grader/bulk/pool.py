"""The worker processes of a bulk run: started, fed, watched, replaced when they die."""

from __future__ import annotations

import contextlib
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from grader import paths
from grader.bulk.protocol import Answer, Task, answer, send
from grader.sandbox.workspace import remove_abandoned

LOG = "grader.log"
LOOK = 1.0  # seconds between two looks at the clock


@dataclass
class Worker:
    """A process and what it is at; None: it is idle."""

    process: subprocess.Popen[bytes]
    task: Task | None = None
    deadline: float = 0

    def give(self, task: Task, seconds: float) -> None:
        assert self.process.stdin is not None
        self.task, self.deadline = task, time.monotonic() + seconds
        with contextlib.suppress(BrokenPipeError):  # it died while idle: read() will say so
            send(self.process.stdin, task)

    def answer(self) -> Answer | None:
        assert self.process.stdout is not None
        try:
            return answer(self.process.stdout)
        except msgspec.DecodeError:
            return None

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


class Pool:
    """A fixed number of workers. `with` ends them, and what they have started, whatever happens."""

    def __init__(self, jobs: int, folder: Path) -> None:
        self.folder = folder
        self._log = (folder / LOG).open("ab")
        (paths.BUILD / "bulk").mkdir(parents=True, exist_ok=True)
        remove_abandoned(paths.BUILD / "bulk")
        self._workers = [self._start() for _ in range(jobs)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.end()
        self._log.close()
        remove_abandoned(paths.BUILD / "bulk")
        remove_abandoned(paths.BUILD / "run")

    def _start(self) -> Worker:
        """A session of its own: Ctrl-C on the terminal is the coordinator's to answer."""
        argv = [sys.executable, "-P", "-m", "grader.bulk.worker", str(self.folder.resolve())]
        return Worker(
            subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,
            )
        )

    def do(
        self,
        tasks: Iterator[Task],
        seconds: Callable[[Task], float],
        done: Callable[[Task, Answer | None], Task | None],
    ) -> None:
        """Hands out the tasks and calls `done` with each answer, or with None when the worker died
        or took more than `seconds`. `done` may give a task that is to be done at once."""
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                self._next(worker, next(tasks, None), seconds, selector)
            while selector.get_map():
                for key, _ in selector.select(timeout=LOOK):
                    self._finished(key.data, tasks, seconds, done, selector)
                now = time.monotonic()
                for worker in self._workers:
                    if worker.task is not None and now > worker.deadline:
                        worker.process.kill()  # and then its pipe says so

    def _finished(
        self,
        worker: Worker,
        tasks: Iterator[Task],
        seconds: Callable[[Task], float],
        done: Callable[[Task, Answer | None], Task | None],
        selector: selectors.BaseSelector,
    ) -> None:
        said, task = worker.answer(), worker.task
        assert task is not None and worker.process.stdout is not None
        selector.unregister(worker.process.stdout)
        worker.task = None
        if said is None:
            worker.end()
            self._workers.remove(worker)
            worker = self._start()
            self._workers.append(worker)
        again = done(task, said)
        self._next(worker, again or next(tasks, None), seconds, selector)

    def _next(
        self,
        worker: Worker,
        task: Task | None,
        seconds: Callable[[Task], float],
        selector: selectors.BaseSelector,
    ) -> None:
        if task is not None:
            assert worker.process.stdout is not None
            worker.give(task, seconds(task))
            selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
