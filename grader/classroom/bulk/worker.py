"""A worker of a bulk run: a process that does one task after the other until its pipe is closed.

Each worker is a process because the launcher kills everything below its own process, and because a
worker that dies does not end the others. It does many tasks, so what the pipeline keeps in memory
from one grading to the next saves time.
"""

import os
import shutil
import signal
import sys
import traceback
from functools import cache
from pathlib import Path

import msgspec

from grader import paths
from grader.classroom.bulk import variants
from grader.classroom.bulk.cpu_lock import CpuLock
from grader.classroom.bulk.intake import collect
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.protocol import (
    Answer,
    Collect,
    Collected,
    Failed,
    Grade,
    Graded,
    Task,
    receive_task,
    send,
)
from grader.compile.make_process import BuildError
from grader.grading import pipeline
from grader.model import outline, spec
from grader.model.lab import Lab, Limits
from grader.model.result import Result
from grader.render import html
from grader.sandbox import process_tree
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.session.report_data import ReportData


@cache
def _lab(
    name: str,
    seconds: float | None,
    hidden_seed: int | None,
    variant: tuple[tuple[str, int], ...] = (),
) -> Lab:
    """A lab. `seconds`: the time limit of a case, instead of the lab's own."""
    lab = spec.load(name, secret_seed=hidden_seed, variant=dict(variant))
    if seconds is None:
        return lab
    return msgspec.structs.replace(lab, limits=Limits(seconds=seconds))


def do(task: Task, home: Path, lock: CpuLock) -> Answer:
    """The answer to a task, whatever goes wrong. `home`: where a submission may be built."""
    try:
        return _collect(task) if isinstance(task, Collect) else _grade(task, home, lock)
    except outline.SpecError as problem:  # the second line is for students
        return Failed(str(problem).partition("\n")[0])
    except (OSError, MemoryError, BuildError) as problem:
        return Failed(getattr(problem, "strerror", None) or str(problem) or "out of memory")
    except Exception as bug:  # noqa: BLE001 - the run goes on; the details are in the log
        traceback.print_exc()
        return Failed(f"a bug in the grader ({type(bug).__name__}); grader.log has the details")


def _collect(task: Collect) -> Collected:
    labs = [_lab(name, None, None) for name in task.labs]
    submitted = {name: Path(os.fsdecode(path)) for name, path in task.paths.items()}
    whole = Path(os.fsdecode(task.archive)) if task.archive else None
    entry = Entry(task.student, submitted, task.problem, archive=whole, takes=task.takes)
    return Collected(task.student, collect.collect(entry, labs))


def _grade(task: Grade, home: Path, lock: CpuLock) -> Graded:
    variant = tuple(variants.numbers(task.files).items())
    lab = _lab(task.lab, task.seconds, task.hidden_seed, variant)
    submission = collect.submission(lab, task.files, home)
    observer = Observer(exclusive=lock.exclusive)
    report = ReportData(submission) if task.pages else None
    try:
        with lock.shared():
            plan = plan_for(lab, task.backend, task.pattern, task.timed, task.prediction)
            result = pipeline.grade(plan, submission, observer, report=report)
            page = html.page(result, report) if report else ""
    finally:
        shutil.rmtree(home, ignore_errors=True)
    data = msgspec.json.encode(result)
    return Graded(task.key, task.lab, data, _fault(result), page.encode(errors="replace"))


def _fault(result: Result) -> str:
    """The first check that the grader or the machine could not do, in one line; or ""."""
    for check in result.checks:
        if check.verdict == "error":
            return f"{check.name}: {'; '.join(check.message)}"[:500]
    return ""


def main(run: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator handles Ctrl-C
    process_tree.die_with_parent(os.getppid())
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints to stdout prints to the log
    home, lock = paths.BUILD / "bulk" / str(os.getpid()), CpuLock(run)
    while (task := receive_task(sys.stdin.buffer)) is not None:
        send(answers, do(task, home, lock))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
