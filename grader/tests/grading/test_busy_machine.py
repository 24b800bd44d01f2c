"""Checks left undecided by a busy machine run once more alone, then cost no points."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import pytest

from grader import exit_codes, paths
from grader.compile import make
from grader.compile.make import Build, BuildRequest
from grader.compile.make_process import MachineBusyError, Waiting
from grader.compile.permitted import submission_check
from grader.execute import case
from grader.execute.evidence import Evidence
from grader.grading import pipeline
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Lab
from grader.model.result import Result
from grader.sandbox.ending import Finished, TooBusyError
from grader.sandbox.limits import Limits
from grader.session.observer import Observer
from grader.session.plan import plan_for

LAB = spec.load("lab1")


class Machine:
    """A machine that is busy except while something has it alone; or always."""

    def __init__(self, always: bool = False) -> None:
        self.always, self.alone, self.used_alone = always, False, 0

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        assert not self.alone
        self.alone, self.used_alone = True, self.used_alone + 1
        try:
            yield
        finally:
            self.alone = False

    def is_busy(self) -> bool:
        return self.always or not self.alone

    def graded(self, source: str, pattern: str, lab: Lab = LAB) -> Result:
        plan = plan_for(lab, "cpu", pattern, timed=False)
        submission = submissions.find(lab, source)
        return pipeline.grade(plan, submission, Observer(exclusive=self.exclusive))


def hold_up_runs(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome(*arguments: object) -> case.Outcome:
        if machine.is_busy():
            raise TooBusyError(errno.EBUSY, "got 1 s of processor time in 400 s")
        return real(*arguments)  # type: ignore[arg-type]

    real = case._outcome
    monkeypatch.setattr(case, "_outcome", outcome)


def test_a_run_is_repeated_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine()
    hold_up_runs(machine, monkeypatch)
    result = machine.graded("solutions", "C 13x13 on")
    assert [c.verdict for c in result.checks if c.max_points] == ["pass"] * machine.used_alone
    assert machine.used_alone >= 2 and result.exit_code == exit_codes.FULL_MARKS


def test_undecided_checks_cost_no_points(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(always=True)
    hold_up_runs(machine, monkeypatch)
    result = machine.graded("solutions", "on 31x17")
    checks = [c for c in result.checks if c.max_points]
    assert checks and {c.verdict for c in checks} == {"uncertain"}
    assert all("got 1 s of processor time" in c.message[0] for c in checks)
    assert (result.score.earned, result.score.measured) == (0, 0)
    assert result.exit_code == exit_codes.FULL_MARKS


def test_wrong_file_gets_no_points_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine()
    hold_up_runs(machine, monkeypatch)
    result = machine.graded("starter", "C 13x13 on")
    checks = [c for c in result.checks if c.max_points]
    assert checks and {c.verdict for c in checks} == {"fail"}


@pytest.mark.parametrize("always", [False, True])
def test_a_build_is_repeated_alone(always: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(always)
    real = make.start

    @contextmanager
    def start(request: BuildRequest, is_prepared: bool = False) -> Iterator[Waiting[Build]]:
        def wait() -> Build:
            built = ended()
            if machine.is_busy():
                raise MachineBusyError("the compiler got 1 s of processor time in 400 s", "")
            return built

        with real(request, is_prepared) as ended:
            yield Waiting(wait, ended.has_ended)

    monkeypatch.setattr(make, "start", start)
    result = machine.graded("solutions", "C 13x13 on")
    assert machine.used_alone == 1
    if always:
        assert result.exit_code == exit_codes.FAULT and result.score.measured == 0
        assert "got 1 s of processor time" in result.checks[0].message[0]
    else:
        assert result.exit_code == exit_codes.FULL_MARKS and result.score.measured > 0


def test_starved_command_is_undecided(tmp_path: Path) -> None:
    """The run itself says so, whatever it left behind."""
    done = Finished(Limits(10), None, 9, "starved", seconds=400, processor=1)
    with pytest.raises(TooBusyError, match="got 1 s of processor time in 400 s"):
        case._outcome(done, Evidence(), tmp_path, case.ArrayType(np.dtype("f4"), (1, 1)))


# In each parallel region one of two threads is held up, as by another program on its core. A
# submission may neither sleep nor run before main(); this one stands for a busy machine.
HELD_UP = """
#include <unistd.h>
__attribute__((constructor)) static void held_up(void) {
    for (int i = 0; i < 60; i++) {
        #pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0)
                usleep(20000);
        }
    }
}
"""


def test_threads_that_wait_for_one_without_a_core_use_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spinning, they would use up the time of the case."""
    monkeypatch.setattr(submission_check, "find", lambda *_: [])
    text = (paths.ROOT / "solutions" / LAB.folder / "cpu_loop.c").read_text()
    (tmp_path / "cpu_loop.c").write_text(f"#include <omp.h>\n{text}{HELD_UP}")
    lab = msgspec.structs.replace(LAB, limits=msgspec.structs.replace(LAB.limits, seconds=0.2))
    result = Machine().graded(str(tmp_path), "C 13x13 on 127x83, 2", lab)
    assert [c.verdict for c in result.checks] == ["pass", "pass"]
    assert result.checks[1].seconds > 60 * 0.02
