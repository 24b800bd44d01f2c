"""Grades one task of a batch, in the node's own copy of the course.

python -m grader.classroom.bulk.cluster.node BATCH INDEX
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from grader import paths
from grader.classroom.bulk.batch import MOST_DEATHS
from grader.classroom.bulk.cluster import shared
from grader.classroom.bulk.cluster.shared import Job, Shared, Timed
from grader.classroom.bulk.isolation import probe
from grader.classroom.bulk.pool import Pool
from grader.classroom.bulk.protocol import Answer, Failed, Grade, Task
from grader.compile import make
from grader.compile.make_process import BuildError
from grader.execute import backend as backends
from grader.model import course_key, outline, spec
from grader.sandbox import choice


class NodeError(Exception):
    """This node cannot grade; the message says why."""


def run_part(batch: Path, index: int) -> None:
    """Makes the grades of a task that have no result yet. Where this node cannot, the result of
    each says why. Raises OSError where the shared folder cannot be written."""
    job, task = shared.read_job(batch), shared.read_task(batch, index)
    run = Shared(batch.parent.parent.parent)
    left = [timed for timed in task if run.read_result(timed.grade.key) is None]
    if not left:
        return
    try:
        _prepare(job, left)
    except (NodeError, outline.SpecError, BuildError, backends.BackendError) as problem:
        log = getattr(problem, "log", "").strip().splitlines()
        why = f"{os.uname().nodename}: {problem}" + (f" ({log[-1][:200]})" if log else "")
        for timed in left:
            run.write_result(timed.grade.key, Failed(why))
        return
    _grade(run, job, left)


def _grade(run: Shared, job: Job, left: list[Timed]) -> None:
    """Makes the grades with this node's workers. The locks lie beside the node's copy: only one
    task measures times on a node at a time."""
    limits = {timed.grade.key: timed.seconds for timed in left}
    deaths: Counter[str] = Counter()

    def tasks() -> Iterator[Task]:
        for timed in left:
            if run.read_result(timed.grade.key) is None:  # a duplicate of this task may be faster
                yield timed.grade

    def limit(task: Task) -> float:
        assert isinstance(task, Grade)
        return limits[task.key]

    def done(task: Task, answer: Answer | None) -> Task | None:
        assert isinstance(task, Grade)
        if answer is None:
            deaths[task.key] += 1
            if deaths[task.key] < MOST_DEATHS:
                return task
            died = f"{MOST_DEATHS} workers died while they graded it, or took too long"
            answer = Failed(f"{os.uname().nodename}: {died}")
        run.write_result(task.key, answer)
        return None

    locks = paths.BUILD / "cluster"
    locks.mkdir(exist_ok=True)
    with Pool(job.at_a_time or len(os.sched_getaffinity(0)) + 1, locks) as pool:
        pool.run(tasks(), limit, done)


def _prepare(job: Job, left: list[Timed]) -> None:
    """Checks the course and the sandbox of this node, and builds what all submissions share.
    Raises NodeError, SpecError, BuildError, BackendError."""
    for lab, parts in job.course.items():
        if course_key.parts(lab) != parts:
            raise NodeError(
                f"this node sees different files of the course in {paths.ROOT} than the machine "
                "that began the run; wait until the shared folder is the same everywhere, "
                "then --resume"
            )
    _isolate(job)
    for lab, backend in sorted({(timed.grade.lab, timed.grade.backend) for timed in left}):
        if backend == "gpu" and (why := backends.gpu_missing()):
            raise NodeError(why)
        make.prepare(spec.load(lab), backend, timed=job.timed)


def _isolate(job: Job) -> None:
    """Tests this node's sandbox, as `./grade bulk` tests that of its own machine."""
    tier = choice.tier(job.gpu)
    if job.trusted:
        return
    if tier is None or not tier.strangers:
        why = choice.chosen(job.gpu).refused[0]
        raise NodeError(f"submissions cannot be isolated on this node: {why}")
    probes = probe.run_all(job.gpu)
    if problems := probe.problems(probes):
        raise NodeError("the sandbox of this node failed its tests: " + "; ".join(problems[:3]))
    choice.require(probe.record(tier, probes))


if __name__ == "__main__":
    run_part(Path(sys.argv[1]), int(sys.argv[2]))
