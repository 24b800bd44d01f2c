"""Thresholds for a machine, from gradings that are made up: nothing depends on this machine."""

import tomllib

import msgspec
import pytest

from grader import paths
from grader.checks.speed import UNFIT
from grader.classroom.calibration import terminal
from grader.classroom.calibration.calibration import Calibration, calibration
from grader.model import spec
from grader.model.lab import Lab, Speed
from grader.model.result import Check, Machine, Verdict

LAB = spec.load("lab1")
SPEED = LAB.speed[1]
AGAINST_BASELINE = msgspec.structs.replace(SPEED, against="baseline", at_least=4.0)
MACHINE = Machine("Linux", "x86_64", 2, "gcc 12")


def graded(
    middle: float,
    noise: float = 0.01,
    verdict: Verdict = "pass",
    diagnosis: str | None = None,
    slow: float = 20.0,
    message: tuple[str, ...] = (),
    voided: int = 0,
) -> Check:
    """A grading of our solution with that ratio, give or take `noise`. slow: how many times as long
    the baseline takes."""
    details = {
        "rounds": 40,
        "voided": voided,
        "ratio": middle,
        "ratio_low": middle * (1 - noise),
        "ratio_high": middle * (1 + noise),
        "baseline_ns": round(slow * 1e6),
        "reference_ns": 1_000_000,
    }
    return Check(
        LAB.id_of(SPEED),
        SPEED.name,
        "speed",
        verdict,
        message=list(message),
        diagnosis=diagnosis,
        details=details,
    )


def not_timed(verdict: Verdict, *message: str, needs: str | None = None) -> Check:
    return Check("lab1/B/x", "x", "speed", verdict, message=list(message), needs=needs)


def of(*gradings: Check, speed: Speed = SPEED) -> Calibration:
    return calibration(LAB, speed, gradings)


def suggested(one: Calibration) -> dict[str, float | None]:
    return {tier.name: tier.suggested for tier in one.tiers}


def test_a_machine_like_that_of_the_thresholds_keeps_them() -> None:
    one = of(graded(1.0), graded(0.99), graded(1.01))
    assert suggested(one) == {"pass_at": 0.7, "full_at": 0.9}
    assert one.solution and not one.problem and not one.changes() and one.told_apart
    assert one.solution.low == pytest.approx(0.99 * 0.99)
    assert one.solution.middle == 1.0
    assert one.solution.high == pytest.approx(1.01 * 1.01)
    assert one.tiers[1].margin == pytest.approx(0.9801 / 0.9 - 1)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(1.3, (0.7, 0.9)), (0.97, (0.7, 0.9)), (0.9, (0.65, 0.8)), (0.8, (0.55, 0.7))],
)
def test_a_threshold_keeps_its_share_of_the_solution(
    ratio: float, expected: tuple[float, float]
) -> None:
    """The slowest grading counts; a ratio above 1 is noise, and makes nothing stricter."""
    one = of(graded(ratio), graded(1.3), graded(ratio + 0.01))
    assert tuple(suggested(one).values()) == expected
    assert one.changes() == (expected != (0.7, 0.9))


def test_thresholds_of_a_course_are_not_rounded_without_a_reason() -> None:
    own = msgspec.structs.replace(SPEED, pass_at=0.725, full_at=0.93)
    assert suggested(of(graded(1.0), speed=own)) == {"pass_at": 0.725, "full_at": 0.93}


def test_thresholds_avoid_the_solutions_uncertainty() -> None:
    one = of(graded(1.0, noise=0.17, verdict="uncertain"))
    assert suggested(one) == {"pass_at": 0.7, "full_at": 0.8}
    assert not one.told_apart
    assert one.tiers[0].unsure_from == pytest.approx(0.7 / 1.17)
    assert one.tiers[0].unsure_to == pytest.approx(0.7 / 0.83)


def test_noise_that_leaves_no_room_for_two_thresholds() -> None:
    one = of(graded(1.0, noise=0.4, verdict="uncertain"))
    assert suggested(one) == {"pass_at": None, "full_at": None}
    assert "noise is too large (our solution has 0.60 to 1.40)" in one.problem


def test_the_noise_of_a_threshold_is_that_of_the_widest_grading() -> None:
    one = of(graded(1.0, 0.001), graded(1.0, 0.12))
    assert one.tiers[0].unsure_to == pytest.approx(0.7 / 0.88)
    assert not one.told_apart  # 0.9 / 0.88 is above the solution's 0.88


def test_a_solution_that_fails_its_own_bar_makes_the_machine_unfit() -> None:
    one = of(graded(1.0), graded(0.6, verdict="fail", diagnosis="slow"))
    assert one.problem.startswith(UNFIT) and "only 0.6 times its own speed" in one.problem
    assert "needs 0.7 times" in one.problem
    assert suggested(one) == {"pass_at": None, "full_at": None}
    assert one.verdicts == {"pass": 1, "fail": 1}


def test_an_unfit_machine_in_the_words_of_the_grader() -> None:
    words = f"{UNFIT}: the same code took 1.20 times as long in its second slot as in its first"
    unfit = graded(1.0, verdict="error", diagnosis="machine-unfit", message=(words,))
    one = of(graded(1.0), unfit, graded(1.0))
    assert one.problem == words and not one.changes()


def test_wrong_solution_sets_no_threshold() -> None:
    words = "your function was right when it was checked, but wrong when it was timed"
    one = of(graded(1.0), not_timed("fail", words))
    assert one.problem == words and suggested(one) == {"pass_at": None, "full_at": None}


def test_calibration_without_times_gives_the_reason() -> None:
    one = of(not_timed("skip", "this machine has one core, so threads cannot be faster"))
    assert one.solution is None and one.problem.startswith("this machine has one core")
    assert of(not_timed("skip", needs="compiles")).problem == "needs: compiles"
    assert of(not_timed("error")).problem == "nothing was measured"


def test_a_busy_grading_does_not_spoil_the_others() -> None:
    one = of(not_timed("uncertain", "other programs kept the cores busy"), graded(1.0, voided=10))
    assert not one.problem and suggested(one) == {"pass_at": 0.7, "full_at": 0.9}
    assert one.notes[0] == (
        "1 of 2 gradings of our solution were unsure: other programs kept the cores busy"
    )
    assert "disturbed 10 of 50 rounds" in one.notes[1]


def test_a_check_against_the_baseline_gets_a_share_of_the_solution() -> None:
    one = of(graded(11.3), graded(12.0), speed=AGAINST_BASELINE)
    assert suggested(one) == {"at_least": 7.9}
    assert one.tiers[0].margin == pytest.approx(11.3 * 0.99 / 4 - 1)
    assert suggested(of(graded(1.2), speed=AGAINST_BASELINE)) == {"at_least": None}
    one = of(graded(3.0, verdict="fail", diagnosis="slow"), speed=AGAINST_BASELINE)
    assert "only 3 times the given baseline's speed here; the check needs 4 times" in one.problem


def test_notes_on_the_baseline() -> None:
    assert of(graded(1.0)).notes == []
    assert "has 0.80 here and reaches 0.7" in of(graded(1.0, slow=1.25)).notes[0]
    assert "has 0.95 here and reaches 0.9" in of(graded(1.0, slow=1.05)).notes[0]
    wide = of(graded(1.0, slow=100), graded(1.0, slow=120)).notes
    assert len(wide) == 1 and "baseline_is = [8, 80]" in wide[0]


def test_the_table_is_aligned_and_says_what_is_missing() -> None:
    rows = terminal.table([of(graded(0.9)), of(not_timed("uncertain", "busy"))]).splitlines()
    assert len(rows) == 3
    assert {
        row.index(text) for row, text in zip(rows, ("name", "speed", "speed"), strict=True)
    } == {rows[0].index("name")}
    assert "0.65, 0.8" in rows[1] and "1 ok" in rows[1]
    assert rows[2].split()[:3] == ["lab1", "B", "-"] and "1 unsure" in rows[2]
    assert "lab1 B: nothing is suggested: busy" in terminal.below(
        [of(not_timed("skip", "busy"))], 80
    )


def test_the_toml_is_valid_and_has_only_what_is_suggested() -> None:
    odd = msgspec.structs.replace(SPEED, name='a "quoted" \\ naïve \x7f \n name')
    found = [of(graded(0.8), speed=odd), of(not_timed("skip", "busy\n[[speed]]")), of(graded(1.0))]
    text = terminal.fragment(found, Machine("a\nb", "x", 1, "gcc\x1b[1m"), "2026-01-31", 1)
    table = tomllib.loads(text)
    assert table["part"]["speed"] == [
        {"name": odd.name, "pass_at": 0.55, "full_at": 0.7},
        {"name": SPEED.name, "pass_at": 0.7, "full_at": 0.9},
    ]
    assert text.count("# ---- labs/lab1_cpu_loop/lab.toml") == 1
    assert "nothing is suggested" in text and "as in lab.toml" in text and "\x1b" not in text


def test_suggested_thresholds_fit_lab_toml() -> None:
    """Also by a check with a table of settings below it: lab 1's of all cores."""
    check = LAB.speed[2]
    one = of(graded(0.8), speed=check)
    text = terminal.fragment([one], MACHINE, "2026-01-31", 3)
    at = text.index("name = ")
    name, _, thresholds = text[at:].partition("\n")
    lab_toml = (paths.LABS / LAB.folder / "lab.toml").read_text()
    assert lab_toml.count(name) == 1
    changed = msgspec.toml.decode(lab_toml.replace(name, f"{name}\n{thresholds}"), type=Lab)
    (speed,) = changed.part[2].speed
    assert (speed.pass_at, speed.full_at, speed.set) == (0.55, 0.7, check.set)


def test_unmeasured_parts_are_listed_once() -> None:
    missing = [("lab2", "A"), ("lab2", "D"), ("lab2", "D"), ("lab8", "E")]
    assert terminal.not_measured(missing, "need a GPU") == (
        "not measured, need a GPU: lab2 A, D; lab8 E"
    )
