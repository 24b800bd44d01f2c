"""Grades known submissions in processes that cache what the entries of a lab share."""

import json
import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.execute import backend
from grader.grading import pipeline
from grader.model import result, spec
from grader.model import submission as submissions
from grader.oracle import disk_cache
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.known_submissions import entries, table
from grader.tests.known_submissions.entries import Entry
from grader.tests.known_submissions.table import Row


@dataclass(frozen=True)
class Graded:
    code: int
    document: dict[str, Any]
    seconds: float  # of a processor


def processes(count: int) -> ProcessPoolExecutor:
    """Processes that grade, each on its share of the cores, two at least: a hundred threads on each
    core spin in vain while they wait for each other."""
    start = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, start, _prepare, (count,))


def _prepare(count: int) -> None:
    """These programs are ours; what strangers' files may do is for grader/tests/sandbox."""
    cores = sorted(os.sched_getaffinity(0))
    share = max(2, len(cores) // count)
    first = os.getpid() * share  # processes that start in a row have numbers in a row
    os.sched_setaffinity(0, {cores[(first + n) % len(cores)] for n in range(share)})
    os.environ["CONVLABS_NO_SANDBOX"] = "1"
    disk_cache.may_use = lambda gpu: not gpu


def grade(entry: Entry, pattern: str | None = None) -> Graded:
    """What ./grade LAB --no-speed gives; pattern: -k's. To be called in one of the processes: the
    launcher kills all orphans of the process that uses it."""
    before = sum(os.times()[:4])
    lab = spec.load(entry.lab)
    plan = plan_for(lab, backend.choose(lab, "auto"), pattern, timed=False)
    with tempfile.TemporaryDirectory(prefix="known-") as folder:
        home = entries.write(entry, Path(folder))
        graded = pipeline.grade(plan, submissions.find(lab, str(home)), Observer())
    document = json.loads(result.to_json(graded))
    return Graded(graded.exit_code, document, sum(os.times()[:4]) - before)


def judged(entry: Entry) -> tuple[Row, str]:
    """An entry's row, and what is wrong with its grade. To be called in one of the processes."""
    graded = grade(entry)
    row = table.judge(entry, graded.code, graded.document)
    for alone in table.telling(entry, graded.document):
        again = grade(entry, alone)
        if table.judge(entry, again.code, again.document) == row:
            row = replace(row, alone=alone)
            break
    return row, table.complaint(entry, graded.code, graded.document)
