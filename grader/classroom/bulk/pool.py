"""The worker processes of a bulk run: starts them, hands out tasks, replaces those that die."""

import contextlib
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from grader import paths
from grader.classroom.bulk.protocol import Answer, Task, receive_answer, send
from grader.sandbox.workspace import remove_abandoned

LOG = "grader.log"
INTERVAL = 1.0  # seconds between two looks for workers that take too long

TimeLimit = Callable[[Task], float]  # seconds after which a task's worker is killed
Done = Callable[[Task, Answer | None], Task | None]


@dataclass
class Worker:
    """A process and its current task; None: it is idle."""

    process: subprocess.Popen[bytes]
    task: Task | None = None
    deadline: float = 0

    def send(self, task: Task, seconds: float) -> None:
        assert self.process.stdin is not None
        self.task, self.deadline = task, time.monotonic() + seconds
        with contextlib.suppress(BrokenPipeError):  # it died while idle: receive() gives None
            send(self.process.stdin, task)

    def receive(self) -> Answer | None:
        """Its answer; None when it died or sent something else."""
        assert self.process.stdout is not None
        try:
            return receive_answer(self.process.stdout)
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
    """A fixed number of workers. Leaving the `with` block ends them and what they have started."""

    def __init__(self, jobs: int, folder: Path) -> None:
        """`folder`: where the workers' log and their locks are put."""
        self.folder = folder
        self._log = (folder / LOG).open("ab")
        for name in ("bulk", "run"):
            (paths.BUILD / name).mkdir(parents=True, exist_ok=True)
        remove_abandoned(paths.BUILD / "bulk")
        self._workers = [self._start() for _ in range(jobs)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()
        self._log.close()
        remove_abandoned(paths.BUILD / "bulk")
        remove_abandoned(paths.BUILD / "run")

    def _start(self) -> Worker:
        """A new worker, in a session of its own so that Ctrl-C reaches the coordinator alone."""
        worker = [sys.executable, "-P", "-m", "grader.classroom.bulk.worker"]
        pipe = subprocess.PIPE
        return Worker(
            subprocess.Popen(
                [*worker, str(self.folder.resolve())],
                stdin=pipe,
                stdout=pipe,
                stderr=self._log,
                start_new_session=True,
            )
        )

    def run(self, tasks: Iterator[Task], limit: TimeLimit, done: Done) -> None:
        """Runs the tasks and calls `done` with each answer, or with None when the worker died or
        took longer than `limit`. A task that `done` returns is run next."""
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                self._assign(worker, next(tasks, None), limit, selector)
            while selector.get_map():
                for key, _ in selector.select(timeout=INTERVAL):
                    self._finish(key.data, tasks, limit, done, selector)
                now = time.monotonic()
                for worker in self._workers:
                    if worker.task is not None and now > worker.deadline:
                        worker.process.kill()  # its pipe ends, and the loop above sees that

    def _finish(
        self,
        worker: Worker,
        tasks: Iterator[Task],
        limit: TimeLimit,
        done: Done,
        selector: selectors.BaseSelector,
    ) -> None:
        """Takes a worker's answer, replaces it if it died, and hands out the next task."""
        answer, task = worker.receive(), worker.task
        assert task is not None and worker.process.stdout is not None
        selector.unregister(worker.process.stdout)
        worker.task = None
        if answer is None:
            worker.end()
            self._workers.remove(worker)
            worker = self._start()
            self._workers.append(worker)
        once_more = done(task, answer)
        self._assign(worker, once_more or next(tasks, None), limit, selector)

    def _assign(
        self,
        worker: Worker,
        task: Task | None,
        limit: TimeLimit,
        selector: selectors.BaseSelector,
    ) -> None:
        if task is not None:
            assert worker.process.stdout is not None
            worker.send(task, limit(task))
            selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
