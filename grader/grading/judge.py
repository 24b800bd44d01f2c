"""Judges the checks of one grading, one after the other, on the programs that were built."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader import files, paths
from grader.checks import (
    contract,
    correct,
    early_stop,
    instructions,
    safe,
    safe_calls,
    speed,
    technique,
)
from grader.execute import profile
from grader.execute.instrumented import Runner
from grader.grading.evidence import Evidence
from grader.grading.not_run import FAULTS, NotRun, at_fault
from grader.grading.observer import Observer
from grader.grading.pass_cache import PassCache
from grader.grading.plan import Plan, Planned
from grader.grading.programs import COMPILES, Programs
from grader.model import counters
from grader.model.finding import Finding
from grader.model.result import Check, Verdict
from grader.model.spec import Case, Contract, Input, Safe, Speed, Technique
from grader.model.submission import Submission
from grader.model.verdicts import grade_line
from grader.sandbox.ending import TooBusyError


@dataclass
class Judge:
    """The judge of one grading.

    so_far: the checks that have their verdict (the pipeline's own list). cache: the passes from
    before, where they may be used. keeps_tests: a test with the smallest calls that fail is kept
    below build/; for a student's own file only. processes: in which a speed check is timed at
    least. runner: of the instrumented program, once that is built.
    """

    plan: Plan
    submission: Submission
    programs: Programs
    work: Path
    observer: Observer
    so_far: list[Check]
    evidence: Evidence | None
    cache: PassCache | None
    keeps_tests: bool
    processes: int = 1
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
        if "instrumented" in self.plan.programs and planned.program in ("instrumented", "timed"):
            self._instrumented_runner()
        if planned.program == "instrumented":
            return self.programs.instrumented()
        return self.programs.failing if planned.program == "failing" else self.programs.plain

    def _run(self, planned: Planned, program: Path) -> Check | NotRun:
        """Runs the check, and once more alone where other programs did not let it run. A fault of
        the grader or the machine is a verdict of `error`; `uncertain`, when it is still busy."""
        try:
            if isinstance(planned.check, Speed):
                with self.observer.exclusive():
                    return self._run_once(planned, program)
            with suppress(TooBusyError):
                return self._run_once(planned, program)
            with self.observer.exclusive():
                return self._run_once(planned, program)
        except TooBusyError as busy:
            lines = [f"your program {busy.strerror}", "try again when the machine is idle"]
            return NotRun("uncertain", lines)
        except FAULTS as fault:
            return at_fault(fault)

    def _run_once(self, planned: Planned, program: Path) -> Check:
        """Raises any of FAULTS, and TooBusyError."""
        check = planned.check
        if isinstance(check, Case):
            return self._correct(planned, check, program)
        if isinstance(check, Contract):
            return self._contract(planned, check, program)
        if isinstance(check, Speed):
            keep = self.evidence.timed if self.evidence else None
            return speed.judge_speed(
                self.submission, check, planned.backend, self.work, keep, self.processes
            )
        return self._instrumented(check)

    def _correct(self, planned: Planned, case: Case, program: Path) -> Check:
        wrong: list[correct.Wrong] = []
        check = correct.judge_case(
            self.submission,
            case,
            program,
            planned.backend,
            self.work,
            wrong.append,
            lambda: self._checked(case),
        )
        if case.hidden and check.verdict == "fail" and early_stop.not_begun(self.so_far, case.part):
            lines = [f"part {case.part} has given no result yet, not even in its first check"]
            check = msgspec.structs.replace(check, message=lines)
        if self.evidence and wrong:
            self.evidence.failed(wrong[0], self._instrumented_runner())
        return check

    def _contract(self, planned: Planned, check: Contract, program: Path) -> Check:
        wrong: list[correct.Wrong] = []
        line = contract.judge_contract(
            self.submission,
            check,
            program,
            planned.backend,
            self.work,
            wrong.append,
            self._keep_test if self.keeps_tests else None,
            self._contracts_that_hold(check),
        )
        if self.evidence and wrong:
            self.evidence.failed(wrong[0], self._instrumented_runner())
        return line

    def _contracts_that_hold(self, but: Contract) -> list[Contract]:
        """Those of other parts in the same file, where all checks of results have passed."""
        lab = self.plan.lab
        wrong = {c.part for c in self.so_far if c.kind == "correct" and c.verdict != "pass"}
        passed = {c.id for c in self.so_far if c.verdict == "pass"}
        return [
            other
            for other in lab.contract
            if lab.id_of(other) in passed
            and other.part != but.part
            and other.part not in wrong
            and lab.file_of(other) == lab.file_of(but)
        ]

    def _keep_test(self, part: str, text: str) -> str:
        """Keeps the test with a part's failing calls beside the lab's build; where it is."""
        file = paths.BUILD / "smallest" / f"{self.plan.lab.id}_{part}.c"
        file.parent.mkdir(parents=True, exist_ok=True)
        files.replace(file, text.encode())
        return str(file.relative_to(paths.ROOT))

    def _instrumented(self, check: Safe | Technique) -> Check:
        runner = self._instrumented_runner()
        assert runner is not None  # its program is there
        needs = early_stop.first_wrong_case(self.so_far, check.part)
        if isinstance(check, Safe):
            line = safe.judge_safety(self.submission, check, runner, needs)
            return self._with_drawn_calls(check, line, runner)
        line = self._counted(check, runner, needs)
        if not check.is_secret() or line.verdict not in ("pass", "fail"):
            return line
        public = self._counted(check.at_public_size(), runner, needs)
        return technique.without_secrets(line, check, public)

    def _counted(self, check: Technique, runner: Runner, needs: str) -> Check:
        """The line of a technique check. Only what was counted at a size that students know is for
        others to see."""
        if check.counter in counters.INSTRUCTIONS:
            run, executed = runner.stepped(check)
            return instructions.judge_instructions(self.submission, check, run, executed, needs)
        run, counted = runner.profiled(check)
        if counted and not check.is_secret():
            self.observer.profiled(check, counted)
            if self.evidence:
                self.evidence.counted(check, counted, run, runner)
        return technique.judge_counter(self.submission, check, run, counted, needs)

    def _with_drawn_calls(self, check: Safe, line: Check, runner: Runner) -> Check:
        """The line of a part's first safe check that passed, after calls drawn from the part's
        contracts as well."""
        lab = self.plan.lab
        first = next(safe for safe in lab.safe if safe.part == check.part)
        if line.verdict != "pass" or check != first:
            return line
        for allowed in (c for c in lab.contract if c.part == check.part):
            if unsafe := safe_calls.find(runner, allowed, check):
                verdict: Verdict = "error" if unsafe.is_fault else "fail"
                details = {"findings": [f.kind for f in unsafe.findings]}
                return grade_line(
                    lab, check, verdict, unsafe.lines, diagnosis=unsafe.name, details=details
                )
        return line

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

    def _checked(self, case: Case) -> correct.Checked:
        """What a run of the case with all checks on finds. A case that is too large for that has
        the first finding of its part's safe checks, which run anyway: a source line says more than
        pixels do."""
        runner = self._instrumented_runner()
        with suppress(*FAULTS):  # the safe checks themselves report them
            if runner and runner.is_quick(case):
                found = _all_errors(runner, case)
                return correct.Checked(found, ran=True, threads=_largest_grid(runner, case))
            for check in self.plan.lab.safe if runner else ():
                if check.part == case.part and (findings := _all_errors(runner, check)):
                    return correct.Checked(findings, check.name, ran=True)
        return correct.Checked()


def _largest_grid(runner: Runner, case: Case) -> tuple[int, int] | None:
    """The threads of the largest grid that a case's run with all checks on launches."""
    launches = profile.read_launches(runner.forwards(case).outcome.profile, strict=False)
    grids = [(g.grid[0] * g.block[0], g.grid[1] * g.block[1]) for g in launches]
    return max(grids, key=lambda sides: sides[0] * sides[1], default=None)


def _all_errors(runner: Runner | None, check: Input) -> list[Finding]:
    """What is wrong with a run, data races between OpenMP's threads first."""
    assert runner is not None
    raced = runner.openmp_races(check)
    found = safe.errors(raced) if raced else []
    return found + safe.errors(runner.forwards(check))
