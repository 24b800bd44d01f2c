"""Which differences `make busy` counts as a changed grade."""

import pytest

from grader.model.result import Check, Machine, Result, Verdict
from grader.model.score import Score
from grader.tests.timing.busy import Tally


def line(verdict: Verdict, points: float = 0, needs: str | None = None, name: str = "a") -> Check:
    return Check(f"lab9/A/{name}", name, "correct", verdict, points, 4, part="A", needs=needs)


def result(*checks: Check) -> Result:
    machine = Machine("Linux", "a processor", 2, "gcc")
    score = Score(0, 0, 100)
    return Result("lab9", "t", "cpu", [], list(checks), score, 0, machine, "0", False)


def kinds(before: list[Check], after: list[Check]) -> dict[str, int]:
    tally = Tally(result(*before))
    tally.add(result(*after), 1.0)
    return dict(tally.kinds)


@pytest.mark.parametrize(
    "after", [line("fail"), line("pass", 2), line("skip", needs="compiles")], ids=str
)
def test_lost_points_are_a_change(after: Check) -> None:
    assert kinds([line("pass", 4)], [after]) == {"changed": 1}


def test_points_that_a_busy_machine_gives_are_a_change() -> None:
    assert kinds([line("fail")], [line("pass", 4)]) == {"changed": 1}


@pytest.mark.parametrize("after", [line("uncertain"), line("error")], ids=str)
def test_undecided_check_is_not_a_change(after: Check) -> None:
    assert kinds([line("pass", 4)], [after]) == {"undecided": 1}


def test_check_blocked_by_an_undecided_one_is_not_a_change() -> None:
    before = [line("pass", 4, name="compiles"), line("pass", 4)]
    after = [line("error", name="compiles"), line("skip", needs="compiles")]
    assert kinds(before, after) == {"undecided": 2}


def test_a_check_that_only_load_decides_proves_nothing() -> None:
    assert kinds([line("uncertain")], [line("fail")]) == {"decided only now": 1}


def test_equal_points_are_not_a_change() -> None:
    assert kinds([line("pass", 2)], [line("pass", 2)]) == {"same": 1}
