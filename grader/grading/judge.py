"""Judges the checks of one grading, one after the other, on the programs that were built."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.checks import correct, early_stop, safe, speed, technique
from grader.execute.instrumented import Runner
from grader.grading.evidence import Evidence
from grader.grading.not_run import FAULTS, NotRun, at_fault
from grader.grading.observer import Observer
from grader.grading.pass_cache import PassCache
from grader.grading.plan import Plan, Planned
from grader.grading.programs import COMPILES, Programs
from grader.model.finding import Finding
from grader.model.result import Check
from grader.model.spec import Case, Safe, Speed, Technique
from grader.model.submission import Submission
from grader.model.verdicts import grade_line


@dataclass
class Judge:
    """The judge of one grading.

    so_far: the checks that have their verdict (the pipeline's own list). cache: the passes from
    before, where they may be used. runner: of the instrumented program, once that is built.
    """

    plan: Plan
    submission: Submission
    programs: Programs
    work: Path
    observer: Observer
    so_far: list[Check]
    evidence: Evidence | None
    cache: PassCache | None
    runner: Runner | None = None

    def check(self, planned: Planned, pointless_after: str | None) -> Check:
        """The verdict of a planned check: a pass from before, or that of a run.

        pointless_after: the check after whose verdict it is pointless to run this one, or None.
        """
        program = self._program(planned)
        self.observer.starting(f"{planned.check.part}  {planned.check.name}")
        cache = self.cache if planned.program != "timed" else None
        if isinstance(program, Path) and cache and (known := cache.find(planned.check, program)):
            return known
        if isinstance(program, Path) and planned.cpu_lacks:
            program = NotRun("skip", [f"this machine's processor has no {planned.cpu_lacks}"])
        elif isinstance(program, Path) and pointless_after:
            program = NotRun("skip", needs=pointless_after)
        outcome = program if isinstance(program, NotRun) else self._run(planned, program)
        if isinstance(outcome, NotRun):
            lines, needs = outcome.lines, outcome.needs
            return grade_line(self.plan.lab, planned.check, outcome.verdict, lines, needs=needs)
        if cache and isinstance(program, Path):
            cache.add(planned.check, program, outcome)
        return outcome

    def _program(self, planned: Planned) -> Path | NotRun:
        """The program that a check runs. Waits for the instrumented one, so that what is timed has
        the machine to itself."""
        if self.programs.plain is None:
            return NotRun("skip", needs=COMPILES)
        if planned.program in ("instrumented", "timed"):
            self._instrumented_runner()
        if planned.program == "instrumented":
            return self.programs.instrumented()
        return self.programs.failing if planned.program == "failing" else self.programs.plain

    def _run(self, planned: Planned, program: Path) -> Check | NotRun:
        """Runs the check. A fault of the grader or the machine is a verdict of `error`."""
        check = planned.check
        try:
            if isinstance(check, Case):
                return self._correct(planned, check, program)
            if isinstance(check, Speed):
                keep = self.evidence.timed if self.evidence else None
                with self.observer.exclusive():
                    return speed.check(self.submission, check, planned.backend, self.work, keep)
            return self._instrumented(check)
        except FAULTS as fault:
            return at_fault(fault)

    def _correct(self, planned: Planned, case: Case, program: Path) -> Check:
        wrong: list[correct.Wrong] = []
        check = correct.check(
            self.submission,
            case,
            program,
            planned.backend,
            self.work,
            wrong.append,
            lambda: self._findings(case.part),
        )
        if case.hidden and check.verdict == "fail" and early_stop.not_begun(self.so_far, case.part):
            lines = [f"part {case.part} has given no result yet, not even in its first check"]
            check = msgspec.structs.replace(check, message=lines)
        if self.evidence and wrong:
            self.evidence.failed(wrong[0], self._instrumented_runner())
        return check

    def _instrumented(self, check: Safe | Technique) -> Check:
        runner = self._instrumented_runner()
        assert runner is not None  # its program is there
        needs = early_stop.first_wrong_case(self.so_far, check.part)
        if isinstance(check, Safe):
            return safe.check(self.submission, check, runner, needs)
        run, counted = runner.profiled(check)
        if counted:
            self.observer.profiled(check, counted)
            if self.evidence:
                self.evidence.counted(check, counted, run, runner)
        return technique.check(self.submission, check, run, counted, needs)

    def _instrumented_runner(self) -> Runner | None:
        """The runner of the instrumented program, or None where there is no such program."""
        if self.programs.is_being_built():
            self.observer.starting("building the instrumented program")
        program = self.programs.instrumented()
        if self.runner is None and isinstance(program, Path):
            kind = "cpu" if self.plan.backend == "cpu" else "sim"
            sampled = self.evidence is not None
            self.runner = Runner(self.submission, program, kind, self.work, sampled)
        return self.runner

    def _findings(self, part: str) -> list[Finding]:
        """What the runs of a part's safe checks find, which those checks need anyway: a source line
        says more than pixels do."""
        runner = self._instrumented_runner()
        if runner is None:
            return []
        findings: list[Finding] = []
        with suppress(*FAULTS):  # the safe checks themselves report them
            for check in self.plan.lab.safe:
                if check.part == part:
                    raced = runner.openmp_races(check)
                    findings += safe.errors(raced) if raced else []
                    findings += safe.errors(runner.forwards(check))
        return findings
