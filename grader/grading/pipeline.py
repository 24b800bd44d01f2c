"""Grades one submission of one lab: plan, build, run and judge each check, score."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from grader import __version__
from grader.checks import correct, early_stop, safe, speed, technique
from grader.compile import staging
from grader.execute.backend import Backend, machine
from grader.execute.case import workspace
from grader.execute.instrumented import Runner
from grader.execute.profile import Profile
from grader.grading import faults, programs, score
from grader.grading.evidence import Evidence
from grader.grading.pass_cache import PassCache
from grader.grading.plan import Plan, Planned, plan_for
from grader.grading.programs import Missing, Programs
from grader.model.finding import Finding
from grader.model.result import Check, GradedFile, Result
from grader.model.spec import Case, Safe, Speed, Technique
from grader.model.submission import Submission
from grader.model.verdicts import check as verdict


@dataclass(frozen=True)
class Observer:
    """Who is told what happens while it happens. All are called in the grader's process.

    `exclusive` is held while something is timed: other work on this machine may have to wait.
    """

    starting: Callable[[str], None] = field(default=lambda _: None)
    checked: Callable[[Check], None] = field(default=lambda _: None)
    profiled: Callable[[Technique, Profile], None] = field(default=lambda *_: None)
    exclusive: Callable[[], AbstractContextManager[None]] = nullcontext


def grade(
    submission: Submission,
    backend: Backend,
    observer: Observer,
    pattern: str | None = None,
    verbose: bool = False,
    timed: bool = True,
    use_cache: bool = False,
    evidence: Evidence | None = None,
) -> Result:
    """The whole grade of one lab. A fault of the grader or the machine is a check of verdict
    `error`.

    pattern, timed: as in plan_for(). use_cache: a check that this very file has passed before is
    not run again; for a student's own file only. evidence: takes what a report shows beyond the
    grade; what fails is then run once more.
    """
    plan = plan_for(submission.lab, backend, pattern, timed)
    try:
        checks = _checks(submission, plan, observer, verbose, use_cache, evidence)
    finally:
        staging.release()
    marks = score.score(plan, checks)
    return Result(
        lab=submission.lab.id,
        title=submission.lab.title,
        backend=backend,
        files=[
            GradedFile(f"{submission.shown}/{name}", submission.digest(name))
            for name in submission.contents
        ],
        checks=checks,
        score=marks,
        exit_code=score.exit_code(checks, marks),
        machine=machine(backend),
        grader_version=__version__,
        hidden_included=submission.lab.hidden_included,
        selected=pattern,
        open_todos=submission.open_todos(),
    )


def _checks(
    submission: Submission,
    plan: Plan,
    observer: Observer,
    verbose: bool,
    use_cache: bool,
    evidence: Evidence | None,
) -> list[Check]:
    """Builds the programs of the plan and runs its checks, in their order."""
    checks: list[Check] = []

    def add(check: Check) -> None:
        checks.append(check)
        observer.checked(check)

    observer.starting("building")
    built, plain = programs.compile_plain(submission, plan, verbose)
    for check in built:
        add(check)
    if plain is None:
        for planned in plan.checks:
            add(verdict(plan.lab, planned.check, "skip", needs=programs.COMPILES))
        return checks
    with (
        programs.building_the_rest(submission, plan, plain, verbose) as ready,
        workspace() as work,
    ):
        cache = PassCache.of(plain) if use_cache and plan.backend == "sim" else None
        judge = _Judge(submission, plan, ready, work, observer, checks, evidence)
        for planned in plan.checks:
            add(_cached_or_judged(judge, planned, cache))
        if cache:
            cache.write()
    return checks


def _cached_or_judged(judge: _Judge, planned: Planned, cache: PassCache | None) -> Check:
    """A pass of this very program from before, or the verdict of a run."""
    if planned.program in ("instrumented", "timed"):
        judge.wait_for_instrumented()  # what is timed must have the machine to itself
    judge.observer.starting(f"{planned.check.part}  {planned.check.name}")
    program = judge.program(planned)
    if cache is None or isinstance(planned.check, Speed) or isinstance(program, Missing):
        return judge.verdict(planned)
    check = cache.find(planned.check, program) or judge.verdict(planned)
    cache.add(planned.check, program, check)
    return check


@dataclass
class _Judge:
    """Runs the checks of one grading. `so_far`: those that have their verdict."""

    submission: Submission
    plan: Plan
    programs: Programs
    work: Path
    observer: Observer
    so_far: list[Check]
    evidence: Evidence | None
    runner: Runner | None = None  # of the instrumented program, once that is built

    def program(self, planned: Planned) -> Path | Missing:
        """The program that a check runs. Waits for it where it is still being built."""
        if planned.program == "instrumented":
            return self.programs.instrumented()
        return self.programs.failing if planned.program == "failing" else self.programs.plain

    def wait_for_instrumented(self) -> Runner | None:
        """The runner of the instrumented program, or None where there is no such program."""
        if self.programs.is_being_built():
            self.observer.starting("building the instrumented program")
        program = self.programs.instrumented()
        if self.runner is None and isinstance(program, Path):
            kind = "cpu" if self.plan.backend == "cpu" else "sim"
            pictured = self.evidence is not None
            self.runner = Runner(self.submission, program, kind, self.work, pictured)
        return self.runner

    def verdict(self, planned: Planned) -> Check:
        """Runs and judges one check. What is not the student's fault is a verdict of `error`."""
        lab, check = self.plan.lab, planned.check
        if planned.cpu_lacks:
            lines = [f"this machine's processor has no {planned.cpu_lacks}"]
            return verdict(lab, check, "skip", lines)
        if isinstance(check, Case | Technique) and (
            timed_out := early_stop.endless(lab, self.so_far, check)
        ):
            return verdict(lab, check, "skip", needs=timed_out)
        program = self.program(planned)
        if isinstance(program, Missing):
            return verdict(lab, check, program.verdict, program.lines)
        try:
            if isinstance(check, Case):
                return self._correct(check, program, planned.backend)
            if isinstance(check, Speed):
                return self._speed(check, planned.backend)
            return self._instrumented(check)
        except faults.FAULTS as fault:
            return verdict(lab, check, "error", faults.lines(fault))

    def _correct(self, case: Case, program: Path, backend: Backend) -> Check:
        wrong: list[correct.Wrong] = []
        check = correct.check(
            self.submission,
            case,
            program,
            backend,
            self.work,
            wrong.append,
            lambda: self._findings(case.part),
        )
        if case.hidden and check.verdict == "fail" and early_stop.not_begun(self.so_far, case.part):
            lines = [f"part {case.part} has given no result yet, not even in its first check"]
            check = msgspec.structs.replace(check, message=lines)
        if self.evidence and wrong:
            self.evidence.failed(wrong[0], self.wait_for_instrumented())
        return check

    def _findings(self, part: str) -> list[Finding]:
        """What the runs of a part's safe checks find, which those checks need anyway: a source line
        says more than pixels do."""
        runner = self.wait_for_instrumented()
        if runner is None:
            return []
        findings: list[Finding] = []
        with suppress(*faults.FAULTS):  # the safe checks themselves report them
            for check in self.plan.lab.safe:
                if check.part == part:
                    raced = runner.raced(check)
                    findings += safe.errors(raced) if raced else []
                    findings += safe.errors(runner.forwards(check))
        return findings

    def _speed(self, check: Speed, backend: Backend) -> Check:
        if wrong := early_stop.untimeable(self.so_far, check.part):
            return verdict(self.plan.lab, check, "skip", needs=wrong)
        keep = self.evidence.timed if self.evidence else None
        with self.observer.exclusive():
            return speed.check(self.submission, check, backend, self.work, keep)

    def _instrumented(self, check: Safe | Technique) -> Check:
        runner = self.wait_for_instrumented()
        assert runner is not None  # its program is there
        needs = early_stop.first_wrong_case(self.so_far, check.part)
        if isinstance(check, Safe):
            return safe.check(self.submission, check, runner, needs)
        line, profile = technique.check(self.submission, check, runner, needs)
        if profile is not None:
            self.observer.profiled(check, profile)
            if self.evidence:
                self.evidence.counted(check, profile, runner)
        return line
