"""A bulk run from start to end: collects, grades, and retries what the grader could not do.

The store knows how far a run has come, so a run that was interrupted continues from there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.bulk.cache_key import Options, key
from grader.bulk.intake import archive, collect
from grader.bulk.intake.discover import Entry, discover
from grader.bulk.pool import Pool
from grader.bulk.protocol import Answer, Collect, Collected, Failed, Grade, Task
from grader.bulk.store import Row, Status, Store
from grader.compile import make
from grader.execute import backend as backends
from grader.execute.backend import Backend
from grader.model.spec import Lab
from grader.sandbox.limits import Limits

MOST_DEATHS = 3  # of workers over one task; then it is given up
BUILDS, RUNS = 3, 3  # of a grading, and of a check, at most
COLLECTING = 100.0 + archive.LIMITS.longest()  # seconds that a worker may take for a submission


class Progress(Protocol):
    """Is told how far a run is."""

    def phase(self, name: str, total: int) -> None: ...
    def step(self, failed: bool) -> None: ...


def choose_backend(lab: Lab, name: str) -> Backend:
    """The backend of a lab. `auto` never takes a GPU, which runs one program at a time. Raises
    BackendError."""
    return backends.choose(lab, lab.backends[0] if name == "auto" else name)


@dataclass
class Batch:
    """One run over one folder of submissions."""

    store: Store
    labs: list[Lab]
    options: Options
    progress: Progress
    backends: dict[str, Backend] = field(default_factory=dict)  # by lab
    submissions: dict[str, Entry] = field(default_factory=dict)  # by student
    digests: dict[str, str] = field(default_factory=dict)  # by student
    deaths: Counter[str] = field(default_factory=Counter)  # while collecting, by student

    def prepare(self) -> None:
        """Builds what all submissions share. Call it before there are workers: a launch kills every
        process below this one. Raises BackendError, and BuildError when the course does not
        build."""
        self.backends = {lab.id: choose_backend(lab, self.options.backend) for lab in self.labs}
        for lab in self.labs:
            make.prepare(lab, self.backends[lab.id], timed=self.options.timed)

    def run(self, folder: Path, pool: Pool) -> None:
        """Grades what has changed since the last run. Raises OSError when the disk fails."""
        self._collect(folder, pool)
        self._grade(pool, "grading")
        if self.store.retry_failures():
            self._grade(pool, "retrying")

    # ---------------------------------------------------------------- collecting

    def _collect(self, folder: Path, pool: Pool) -> None:
        """Reads the submissions that have changed, or whose grades would have other keys."""
        self.submissions = {entry.student: entry for entry in discover(folder)}
        labs = [lab.id for lab in self.labs]
        self.store.keep_only(list(self.submissions), labs)
        names = {name for lab in self.labs for name in lab.submit}
        keys = "".join(key(lab, self.backends[lab.id], self.options, {}) for lab in self.labs)
        for student, entry in self.submissions.items():
            self.digests[student] = collect.digest(entry, names) + keys
        changed = [s for s in self.submissions if self.store.digest(s) != self.digests[s]]
        self.progress.phase("collecting", len(changed))
        tasks = (self._collect_task(self.submissions[student], labs) for student in changed)
        pool.run(tasks, lambda _: COLLECTING, self._collected)

    def _collect_task(self, entry: Entry, labs: list[str]) -> Task:
        paths = {name: os.fsencode(path) for name, path in entry.paths.items()}
        return Collect(entry.student, paths, entry.problem, labs)

    def _collected(self, task: Task, answer: Answer | None) -> Task | None:
        """Stores what a submission holds. Returns the task when a worker died and may try again."""
        assert isinstance(task, Collect)
        if answer is None:
            self.deaths[task.student] += 1
            if self.deaths[task.student] < MOST_DEATHS:
                return task
        rows: list[Row] = []
        files: dict[str, dict[str, bytes]] = {}
        digest = self.digests[task.student]
        if isinstance(answer, Collected):
            rows += [self._row(lab, answer, files) for lab in self.labs]
        else:
            died = f"{MOST_DEATHS} workers died while they read it, or took too long"
            reason = answer.reason if isinstance(answer, Failed) else died
            rows = [Row(task.student, lab.id, "error", "", reason) for lab in self.labs]
            digest = ""  # the next run reads it again
        notes = ", ".join(self.submissions[task.student].notes)
        self.store.save_submission(task.student, digest, notes, rows, files)
        self.progress.step(any(row.status in ("rejected", "error") for row in rows))
        return None

    def _row(self, lab: Lab, collected: Collected, files: dict[str, dict[str, bytes]]) -> Row:
        """The row of one lab. Adds the files that are to be graded to `files`, under their key."""
        student = collected.student
        if problem := collected.problems[lab.id]:
            return Row(student, lab.id, "rejected", "", problem)
        contents = collected.files[lab.id]
        if not contents:
            return Row(student, lab.id, "missing", "", f"no {' or '.join(lab.submit)}")
        grade_key = key(lab, self.backends[lab.id], self.options, contents)
        files[grade_key] = contents
        status: Status = "graded" if self.store.has_grade(grade_key) else "waiting"
        return Row(student, lab.id, status, grade_key, "")

    # ---------------------------------------------------------------- grading

    def _grade(self, pool: Pool, phase: str) -> None:
        """Makes every grade that a submission waits for."""
        waiting = self.store.waiting()
        self.progress.phase(phase, len(waiting))
        pool.run(self._grade_tasks(waiting), self._limit, self._graded)

    def _grade_tasks(self, waiting: list[tuple[str, str]]) -> Iterator[Task]:
        for grade_key, lab in waiting:
            yield Grade(
                key=grade_key,
                lab=lab,
                backend=self.backends[lab],
                files=self.store.files(grade_key),
                timed=self.options.timed,
                seconds=self.options.seconds,
                pages=self.options.pages,
            )

    def _limit(self, task: Task) -> float:
        """Seconds after which a worker must hang: more than the sum of all its limits."""
        assert isinstance(task, Grade)
        lab = next(lab for lab in self.labs if lab.id == task.lab)
        case = Limits(self.options.seconds or lab.limits.seconds).longest()
        build = make.COMPILE_LIMITS.longest()
        return 900 + BUILDS * build + len(lab.checks()) * (RUNS * case + 60)

    def _graded(self, task: Task, answer: Answer | None) -> Task | None:
        """Stores a grade, or why there is none. Returns the task when a worker died and may try
        again."""
        assert isinstance(task, Grade)
        if answer is None:
            deaths = self.store.count_death(task.key, task.lab)
            if deaths < MOST_DEATHS:
                return task
            answer = Failed(f"{deaths} workers died while they graded it, or took too long")
        assert not isinstance(answer, Collected)
        if isinstance(answer, Failed):
            self.store.save_failure(task.key, task.lab, answer.reason, None)
        elif answer.fault:
            self.store.save_failure(task.key, task.lab, answer.fault, answer.result)
        else:
            self.store.save_grade(task.key, task.lab, answer.result, answer.page)
        self.progress.step(failed=isinstance(answer, Failed) or bool(answer.fault))
        return None
