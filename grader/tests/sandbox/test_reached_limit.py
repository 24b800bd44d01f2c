"""Which limit a command has reached, for every kind of use."""

import pytest

from grader.sandbox import reached_limit
from grader.sandbox.limits import Limits
from grader.sandbox.process_tree import Usage
from grader.sandbox.reached_limit import Account, Reached

LIMITS = Limits(seconds=10, memory=1000)  # so it may wait for 100 s


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached_limit, "cores", lambda: 4)


def outcome(
    share: float, threads: int = 1, active: bool = True, memory: int = 1, interval: float = 0.05
) -> tuple[Reached, float]:
    """The limit that a command reaches whose threads each get that share of a core; and when."""
    this, now = Account(LIMITS, 0, 0), 0.0
    while True:
        now += interval
        used = share * now
        usage = Usage(threads * used, used if threads else 0, memory, active)
        if reached := this.add(usage, now):
            return reached, now


def test_a_burner_uses_up_the_time_of_a_thread() -> None:
    reached, now = outcome(1)
    assert reached == "processor" and now == pytest.approx(10, abs=0.1)


@pytest.mark.parametrize(("threads", "share"), [(2, 1), (4, 1), (16, 0.25), (4, 0.5)], ids=str)
def test_threads_that_share_the_cores_have_the_time_of_each(threads: int, share: float) -> None:
    """None is stopped that would have ended within 10 s on this machine alone."""
    reached, now = outcome(share, threads)
    assert reached in ("processor", "processors") and now >= 10


def test_many_processes_are_stopped_together() -> None:
    reached, now = outcome(0.04, threads=100)
    assert reached == "processors" and now == pytest.approx(10, abs=0.1)


def test_40_busy_programs_on_2_cores_change_no_verdict() -> None:
    assert outcome(2 / 41)[0] == "processor"


def test_a_sleeper_waits_too_long() -> None:
    reached, now = outcome(0, active=False)
    assert reached == "waiting" and now == pytest.approx(100, abs=0.1)


def test_a_program_that_works_now_and_then_does_not_wait_at_those_times() -> None:
    this = Account(LIMITS, 0, 0)
    for step in range(1, 1000):  # each second it works for a hundredth
        second, part = divmod(step, 20)
        reached = this.add(Usage(0.01 * second, 0.01 * second, 1, part == 0), step * 0.05)
        assert reached is None
    assert 40 < this.waited < 49


def test_a_program_that_gets_no_core_is_not_to_blame() -> None:
    reached, now = outcome(0.001)
    assert reached == "starved" and now == pytest.approx(400, abs=0.1)


def test_a_grader_that_gets_no_core_does_not_count_what_it_has_not_seen() -> None:
    """It looked only every 50 s: nobody knows what the command did in between."""
    reached, now = outcome(0, active=False, interval=50)
    assert reached == "starved" and now == 400


def test_memory_limit_takes_precedence() -> None:
    reached, now = outcome(1, memory=2000)
    assert reached == "memory" and now == pytest.approx(0.05)


def test_usage_that_shrinks_is_a_process_that_was_read_while_it_ended() -> None:
    this = Account(LIMITS, 0, 0)
    for now, used in ((1.0, 5.0), (1.05, 2.0), (1.1, 5.1)):
        assert this.add(Usage(used, 1, 1, True), now) is None
    assert this.processor == 5.1


@pytest.mark.parametrize(("seconds", "wait"), [(1, 60), (6, 60), (10, 100), (90, 900)])
def test_longest_wait_follows_the_limits(seconds: float, wait: float) -> None:
    assert Limits(seconds).longest_wait() == wait
    assert Limits(seconds, waiting=3).longest_wait() == 3
