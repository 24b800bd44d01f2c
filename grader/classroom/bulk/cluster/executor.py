"""Runs the grades of a bulk run as a Slurm job array, and merges their results.

The coordinator alone writes the store. It may be killed: the jobs go on, and `--resume` merges what
they have left and waits for those that still run. Grades have the coordinator's keys: which node
makes a grade is known only afterwards, so the key says for which machine the grade was asked, and
the result says on which it was made. On nodes that differ, ask for a kind, such as
`--slurm constraint=avx2`.
"""

import itertools
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader import files
from grader.classroom.bulk.cluster import shared, slurm
from grader.classroom.bulk.cluster.shared import Job, Shared, Timed
from grader.classroom.bulk.pool import Done, Pool, TimeLimit
from grader.classroom.bulk.protocol import Answer, Collect, Failed, Grade, Task

INTERVAL = 5.0  # seconds between two looks for results
ASKING = 15.0  # seconds between two questions to Slurm
GRACE = 30.0  # seconds after a task's end in which its results may still appear on a network disk
MOST_TASKS = 1000  # of an array: Slurm's default MaxArraySize is 1001


@dataclass
class Started:
    """A job that Slurm has. waiting: by key, the index of the task that makes it."""

    id: str
    batch: Path
    waiting: dict[str, int]
    ended: dict[int, tuple[float, str]] = field(default_factory=dict)  # when, and the state


@dataclass
class SlurmExecutor:
    """Collects with the workers of this machine, grades with Slurm."""

    pool: Pool
    run_folder: Path
    job: Job
    per_task: int = 8  # grades in a task
    options: Mapping[str, str] = field(default_factory=dict)  # of sbatch

    def run(self, tasks: Iterator[Task], limit: TimeLimit, done: Done) -> None:
        """As Pool.run. Raises SlurmError, OSError."""
        first = next(tasks, None)
        if first is None:
            return
        everything = itertools.chain([first], tasks)
        if isinstance(first, Collect):
            self.pool.run(everything, limit, done)
            return
        _Coordinator(self, Shared(self.run_folder), limit, done).run(
            {task.key: task for task in everything if isinstance(task, Grade)}
        )


@dataclass
class _Coordinator:
    """One call of SlurmExecutor.run."""

    settings: SlurmExecutor
    shared: Shared
    limit: TimeLimit
    done: Done
    pending: dict[str, Grade] = field(default_factory=dict)  # by key
    jobs: list[Started] = field(default_factory=list)

    def run(self, pending: dict[str, Grade]) -> None:
        self.pending = pending
        self._merge()
        self._find_jobs()
        try:
            asked = 0.0
            while self.pending:
                covered = {key for job in self.jobs for key in job.waiting}
                if left := [key for key in self.pending if key not in covered]:
                    self._submit(left)
                time.sleep(INTERVAL)
                self._merge()
                if time.monotonic() > asked + ASKING:
                    asked = time.monotonic()
                    self._look_for_ended()
        except KeyboardInterrupt:
            slurm.cancel([job.id for job in self.jobs])
            raise

    def _merge(self) -> None:
        """Stores the results that are there. One that nothing waits for is a duplicate."""
        for key in sorted(self.shared.results()):
            if key in self.pending and (answer := self.shared.read_result(key)):
                self._finish(key, answer)
            self.shared.forget_result(key)

    def _finish(self, key: str, answer: Answer | None) -> None:
        task = self.pending.pop(key)
        for job in self.jobs:
            job.waiting.pop(key, None)
        if again := self.done(task, answer):
            assert isinstance(again, Grade)
            self.pending[key] = again

    def _find_jobs(self) -> None:
        """Finds the jobs of a coordinator that was killed."""
        for batch in self.shared.batches():
            try:
                job = (batch / "id").read_text()
                task_files = sorted(batch.glob("*.msgpack"))
                indices = [int(f.stem) for f in task_files if f.stem.isdecimal()]
                waiting = {
                    timed.grade.key: index
                    for index in indices
                    for timed in shared.read_task(batch, index)
                    if timed.grade.key in self.pending
                }
            except (OSError, ValueError):  # it was killed before Slurm had the job
                continue
            if waiting and slurm.ended(job) is not None:
                self.jobs.append(Started(job, batch, waiting))

    def _submit(self, keys: list[str]) -> None:
        settings = self.settings
        size = max(settings.per_task, math.ceil(len(keys) / MOST_TASKS))
        timed = [Timed(self.pending[key], self.limit(self.pending[key])) for key in keys]
        tasks = [timed[at : at + size] for at in range(0, len(timed), size)]
        batch = self.shared.new_batch(settings.job, tasks)
        job = slurm.submit(batch, len(tasks), settings.job.gpu, settings.options)
        files.replace(batch / "id", job.encode())
        waiting = {t.grade.key: index for index, task in enumerate(tasks) for t in task}
        self.jobs.append(Started(job, batch, waiting))

    def _look_for_ended(self) -> None:
        """Gives up the results of tasks that have ended without them, after a grace."""
        now = time.monotonic()
        for job in self.jobs:
            ended = slurm.ended(job.id)
            for index in set(job.waiting.values()):
                if ended is not None and index not in ended:
                    job.ended.pop(index, None)  # it runs, or runs again
                    continue
                state = ended[index] if ended else "unknown to Slurm"
                since, _ = job.ended.setdefault(index, (now, state))
                if now - since >= GRACE:
                    self._lost(job, index, state)
        self.jobs = [job for job in self.jobs if job.waiting]

    def _lost(self, job: Started, index: int, state: str) -> None:
        """A task has ended without all of its results: they are made again, unless its node has
        said why it cannot."""
        answer: Answer | None = None
        try:
            said = shared.problem_file(job.batch, index).read_text(errors="replace").strip()
            answer = Failed(said[:500])
        except OSError:
            if state == "FAILED" and not list((job.batch / "submitit").glob("*_log.out")):
                answer = Failed(
                    f"the Slurm job {job.id} failed and left no log: its node may not see "
                    f"{self.shared.folder}, which must be on a shared disk"
                )
        for key in [key for key, at in job.waiting.items() if at == index]:
            self._finish(key, answer)
