"""Points: what is earned, what is lost, and what could not be measured."""

import pytest

from grader import exit_codes
from grader.execute.backend import Backend
from grader.grading import score
from grader.model import spec
from grader.model.lab import Lab, Part, PointsTable, Speed
from grader.model.result import Check, Verdict
from grader.session.plan import plan_for


def lab() -> Lab:
    return Lab(
        id="lab9",
        title="t",
        summary="s",
        submit=["a.cu"],
        backends=["sim", "gpu"],
        seed=1,
        points=PointsTable(correct=85, speed=15),
        part=[Part(id="A", title="t", hints=[])],
        operation=spec.load("lab2").operation,
        folder="lab2_global_memory",
        case=[],
        speed=[
            Speed(
                name="s",
                part="A",
                image="noise",
                size=(2, 2),
                mask="ando3",
                border="zero",
                points=15,
                hint="h",
            )
        ],
    )


def check(verdict: Verdict, points: float, needs: str | None = None, name: str = "c") -> Check:
    earned = points if verdict == "pass" else 0
    return Check(name, name, "correct", verdict, earned, points, needs=needs)


def graded(
    *checks: Check, backend: Backend = "sim", timed: bool = True
) -> tuple[float, float, dict[str, float], int]:
    marks = score.score(plan_for(lab(), backend, timed=timed), list(checks))
    missing = {u.reason: u.points for u in marks.unmeasured}
    return marks.earned, marks.measured, missing, score.exit_code(list(checks), marks)


def test_full_marks_of_what_is_measured() -> None:
    assert graded(check("pass", 85)) == (85, 85, {"need a GPU": 15}, exit_codes.FULL_MARKS)


def test_speed_that_was_not_asked_for_is_named() -> None:
    _, _, missing, code = graded(check("pass", 85), backend="gpu", timed=False)
    assert missing == {"are for speed, left out by --no-speed": 15}
    assert code == exit_codes.FULL_MARKS


def test_only_cuda_parts_of_a_mixed_lab_need_a_gpu() -> None:
    marks = score.score(plan_for(spec.load("lab8"), "sim", timed=False), [])
    missing = {u.reason: u.points for u in marks.unmeasured}
    assert missing["need a GPU"] == 4
    assert missing["are for speed, left out by --no-speed"] == 18


def test_a_failure_and_what_it_blocks_are_lost() -> None:
    earned, measured, _, code = graded(
        check("pass", 50), check("fail", 20, name="a"), check("skip", 15, needs="a")
    )
    assert (earned, measured, code) == (50, 85, exit_codes.LESS)


@pytest.mark.parametrize("verdict", ["uncertain", "error"])
def test_grader_errors_cost_no_points(verdict: Verdict) -> None:
    earned, measured, missing, code = graded(check("pass", 80), check(verdict, 5))
    assert (earned, measured) == (80, 80)
    assert 5 in missing.values()
    assert code == (exit_codes.FAULT if verdict == "error" else exit_codes.FULL_MARKS)


def test_checks_blocked_by_grader_errors_cost_no_points() -> None:
    earned, measured, _, code = graded(
        check("error", 0, name="compiles"), check("skip", 85, needs="compiles")
    )
    assert (earned, measured, code) == (0, 0, exit_codes.FAULT)


def test_a_check_that_this_backend_lacks_costs_nothing() -> None:
    earned, measured, missing, code = graded(check("pass", 80), check("skip", 5), backend="gpu")
    assert (earned, measured, code) == (80, 80, exit_codes.FULL_MARKS)
    assert missing["need the simulator"] == 5


def test_untimed_parts_cost_no_points() -> None:
    speed = Check("s", "s", "speed", "skip", 0, 15)
    earned, measured, missing, code = graded(check("pass", 85), speed, backend="gpu")
    assert (earned, measured, code) == (85, 85, exit_codes.FULL_MARKS)
    assert missing == {"cannot be timed here": 15}


def test_half_of_the_points_for_speed() -> None:
    speed = Check("s", "s", "speed", "pass", 7.5, 15)
    earned, measured, missing, code = graded(check("pass", 85), speed, backend="gpu")
    assert (earned, measured, missing, code) == (92.5, 100, {}, exit_codes.LESS)


def test_without_the_hidden_checks_their_points_are_named() -> None:
    _, measured, missing, code = graded(check("pass", 75))
    assert measured == 75 and code == exit_codes.FULL_MARKS
    assert missing["are in your instructor's hidden checks"] == 10


def test_a_selection_scores_what_it_selected() -> None:
    marks = score.score(plan_for(lab(), "sim", "A"), [check("pass", 4), check("fail", 2)])
    assert (marks.earned, marks.measured, marks.total) == (4, 6, 6)
