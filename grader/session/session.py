"""One grading while it runs: all that its checks share, in one value."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.diagnose.causes import WrongOutput
from grader.execute.backend import Backend
from grader.execute.case import Outcome
from grader.execute.instrumented import Runner
from grader.model.lab import Contract, Lab
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.could_not_run import CouldNotRun
from grader.session.observer import Observer
from grader.session.plan import Plan, Planned
from grader.session.programs import COMPILES, Binary, Programs
from grader.session.report_data import ReportData, Wrong


@dataclass
class Session:
    """One grading of one submission.

    work: a folder for the files of its runs. so_far: the checks that have their verdict. report:
    takes what a report shows beyond the grade; what fails is then run once more, traced.
    keep_notes: a test with the smallest calls that fail is kept below build/; for a student's own
    file only. cores: that judge parts at the same time. checks_of_other_processes: what they have
    judged before a contract's check; waits for it. wrong_outputs: of the checks that this process
    has judged. together: on a GPU, of each part that has begun, the cases that ran to their end in
    one process, by their names.
    """

    plan: Plan
    submission: Submission
    programs: Programs
    work: Path
    observer: Observer = field(default_factory=Observer)
    report: ReportData | None = None
    keep_notes: bool = False
    cores: int = 1
    checks_of_other_processes: Callable[[Contract], list[Check]] = field(default=lambda _: [])
    so_far: list[Check] = field(default_factory=list)
    wrong_outputs: list[WrongOutput] = field(default_factory=list)
    together: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    _runner: Runner | None = None

    @property
    def lab(self) -> Lab:
        return self.submission.lab

    def add(self, check: Check, at: int | None = None) -> None:
        """Adds a check that has its verdict. at: its place among the others; None for the last."""
        self.so_far.insert(len(self.so_far) if at is None else at, check)
        self.observer.checked(check)

    def tell_failing(self, failing: Callable[[Check], None]) -> None:
        """From now on, `failing` is called with what fails for certain."""
        self.observer = replace(self.observer, failing=failing)

    def add_nvccs(self, wait: bool) -> None:
        """Adds the check with nvcc behind that of the first compiler, if there is one. wait: until
        it is known."""
        if check := self.programs.nvccs_check(wait):
            self.add(check, at=1)

    def binary(self, planned: Planned) -> Binary | CouldNotRun:
        """The program that a check runs. Waits for all others, so that what is timed has the
        machine to itself."""
        if self.programs.plain is None:
            return CouldNotRun("skip", needs=COMPILES)
        file: Path | CouldNotRun = self.programs.plain
        if planned.program == "failing":
            file = self.programs.failing
        elif "instrumented" in self.plan.programs and planned.program in ("instrumented", "timed"):
            instrumented = self._instrumented()
            file = instrumented if planned.program == "instrumented" else file
        if planned.program == "timed":
            self.programs.finish_timed()
        return Binary(file, planned.backend) if isinstance(file, Path) else file

    def runner_of(self, instrumented: Binary) -> Runner:
        """Runs the instrumented program; the same for all checks, so that each input runs once."""
        if self._runner is None:
            file, backend = instrumented.file, instrumented.backend
            sampled, plain = self.report is not None, self.programs.failing
            self._runner = Runner(
                self.submission,
                file,
                backend,
                self.work,
                sampled,
                plain if isinstance(plain, Path) else None,
            )
        return self._runner

    def runner(self, known: str = "") -> Runner | None:
        """The same, to explain what another program did; None where there is no such program.
        known: what is reported while that is being built."""
        file = self._instrumented(known)
        backend: Backend = "cpu" if self.plan.backend == "cpu" else "sim"
        return self.runner_of(Binary(file, backend)) if isinstance(file, Path) else None

    def keep_wrong(self, wrong: Wrong) -> None:
        """Keeps a wrong output for a report, if there is to be one."""
        if self.report:
            self.report.failed(wrong, self.runner())

    def _instrumented(self, known: str = "") -> Path | CouldNotRun:
        self.programs.begin_instrumented()
        if self.programs.is_being_built():
            self.observer.starting(f"{known}building the instrumented program")
        return self.programs.instrumented()
