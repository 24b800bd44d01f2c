"""A bulk run from start to end: collects, grades, and retries what the grader could not do.

The store knows how far a run has come, so a run that was interrupted continues from there.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import msgspec

from grader.classroom.bulk import logs
from grader.classroom.bulk.cache_key import Options, key, made_by
from grader.classroom.bulk.intake import archive, collect
from grader.classroom.bulk.intake.collect import Files
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.pool import Done, TimeLimit
from grader.classroom.bulk.protocol import (
    Answer,
    Collect,
    Collected,
    Failed,
    Grade,
    Graded,
    Task,
)
from grader.classroom.bulk.store import Store
from grader.classroom.bulk.variants import UNKNOWN, Variants
from grader.classroom.course import decided
from grader.classroom.course.attempt import Attempt, HandIn, Status
from grader.compile import make
from grader.execute import backend as backends
from grader.execute import records
from grader.execute.backend import Backend
from grader.model.lab import Lab
from grader.model.result import Result
from grader.sandbox.limits import Limits
from grader.session.plan import matching

MOST_DEATHS = 3  # of workers over one task; then it is given up
BUILDS, RUNS = 3, 3  # of a grading, and of a check, at most
COLLECTING = 100.0 + archive.LIMITS.longest()  # seconds that a worker may take for a submission


class Progress(Protocol):
    """Reports how far a run is."""

    def phase(self, name: str, total: int) -> None: ...
    def step(self, failed: str = "") -> None: ...  # the student's id, where there is no grade


class Executor(Protocol):
    """Runs tasks: on this machine (Pool), or on others (cluster.executor)."""

    def run(self, tasks: Iterator[Task], limit: TimeLimit, done: Done) -> None: ...


def choose_backend(lab: Lab, name: str) -> Backend:
    """The backend of a lab. `auto` never takes a GPU, which runs one program at a time. Raises
    BackendError."""
    return backends.choose(lab, lab.backends[0] if name == "auto" else name)


@dataclass(frozen=True)
class Outdated:
    """Of how many grades, how many would be made in another way now; which versions made the
    grades, and the names of what is different."""

    count: int
    grades: int
    versions: tuple[str, ...]
    causes: tuple[str, ...]


def _joined(notes: Iterable[str]) -> str:
    """Notes as they are stored. A name in one must not look like another note."""
    return ", ".join(note.replace(", ", "; ") for note in notes)


@dataclass
class Batch:
    """One run over the submissions of one class."""

    store: Store
    labs: list[Lab]
    options: Options
    progress: Progress
    every_attempt: bool = False  # grade what was handed in before, too
    variants: Variants = field(default_factory=Variants)
    again: str = ""  # the checks to grade again, as -k names them
    keep: bool = False  # the grades that another version or machine made
    graded_again: int = 0  # grades whose checks were
    backends: dict[str, Backend] = field(default_factory=dict)  # by lab
    submissions: dict[str, Entry] = field(default_factory=dict)  # by student
    digests: dict[str, str] = field(default_factory=dict)  # by student
    made: dict[str, dict[str, str]] = field(default_factory=dict)  # by lab: cache_key.made_by()
    deaths: Counter[str] = field(default_factory=Counter)  # while collecting, by student

    def prepare(self) -> None:
        """Builds what all submissions share. Call it before there are workers: a launch kills every
        process below this one. Raises BackendError, and BuildError when the course does not
        build."""
        self.backends = {lab.id: choose_backend(lab, self.options.backend) for lab in self.labs}
        self.made = {lab.id: made_by(lab, self.backends[lab.id], self.options) for lab in self.labs}
        for lab in self.labs:
            make.prepare(lab, self.backends[lab.id], timed=self.options.timed)

    def outdated(self) -> Outdated:
        """The grades that would be made in another way now. Call it behind prepare()."""
        rows = [r for r in self.store.rows() if r.status == "graded" and r.lab in self.made]
        made = {row.key: (self.store.made(row.key), self.made[row.lab]) for row in rows}
        other = {key for key, (then, now) in made.items() if then != now}
        causes = {
            name
            for then, now in made.values()
            for name in then.keys() | now.keys()
            if then.get(name) != now.get(name)
        }
        versions = {self.store.own_result(key).grader_version for key in made}
        count = sum(row.key in other for row in rows)
        return Outdated(count, len(rows), tuple(sorted(versions)), tuple(sorted(causes)))

    def run(self, entries: list[Entry], pool: Executor) -> None:
        """Grades what has changed since the last run. Raises OSError when the disk fails."""
        self._collect(entries, pool)
        self._grade(pool, "grading")
        if self.store.retry_failures():
            self._grade(pool, "retrying")
        if self.again:
            self._grade_again(pool)

    # ---------------------------------------------------------------- collecting

    def _collect(self, entries: list[Entry], pool: Executor) -> None:
        """Reads the submissions that have changed, or whose grades would have other keys."""
        self.submissions = {entry.student: entry for entry in entries}
        labs = [lab.id for lab in self.labs]
        self.store.keep_only(list(self.submissions), labs)
        names = collect.names_of(self.labs)
        keys = "".join(key(lab, self.made[lab.id], {}) for lab in self.labs)
        keys += " with pages" if self.options.pages else ""
        keys += " kept" if self.keep else ""  # the next run without it reads all again
        for student, entry in self.submissions.items():
            given = [self.variants.given_out(lab, student) for lab in self.labs]
            own = repr(given) if any(given) else ""
            self.digests[student] = collect.digest(entry, names) + keys + own
        changed = [s for s in self.submissions if self.store.digest(s) != self.digests[s]]
        self.progress.phase("collecting", len(changed))
        tasks = (self._collect_task(self.submissions[student], labs) for student in changed)
        pool.run(tasks, lambda _: COLLECTING, self._collected)

    def _collect_task(self, entry: Entry, labs: list[str]) -> Task:
        paths = {name: os.fsencode(path) for name, path in entry.paths.items()}
        whole = os.fsencode(entry.archive) if entry.archive else b""
        return Collect(entry.student, paths, entry.problem, labs, entry.takes, whole)

    def _collected(self, task: Task, answer: Answer | None) -> Task | None:
        """Stores what a submission holds. Returns the task when a worker died and may try again."""
        assert isinstance(task, Collect)
        if answer is None:
            self.deaths[task.student] += 1
            if self.deaths[task.student] < MOST_DEATHS:
                return task
        rows: list[Attempt] = []
        files: dict[str, dict[str, bytes]] = {}
        digest = self.digests[task.student]
        if isinstance(answer, Collected):
            rows += self._earlier(task.student, files) if self.every_attempt else []
            rows += [self._row(lab, answer, files) for lab in self.labs]
        else:
            died = f"{MOST_DEATHS} workers died while they read it, or took too long"
            reason = answer.reason if isinstance(answer, Failed) else died
            rows = [Attempt(task.student, lab.id, "error", "", reason) for lab in self.labs]
            digest = ""  # the next run reads it again
        entry = self.submissions[task.student]
        by_lab = answer.labs if isinstance(answer, Collected) else {}
        of_labs = {lab: self._notes(lab, task.student, by_lab[lab]) for lab in by_lab}
        rows = [
            replace(row, notes=_joined([*entry.notes, *of_labs.get(row.lab, ())]))
            if not row.number
            else row
            for row in rows
        ]
        found = dict.fromkeys(note for notes in of_labs.values() for note in notes)
        notes = _joined([*entry.notes, *found])
        submission = HandIn(task.student, notes, entry.people, entry.submitted)
        for lab in self.labs:  # before the rows: a run that is killed between reads all again
            log = by_lab[lab.id].log if by_lab else {}
            logs.keep(self.store, task.student, lab.id, log)
        self.store.save_submission(submission, digest, rows, files)
        failed = any(row.status in ("rejected", "error") for row in rows)
        self.progress.step(task.student if failed else "")
        return None

    def _notes(self, lab: str, student: str, collected: Files) -> list[str]:
        """What must be known of the files of one lab."""
        loaded = next(each for each in self.labs if each.id == lab)
        variant = self.variants.note(loaded, student, collected.variant)
        return [*collected.notes, *filter(None, [variant])]

    def _row(self, lab: Lab, collected: Collected, files: dict[str, dict[str, bytes]]) -> Attempt:
        """The row of one lab. Adds the files that are to be graded to `files`, under their key."""
        student, found = collected.student, collected.labs[lab.id]
        if found.problem:
            refused: Status = "wrong name" if found.wrong_name else "rejected"
            return Attempt(student, lab.id, refused, "", found.problem)
        if not found.contents:
            status: Status = "wrong name" if found.wrong_name else "missing"
            return Attempt(student, lab.id, status, "", found.missing)
        contents = self.variants.added(lab, student, found.contents)
        if contents is None:
            return Attempt(student, lab.id, "rejected", "", UNKNOWN)
        if self.keep and (kept := self._kept(lab, student, contents)):
            files[kept] = contents
            return Attempt(student, lab.id, "graded", kept, "")
        return Attempt(student, lab.id, *self._keyed(lab, contents, files), "")

    def _kept(self, lab: Lab, student: str, contents: dict[str, bytes]) -> str:
        """The key of the grade that these files have already; "" where they have none."""
        keys = [row.key for row in self.store.attempts(student) if row.lab == lab.id and row.key]
        graded = (key for key in reversed(keys) if self.store.has_grade(key))
        return next((key for key in graded if self.store.files(key) == contents), "")

    def _keyed(
        self, lab: Lab, contents: dict[str, bytes], files: dict[str, dict[str, bytes]]
    ) -> tuple[Status, str]:
        """The key under which these files are graded, behind whether they are. Adds them to
        `files`."""
        grade_key = key(lab, self.made[lab.id], contents)
        files[grade_key] = contents
        # A page is made while a program is graded: where one is asked for and there is none, again.
        lacks_page = self.options.pages and not self.store.page(grade_key)
        done = self.store.has_grade(grade_key) and not lacks_page
        return "graded" if done else "waiting", grade_key

    def _earlier(self, student: str, files: dict[str, dict[str, bytes]]) -> list[Attempt]:
        """The attempts that are stored already, under the keys that they have now."""
        labs = {lab.id: lab for lab in self.labs}
        changed = []
        for row in self.store.attempts(student):
            if row.key and row.lab in labs:
                kept = self.store.files(row.key)
                contents = self.variants.added(labs[row.lab], student, kept) or kept
                status, grade_key = self._keyed(labs[row.lab], contents, files)
                changed.append(replace(row, status=status, key=grade_key, reason=""))
        return changed

    # ---------------------------------------------------------------- grading

    def _grade(self, pool: Executor, phase: str) -> None:
        """Makes every grade that a submission waits for."""
        waiting = self.store.waiting(self.every_attempt)
        self.progress.phase(phase, len(waiting))
        pool.run(self._grade_tasks(waiting), self._limit, self._graded)

    def _grade_tasks(self, waiting: list[tuple[str, str]]) -> Iterator[Task]:
        for grade_key, lab in waiting:
            yield self._task(grade_key, lab)

    def _task(self, grade_key: str, lab: str) -> Grade:
        return Grade(
            key=grade_key,
            lab=lab,
            backend=self.backends[lab],
            files=self.store.files(grade_key),
            timed=self.options.timed,
            seconds=self.options.seconds,
            hidden_seed=self.options.seeds.get(lab),
            pages=self.options.pages,
            prediction=self.options.prediction,
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
            made = self.made[task.lab]
            self.store.save_grade(task.key, task.lab, answer.result, answer.page, made)
        failed = isinstance(answer, Failed) or bool(answer.fault)
        self.progress.step(self.store.student_of(task.key) if failed else "")
        return None

    # ---------------------------------------------------------------- some checks again

    def _grade_again(self, pool: Executor) -> None:
        """Grades the named checks of every grade again; the others stay."""
        of = {lab.id for lab in self.labs if matching(lab, self.again)}
        graded = [(grade_key, lab) for grade_key, lab in self.store.graded() if lab in of]
        self.progress.phase("again", len(graded))
        tasks = (self._task(*each) for each in graded)
        some = (msgspec.structs.replace(t, pattern=self.again, pages=False) for t in tasks)
        pool.run(some, self._limit, self._graded_again)

    def _graded_again(self, task: Task, answer: Answer | None) -> Task | None:
        """Puts the checks into the stored grade. Where they could not be graded, it stays."""
        assert isinstance(task, Grade)
        done = isinstance(answer, Graded) and not answer.fault
        if isinstance(answer, Graded) and done:
            again = records.decode(answer.result, Result)
            result = decided.graded_again(self.store.own_result(task.key), again)
            page, made = self.store.page(task.key), self.store.made(task.key)
            encoded = msgspec.json.encode(result)
            self.store.save_grade(task.key, task.lab, encoded, page, made)
        self.graded_again += done
        self.progress.step("" if done else self.store.student_of(task.key))
        return None
