"""One worker of a bulk run: a process that does one task at a time until its pipe is closed.

It is a process of its own because the launcher kills whatever hangs below its process, and because
a worker that dies takes nothing with it. It lives for many tasks: what the pipeline keeps from one
grading to the next is kept.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import traceback
from functools import cache
from pathlib import Path

import msgspec

from grader import paths
from grader.bulk.cpu_lock import Turns
from grader.bulk.intake import collect
from grader.bulk.protocol import Answer, Failed, Found, Grade, Graded, Task, Unpack, send, task
from grader.compile import make
from grader.execute import backend as backends
from grader.execute.backend import Backend
from grader.grading import pipeline
from grader.grading.evidence import Evidence
from grader.grading.observer import Observer
from grader.grading.plan import plan_for
from grader.model import spec
from grader.model.result import Result
from grader.model.submission import Submission
from grader.render import html
from grader.sandbox import launcher


@cache
def _lab(name: str, seconds: float | None) -> spec.Lab:
    lab = spec.load(name)
    if seconds is None:
        return lab
    return msgspec.structs.replace(lab, limits=spec.Limits(seconds=seconds))


@cache
def _backend(lab: str, wanted: str) -> Backend:
    return backends.choose(_lab(lab, None), wanted)


def do(work: Task, home: Path, turns: Turns) -> Answer:
    """The answer to a task. Whatever goes wrong is an answer as well."""
    try:
        return _look_into(work) if isinstance(work, Unpack) else _grade(work, home, turns)
    except (OSError, MemoryError, make.BuildError, spec.SpecError) as problem:
        return Failed(getattr(problem, "strerror", None) or str(problem) or "out of memory")
    except Exception as mistake:  # noqa: BLE001 - the batch goes on; the details are in the log
        traceback.print_exc()
        return Failed(f"the grader made a mistake ({type(mistake).__name__})")


def _look_into(work: Unpack) -> Found:
    labs = [_lab(name, None) for name in work.labs]
    places = {name: Path(os.fsdecode(place)) for name, place in work.places.items()}
    found = collect.collect(collect.Entry(work.student, places, work.problem), labs)
    return Found(
        work.student,
        {lab: files.contents for lab, files in found.items()},
        {lab: files.problem for lab, files in found.items()},
    )


def _grade(work: Grade, home: Path, turns: Turns) -> Graded:
    lab = _lab(work.lab, work.seconds)
    submission = staged(lab, work.files, home)
    observer = Observer(exclusive=turns.alone)
    evidence = Evidence(submission) if work.pages else None
    backend = _backend(work.lab, work.backend)
    try:
        with turns.together():
            plan = plan_for(lab, backend, timed=work.timed)
            result = pipeline.grade(plan, submission, observer, evidence=evidence)
            page = html.page(result, evidence) if evidence else ""
    finally:
        shutil.rmtree(home, ignore_errors=True)
    data = msgspec.json.encode(result)
    return Graded(work.key, work.lab, data, _fault(result), page.encode(errors="replace"))


def staged(lab: spec.Lab, files: dict[str, bytes], home: Path) -> Submission:
    """The files under the lab's name: what a grade says of them is the same for every student."""
    missing = [name for name in lab.submit if name not in files]
    empty = [name for name, content in files.items() if not content.strip()]
    problems = [f"{lab.folder}/{name} is missing" for name in missing]
    problems += [f"{lab.folder}/{name} is empty" for name in empty]
    return Submission(lab, home, lab.folder, files, problems, home)


def _fault(result: Result) -> str:
    """What of a grade is our fault, in one line."""
    for check in result.checks:
        if check.verdict == "error":
            return f"{check.name}: {' '.join(check.message)}"[:500]
    return ""


def main(run: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator decides
    ctypes.CDLL(None).prctl(launcher.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes to the log
    home, turns = paths.BUILD / "bulk" / str(os.getpid()), Turns(run)
    while (work := task(sys.stdin.buffer)) is not None:
        send(answers, do(work, home, turns))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
