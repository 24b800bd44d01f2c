"""The options of `./grade bulk` for a cluster, and what they name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.classroom.bulk.batch import Batch
from grader.classroom.bulk.cluster import slurm
from grader.classroom.bulk.cluster.executor import SlurmExecutor
from grader.classroom.bulk.cluster.shared import Job
from grader.classroom.bulk.pool import Pool
from grader.classroom.commands.bulk_options import Where
from grader.commands.errors import UsageError
from grader.model import course_key
from grader.setup import python_packages


@dataclass(frozen=True)
class Cluster:
    """What was asked of the cluster."""

    options: dict[str, str]
    per_task: int

    @classmethod
    def of(cls, where: Where) -> Cluster | None:
        """None for --executor local. Raises UsageError where it cannot be used."""
        executor, options = where.executor, where.slurm_options or []
        if executor not in ("local", "slurm"):
            raise UsageError(f"there is no executor {executor!r}; there are local and slurm")
        if executor == "local":
            if options:
                raise UsageError("--slurm needs --executor slurm")
            return None
        named: dict[str, str] = {}
        for option in options:
            name, _, value = option.partition("=")
            if not re.fullmatch(r"[a-z][a-z_-]*", name) or re.search(r"\s", value):
                raise UsageError(f"--slurm {option!r} is not NAME=VALUE, as in partition=short")
            named[name] = value
        if why := slurm.missing():
            raise UsageError(why)
        if not python_packages.ready("slurm"):
            raise UsageError("submitit is not installed; run ./grade setup --slurm")
        return cls(named, where.per_task)

    def executor(self, pool: Pool, batch: Batch, trusted: bool) -> SlurmExecutor:
        """The executor of a run."""
        job = Job(
            course={lab.id: course_key.parts(lab.id) for lab in batch.labs},
            trusted=trusted,
            gpu="gpu" in batch.backends.values(),
            timed=batch.options.timed,
        )
        return SlurmExecutor(pool, batch.store.own, job, self.per_task, self.options)
