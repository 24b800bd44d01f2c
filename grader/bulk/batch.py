"""A bulk run: intake, grading, once more what failed by our fault. The store knows how far."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.bulk.cache_key import Options, key
from grader.bulk.intake import collect
from grader.bulk.intake.collect import Entry
from grader.bulk.pool import Pool
from grader.bulk.protocol import Answer, Failed, Found, Grade, Graded, Task, Unpack
from grader.bulk.store import Row, Status, Store
from grader.compile import make
from grader.execute import backend as backends
from grader.execute.backend import Backend
from grader.model.spec import Lab

DEATHS = 3  # of workers over one grade; then it is put aside
UNPACKING = 120.0  # seconds for one submission


class Watcher(Protocol):
    """Who is told how far a run is."""

    def phase(self, name: str, total: int) -> None: ...
    def step(self, failed: bool) -> None: ...


def choose(lab: Lab, wanted: str) -> Backend:
    """The backend of a lab. `auto` takes no GPU: there one program runs at a time. Raises
    BackendError."""
    return backends.choose(lab, lab.backends[0] if wanted == "auto" else wanted)


@dataclass
class Batch:
    """One run over one folder of submissions."""

    store: Store
    labs: list[Lab]
    options: Options
    watcher: Watcher
    backends: dict[str, Backend] = field(default_factory=dict)  # of each lab
    submissions: dict[str, Entry] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    deaths: Counter[str] = field(default_factory=Counter)  # of workers, over a student's archive

    def prepare(self) -> None:
        """What all submissions share. Before there are workers: a launch kills all that hangs below
        its process. Raises BackendError, and BuildError when the course does not build."""
        self.backends = {lab.id: choose(lab, self.options.backend) for lab in self.labs}
        for lab in self.labs:
            make.prepare(lab, self.backends[lab.id], timed=self.options.timed)

    def run(self, folder: Path, pool: Pool) -> None:
        """Raises OSError when the machine cannot."""
        self._take_in(folder, pool)
        self._grade(pool, "grading")
        if self.store.again():
            self._grade(pool, "once more")

    # ---------------------------------------------------------------- intake

    def _take_in(self, folder: Path, pool: Pool) -> None:
        self.submissions = {entry.student: entry for entry in collect.discover(folder)}
        names = [lab.id for lab in self.labs]
        self.store.forget_all_but(list(self.submissions), names)
        wanted = {name for lab in self.labs for name in lab.submit}
        mixed = "".join(key(lab, self.backends[lab.id], self.options, {}) for lab in self.labs)
        for student, entry in self.submissions.items():
            self.digests[student] = collect.digest(entry, wanted) + mixed
        changed = [s for s in self.submissions if self.store.digest(s) != self.digests[s]]
        self.watcher.phase("reading", len(changed))
        tasks = (self._unpacking(self.submissions[student], names) for student in changed)
        pool.do(tasks, lambda _: UNPACKING, self._taken_in)

    def _unpacking(self, entry: Entry, labs: list[str]) -> Task:
        places = {name: os.fsencode(place) for name, place in entry.places.items()}
        return Unpack(entry.student, places, entry.problem, labs)

    def _taken_in(self, task: Task, answer: Answer | None) -> Task | None:
        assert isinstance(task, Unpack)
        if answer is None:
            self.deaths[task.student] += 1
            if self.deaths[task.student] < DEATHS:
                return task
        rows: list[Row] = []
        files: dict[str, dict[str, bytes]] = {}
        digest = self.digests[task.student]
        if isinstance(answer, Found):
            rows += [self._row(lab, answer, files) for lab in self.labs]
        else:
            reason = answer.reason if isinstance(answer, Failed) else "its worker died over it"
            rows = [Row(task.student, lab.id, "error", "", reason) for lab in self.labs]
            digest = ""  # a resumed run looks into it again
        notes = ", ".join(self.submissions[task.student].notes)
        self.store.take_in(task.student, digest, notes, rows, files)
        self.watcher.step(any(row.status in ("rejected", "error") for row in rows))
        return None

    def _row(self, lab: Lab, found: Found, files: dict[str, dict[str, bytes]]) -> Row:
        if problem := found.problems[lab.id]:
            return Row(found.student, lab.id, "rejected", "", problem)
        contents = found.files[lab.id]
        if not contents:
            return Row(found.student, lab.id, "missing", "", f"no {' or '.join(lab.submit)}")
        made = key(lab, self.backends[lab.id], self.options, contents)
        files[made] = contents
        status: Status = "graded" if self.store.result(made) else "waiting"
        return Row(found.student, lab.id, status, made, "")

    # ---------------------------------------------------------------- grading

    def _grade(self, pool: Pool, phase: str) -> None:
        waiting = self.store.waiting()
        self.watcher.phase(phase, len(waiting))
        pool.do(self._gradings(waiting), self._patience, self._graded)

    def _gradings(self, waiting: list[tuple[str, str]]) -> Iterator[Task]:
        for made, lab in waiting:
            files = self.store.files(made)
            options = self.options
            yield Grade(
                made, lab, self.backends[lab], files, options.timed, options.seconds, options.pages
            )

    def _patience(self, task: Task) -> float:
        """Seconds after which a worker is held to hang: more than all limits together come to."""
        assert isinstance(task, Grade)
        lab = next(lab for lab in self.labs if lab.id == task.lab)
        seconds = self.options.seconds or lab.limits.seconds
        return 900 + len(lab.checks()) * (2 * seconds + 60)

    def _graded(self, task: Task, answer: Answer | None) -> Task | None:
        assert isinstance(task, Grade)
        if answer is None:
            deaths = self.store.died(task.key, task.lab)
            if deaths < DEATHS:
                return task
            answer = Failed(f"{deaths} workers died over it, or hung")
        if isinstance(answer, Graded) and not answer.fault:
            self.store.graded(task.key, task.lab, answer.result, answer.page)
            self.watcher.step(failed=False)
            return None
        reason = answer.fault if isinstance(answer, Graded) else ""
        reason = answer.reason if isinstance(answer, Failed) else reason
        result = answer.result if isinstance(answer, Graded) else None
        self.store.failed(task.key, task.lab, reason, result)
        self.watcher.step(failed=True)
        return None
