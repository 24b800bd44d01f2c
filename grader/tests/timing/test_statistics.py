"""From times to points. All times here are simulated, so nothing depends on this machine."""

import numpy as np
import pytest

from grader.checks import speed_points
from grader.model.lab import Speed
from grader.timing import disturbance, statistics
from grader.timing.statistics import F64, Timings


def demand(**changes: object) -> Speed:
    fields: dict[str, object] = {
        "name": "s",
        "part": "B",
        "image": "noise",
        "mask": "random13",
        "border": "zero",
        "points": 10,
        "hint": "h",
        "baseline_is": (10.0, 40.0),
    }
    return Speed(**(fields | changes))  # type: ignore[arg-type]


def simulated(
    of_reference: float, noise: float = 0.02, rounds: int = 40, again: float = 1.0, slow: float = 20
) -> Timings:
    """Rounds of a student at that fraction of the reference's speed; all four sides have noise."""
    random = np.random.default_rng(1)
    means = np.array([1 / of_reference, slow, 1.0, again]) * 1e6
    return Timings(means * random.lognormal(0, noise, (rounds, 4)), 1e4, 1e11)


def without_reference(times: float, noise: float = 0.02) -> Timings:
    """A student at that multiple of the baseline's speed, in a copy without the solution."""
    timings = simulated(times / 20, noise)
    timings.rounds[:, statistics.REFERENCE] = np.nan
    return timings


def points(timings: Timings, check: Speed | None = None) -> float | None:
    check = check or demand()
    ratio = speed_points.achieved(check, timings)
    assert ratio is not None
    return speed_points.earned(check, ratio)


@pytest.mark.parametrize(
    ("of_reference", "expected"),
    [(1.0, 10), (1.4, 10), (0.93, 10), (0.8, 5), (0.75, 5), (0.65, 0), (0.05, 0)],
)
def test_a_ratio_far_from_the_thresholds_is_decided(of_reference: float, expected: float) -> None:
    assert points(simulated(of_reference)) == expected


@pytest.mark.parametrize("of_reference", [0.7, 0.9])
def test_a_ratio_at_a_threshold_is_uncertain(of_reference: float) -> None:
    assert points(simulated(of_reference, noise=0.1)) is None


def test_more_rounds_narrow_the_interval() -> None:
    few = speed_points.achieved(demand(), simulated(0.95, noise=0.2, rounds=12))
    many = speed_points.achieved(demand(), simulated(0.95, noise=0.2, rounds=1200))
    assert few and many
    assert many.high - many.low < (few.high - few.low) / 4
    assert points(simulated(0.95, noise=0.2, rounds=12)) is None
    assert points(simulated(0.95, noise=0.2, rounds=1200)) == 10


def test_the_interval_contains_the_true_ratio() -> None:
    """Of 300 intervals at 99 %, hardly more than 1 % miss the true ratio."""
    random = np.random.default_rng(7)
    missed = 0
    for _ in range(300):
        ratio = statistics.interval(random.lognormal(0, 0.1, 25))
        missed += not ratio.low <= 1.0 <= ratio.high
    assert missed <= 9


def test_the_interval_is_made_of_measured_values() -> None:
    """Of 8 values all are needed for 99 %; of 12, the median is below the second once in 315."""
    for count, rank in ((8, 1), (12, 2), (40, 12), (20000, 9818)):
        values: F64 = np.random.default_rng(1).permutation(count) + np.float64(1)
        ratio = statistics.interval(values)
        assert (ratio.low, ratio.high) == (rank, count + 1 - rank)


def test_same_ratios_same_interval() -> None:
    ratios = np.random.default_rng(3).lognormal(0, 0.1, 30)
    assert statistics.interval(ratios) == statistics.interval(ratios.copy())


def test_a_few_rounds_decide_only_a_ratio_far_from_the_thresholds() -> None:
    assert points(simulated(1.0, rounds=3)) is None
    assert points(simulated(0.01, rounds=3)) == 0


def test_ratios_far_from_thresholds_are_clear() -> None:
    for of_reference, clear in (
        (1.0, True),
        (0.92, False),
        (0.8, True),
        (0.72, False),
        (0.6, True),
    ):
        ratio = speed_points.achieved(demand(), simulated(of_reference, noise=0.001))
        assert ratio and speed_points.clear(demand(), ratio) == clear, of_reference


def test_outliers_do_not_decide() -> None:
    timings = simulated(1.0)
    timings.rounds[::5, statistics.STUDENT] *= 30
    assert points(timings) == 10


def test_points_can_be_relative_to_the_baseline() -> None:
    check = demand(against="baseline", at_least=4.0)
    assert points(simulated(0.3), check) == 10  # 20 times as slow as the reference, over 3.3
    assert points(simulated(0.1), check) == 0


def test_without_a_reference_the_baseline_stands_in() -> None:
    """The solution has 10 to 40 times the baseline's speed, the student `times`."""
    for times, expected in ((60.0, 10), (30.0, None), (19.0, None), (8.0, None), (6.0, 0)):
        timings = without_reference(times)
        assert points(timings) == expected, times
        assert speed_points.estimated(demand(), timings)
        assert speed_points.settled(demand(), timings)
    assert speed_points.achieved(demand(baseline_is=None), without_reference(6.0)) is None


def test_points_without_the_reference_are_those_with_it() -> None:
    """Whatever the solution's speed in the range is, a decision without it is the one with it."""
    for slow in (10.5, 20.0, 39.5):
        for of_reference in np.geomspace(0.05, 8.0, 40):
            there = simulated(float(of_reference), noise=0.001, slow=slow)
            here = simulated(float(of_reference), noise=0.001, slow=slow)
            here.rounds[:, statistics.REFERENCE] = np.nan
            assert points(here) in (None, points(there))


def test_rounds_go_on_until_the_ratio_shown_is_narrow() -> None:
    assert not speed_points.settled(demand(), without_reference(19.0, noise=0.3))
    assert speed_points.settled(demand(), without_reference(19.0))


def test_the_baseline_may_miss_rounds() -> None:
    timings = simulated(1.0)
    timings.rounds[1:, statistics.BASELINE] = np.nan
    assert points(timings) == 10
    assert statistics.unfit(demand(), timings) is None


def test_machine_with_a_passing_solution_is_fit() -> None:
    assert statistics.unfit(demand(), simulated(1.0)) is None
    assert (
        statistics.unfit(demand(), simulated(0.01)) is None
    )  # a student's slowness is not its fault


def test_a_machine_that_times_the_same_code_differently_is_unfit() -> None:
    assert "second slot" in (statistics.unfit(demand(), simulated(1.0, again=1.2)) or "")
    assert "second slot" in (statistics.unfit(demand(), simulated(1.0, again=0.8)) or "")


@pytest.mark.parametrize("slow", [0.5, 5.0, 60.0])
def test_a_baseline_out_of_its_range_changes_nothing_beside_the_solution(slow: float) -> None:
    timings = simulated(1.0, slow=slow)
    assert statistics.unfit(demand(), timings) is None
    assert points(timings) == 10


def test_a_machine_on_which_the_solution_misses_the_bar_is_unfit() -> None:
    """The bar is 4 times the baseline's speed."""
    check = demand(against="baseline", at_least=4.0)
    assert "only 3" in (statistics.unfit(check, simulated(1.0, slow=3.0)) or "")
    assert statistics.unfit(check, simulated(1.0, slow=5.0)) is None
    assert statistics.unfit(check, simulated(0.1, slow=5.0)) is None  # a slow student


def test_floor_is_the_higher_of_memory_and_arithmetic() -> None:
    timings = simulated(1.0)  # 10 µs a copy, 10^11 multiply-adds a second
    work = statistics.floor(timings, 1e7)
    assert work.ns == pytest.approx(1e5)
    assert work.bound == "multiply-adds"
    assert statistics.floor(timings, 1e4) == statistics.Floor(1e4, "memory")


def test_a_time_below_the_floor_is_impossible() -> None:
    least = statistics.Floor(1e6, "memory")
    assert not statistics.impossible(simulated(1.0), least)
    assert statistics.impossible(simulated(2.0), least)


def test_disturbed_rounds_are_void() -> None:
    rounds: F64 = np.ones((4, 4))
    quiet = np.array([[101.0, 100.0], [300.0, 100.0], [104.0, 100.0], [200.0, 199.0]])
    kept, voided = disturbance.undisturbed(rounds, quiet)
    assert (len(kept), voided) == (2, 2)  # one was preempted, one ran at half the pace
    kept, voided = disturbance.undisturbed(rounds, np.empty((0, 2)))
    assert (len(kept), voided) == (4, 0)


def test_mostly_voided_rounds_are_detected() -> None:
    some = simulated(1.0, rounds=5)
    assert not disturbance.mostly_disturbed(some)
    assert disturbance.mostly_disturbed(Timings(some.rounds, 1, 1, voided=6))


def test_time_that_the_program_did_not_report() -> None:
    """The student's program reports 1 ms a call, as the reference's; 10 calls, timed from outside,
    show 5 ms."""
    timings = simulated(1.0, noise=0)
    assert statistics.hidden_ns(0.0012, 0.0012, timings) == pytest.approx(0, abs=1)
    assert statistics.hidden_ns(0.0052, 0.0012, timings) == pytest.approx(4e6)
