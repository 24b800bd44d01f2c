"""Judges the checks of several parts at the same time, each part in a process of its own.

A child is a copy of the grader, so nothing is loaded again. It judges its part's checks, those that
wait for the instrumented program behind those that do not, and sends each verdict; what else it
needs, it asks for. Its parent hands the verdicts on in the order of the plan, so a grade does not
depend on how many cores judged it.
"""

from __future__ import annotations

import os
import signal
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, NoReturn

from grader.checks import prerequisites
from grader.diagnose import causes
from grader.grading.one_check import judge
from grader.grading.pass_cache import PassCache
from grader.model.lab import Case, CheckSpec, Contract
from grader.model.result import Check
from grader.sandbox import cleanup_after_kill, launcher, priority, process_tree
from grader.session.could_not_run import CouldNotRun
from grader.session.observer import Observer
from grader.session.plan import Planned
from grader.session.session import Session

INTERVAL = 0.1  # seconds between two looks at the limits of what this process itself runs
# What is shown first comes first; and a compiler before all parts together, which wait for it.
NICE, NICE_EACH = 5, 2
NICE_INSTRUMENTED = 8  # more: the results of all parts come before

# A child sends ("starting", text), ("profiled", technique, profile), ("failing", index, check),
# ("verdict", index, check), and two questions: ("instrumented",) and ("checks of other processes",
# index of a contract).


def judged(
    session: Session, stage: Sequence[Planned], cache: PassCache | None
) -> Iterator[tuple[Planned, Check]]:
    """Each check of the stage with its verdict, in their order. The caller adds it to the session
    before it asks for the next. What is timed has the machine to itself."""
    parts = list(dict.fromkeys(planned.check.part for planned in stage))
    timed = any(planned.program == "timed" for planned in stage)
    if session.cores < 2 or len(parts) < 2 or timed or session.report:
        yield from _in_order(session, stage, cache)
        return
    crew = _Crew(session, stage, cache, parts, [*parts])
    try:
        for index, planned in enumerate(stage):
            # A child that died has sent less: the rest is judged here, where a fault is reported.
            yield planned, crew.verdict(index) or judge(session, planned, cache)
    finally:
        crew.end()


def _in_order(
    session: Session,
    checks: Iterable[Planned],
    cache: PassCache | None,
    begins: Callable[[Planned], None] = lambda _: None,
) -> Iterator[tuple[Planned, Check]]:
    """Each check with its verdict. Behind a wrong output, those of the same part's public cases
    wait for each other: a cause must explain them all."""
    for _, cases in groupby(checks, _public_cases):
        held: list[tuple[Planned, Check]] = []
        known, tell = len(session.wrong_outputs), session.observer.failing
        for planned in cases:
            begins(planned)
            if held:  # what is printed first is why the first one fails
                session.tell_failing(lambda _: None)
            check = judge(session, planned, cache)
            if held or len(session.wrong_outputs) > known:
                held.append((planned, check))
                session.so_far.append(check)  # what comes next asks what was before
            else:
                yield planned, check
        if held:
            del session.so_far[-len(held) :]
            session.tell_failing(tell)
        lines = causes.agreed(session.wrong_outputs[known:])
        for planned, check in held:
            yield planned, lines.get(check.id, check)


def _public_cases(planned: Planned) -> object:
    """The same for the public cases of a part; another for each other check."""
    check = planned.check
    public = isinstance(check, Case) and not check.hidden
    return check.part if public else planned


@dataclass
class _Crew:
    """The children of one stage. waiting: parts whose child is not started yet. questions: who asks
    for verdicts of other parts. builders: who asks for the instrumented program."""

    session: Session
    stage: Sequence[Planned]
    cache: PassCache | None
    parts: list[str]
    waiting: list[str]
    verdicts: dict[int, Check] = field(default_factory=dict)
    failing: dict[int, Check] = field(default_factory=dict)
    children: dict[Connection, tuple[int, str]] = field(default_factory=dict)
    questions: list[tuple[Connection, int]] = field(default_factory=list)
    builders: list[Connection] = field(default_factory=list)

    def verdict(self, index: int) -> Check | None:
        """The verdict of a check, once it is there; None where its child ended without it."""
        part = self.stage[index].check.part
        while index not in self.verdicts and self._is_under_way(part):
            if failing := self.failing.pop(index, None):
                self.session.observer.failing(failing)
            # More than there are cores: one may wait for another's verdicts, or for a program.
            while self.waiting and len(self.children) < 2 * self.session.cores:
                self._start(self.waiting.pop(0))
            launcher.enforce_all()
            self._hand_out()
            for connection in wait([*self.children], INTERVAL):
                assert isinstance(connection, Connection)
                self._read(connection)
        return self.verdicts.get(index)

    def end(self) -> None:
        """Kills the children that are left."""
        for pid, _ in self.children.values():
            os.kill(pid, signal.SIGKILL)
        for connection in [*self.children]:
            self._forget(connection)

    def _is_under_way(self, part: str) -> bool:
        return part in self.waiting or any(part == p for _, p in self.children.values())

    def _start(self, part: str) -> None:
        ours, theirs = Pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            ours.close()
            process_tree.die_with_parent(parent)
            priority.let_others_first(NICE + NICE_EACH * self.parts.index(part))
            _judge_part(self, part, theirs)
        theirs.close()
        launcher.spare(pid)
        self.children[ours] = pid, part

    def _read(self, connection: Connection) -> None:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            self._forget(connection)
            self._answer()
            return
        kind, *values = message
        if kind == "starting":
            self.session.observer.starting(*values)
        elif kind == "profiled":
            self.session.observer.profiled(*values)
        elif kind == "failing":
            self.failing[values[0]] = values[1]
        elif kind == "verdict":
            self.verdicts[values[0]] = values[1]
            self._answer()
        elif kind == "instrumented":
            self.builders.append(connection)
            self.session.programs.begin_instrumented()
            self._hand_out()
        else:
            self.questions.append((connection, values[0]))
            self._answer()

    def _forget(self, connection: Connection) -> None:
        pid, _ = self.children.pop(connection)
        self.questions = [(asker, index) for asker, index in self.questions if asker != connection]
        self.builders = [asker for asker in self.builders if asker != connection]
        connection.close()
        os.waitpid(pid, 0)
        launcher.spare_no_more(pid)

    def _hand_out(self) -> None:
        """Gives the instrumented program to who asks for it, once it is built; and what each part
        runs of it, where that is needed."""
        if not self.builders or self.session.programs.is_being_built():
            return
        program = self.session.programs.instrumented()
        codes = self.cache.code(program) if self.cache and isinstance(program, Path) else None
        for connection in self.builders:
            _send(connection, (program, codes))
        self.builders.clear()

    def _answer(self) -> None:
        """Answers who asks for the verdicts of other parts, once those are there that one process
        would have."""
        for connection, index in [*self.questions]:
            before = [i for i, p in enumerate(self.stage) if i < index and self._counts(p, index)]
            if all(i in self.verdicts or not self._will_come(i) for i in before):
                self.questions.remove((connection, index))
                _send(connection, [self.verdicts[i] for i in before if i in self.verdicts])

    def _counts(self, planned: Planned, index: int) -> bool:
        """Is it of a part whose contract is judged before that at `index`?"""
        earlier = {p.check.part for p in self.stage[:index] if isinstance(p.check, Contract)}
        return planned.check.part in earlier - {self.stage[index].check.part}

    def _will_come(self, index: int) -> bool:
        return self._is_under_way(self.stage[index].check.part)


def _send(connection: Connection, answer: object) -> None:
    with suppress(OSError):  # it died meanwhile, which the next poll shows
        connection.send(answer)


def _tell(parent: Connection, kind: str, index: int, check: Check) -> None:
    parent.send((kind, index, check))


def _later_what_waits(
    session: Session, checks: Sequence[tuple[int, Planned]]
) -> Iterator[tuple[int, Planned]]:
    """The checks of a part. Those that need the instrumented program from their first run on come
    with the first of the others that do, once a result says that the part has begun: what comes
    before then does not ask for them."""
    waiting: list[tuple[int, Planned]] = []
    for each in checks:
        planned = each[1]
        waits = isinstance(planned.check, Case) and planned.check.inject is not None
        if waits and prerequisites.has_begun(session.so_far, planned.check.part):
            waiting.append(each)
            continue
        if planned.program == "instrumented":
            yield from waiting
            waiting.clear()
        yield each
    yield from waiting


def _judge_part(crew: _Crew, part: str, parent: Connection) -> NoReturn:
    """What a child does."""
    try:
        launcher.forget_commands()
        cleanup_after_kill.forget()

        def ask(*question: object) -> Any:
            parent.send(question)
            return parent.recv()

        def instrumented() -> Path | CouldNotRun:
            answer: tuple[Path | CouldNotRun, dict[str, bytes] | None] = ask("instrumented")
            program, codes = answer
            if crew.cache and codes and isinstance(program, Path):
                crew.cache.codes[program] = codes
            return program

        places = {id(p.check): index for index, p in enumerate(crew.stage)}

        def checks_of_other_processes(contract: CheckSpec) -> list[Check]:
            checks: list[Check] = ask("checks of other processes", places[id(contract)])
            return checks

        observer = Observer(
            starting=lambda text: parent.send(("starting", text)),
            profiled=lambda *profile: parent.send(("profiled", *profile)),
        )
        session = replace(
            crew.session, observer=observer, checks_of_other_processes=checks_of_other_processes
        )
        session.programs.use_instrumented_of(instrumented)
        own = {id(p): (i, p) for i, p in enumerate(crew.stage) if p.check.part == part}
        before, done = len(session.so_far), list[int]()

        def begins(planned: Planned) -> None:
            if planned.program == "instrumented":
                priority.let_others_first(NICE_INSTRUMENTED)
            index, _ = own[id(planned)]
            session.tell_failing(partial(_tell, parent, "failing", index))

        checks = (planned for _, planned in _later_what_waits(session, [*own.values()]))
        for planned, check in _in_order(session, checks, crew.cache, begins):
            index, _ = own[id(planned)]
            at = bisect(done, index)
            done.insert(at, index)
            session.so_far.insert(before + at, check)
            _tell(parent, "verdict", index, check)
        cleanup_after_kill.dismiss()
    finally:
        os._exit(0)
