"""Floor over time, only where the part is right and safe; the lab's score is the geometric mean."""

import json
import math
from typing import Any

import jsonschema
import msgspec
import pytest

from grader.execute import backend
from grader.grading import speed_scores
from grader.model import result, spec
from grader.model.result import Check, Result, Verdict
from grader.model.score import Score
from grader.render.score_table import table
from grader.schema import write
from grader.tests.made_results import made

TIMED = {
    "student_ns": 200.0,
    "student_low_ns": 190.0,
    "student_high_ns": 250.0,
    "floor_ns": 100,
    "bound": "memory",
}


def check(kind: result.Kind, part: str, verdict: Verdict = "pass", **more: Any) -> Check:
    name = more.pop("name", f"{kind} of {part}")
    return Check(f"lab1/{part}/{name}", name, kind, verdict, part=part, **more)


def speed(part: str, verdict: Verdict = "pass", **more: Any) -> Check:
    return check("speed", part, verdict, **{"details": TIMED, **more})


def graded(*checks: Check) -> Result:
    return made(
        "lab1",
        checks,
        Score(0, 0, 100),
        title="t",
        backend="cpu",
        files=[],
        exit_code=0,
        machine=backend.machine("cpu"),
        hidden_included=False,
    )


def test_a_score_is_the_floor_over_the_time() -> None:
    board = speed_scores.of(graded(check("correct", "A"), check("safe", "A"), speed("A")))
    (scored,) = board.checks
    assert [scored.score, scored.low, scored.high] == pytest.approx([0.5, 0.4, 100 / 190])
    assert (scored.time_ns, scored.floor_ns, scored.bound) == (200, 100, "memory")
    assert board.score == 0.5 and not scored.why


def test_the_lab_has_the_geometric_mean() -> None:
    quarter = speed("B", details=TIMED | {"student_ns": 400.0})
    board = speed_scores.of(graded(speed("A"), quarter))
    assert board.score == pytest.approx(math.sqrt(0.5 * 0.25))
    assert board.low == pytest.approx(0.4) and board.high == pytest.approx(100 / 190)


def test_a_time_below_the_floor_is_no_better_than_the_floor() -> None:
    details = {"student_ns": 95.0, "floor_ns": 100}
    (scored,) = speed_scores.of(graded(speed("A", details=details))).checks
    assert (scored.score, scored.low, scored.high) == (1.0, 1.0, 1.0), "a result without a range"


@pytest.mark.parametrize("kind", ["correct", "safe"])
@pytest.mark.parametrize("verdict", ["fail", "uncertain", "error", "skip"])
def test_what_is_not_right_and_safe_has_no_score(kind: result.Kind, verdict: Verdict) -> None:
    wrong = check(kind, "B", verdict, name="the one")
    board = speed_scores.of(graded(wrong, speed("A"), speed("B")))
    right, without = board.checks
    assert right.score == 0.5, "another part has its own score"
    assert without.score is None and without.time_ns is None and "the one" in without.why
    assert ("lost points" in without.why) == (verdict == "fail")
    assert board.score is None and not without.left_out


def test_a_floor_is_measured_with_noise_too() -> None:
    noisy = TIMED | {"floor_high_ns": 120}
    (scored,) = speed_scores.of(graded(speed("A", details=noisy))).checks
    assert [scored.score, scored.low, scored.high] == pytest.approx([0.5, 0.4, 120 / 190])


def test_a_class_has_one_floor_for_each_machine() -> None:
    """Who was graded while the machine copied faster would be behind otherwise."""
    here = graded(speed("A"), speed("B", details=TIMED | {"floor_ns": 50}))
    lucky = graded(speed("A", details=TIMED | {"floor_ns": 80, "floor_high_ns": 160}))
    other = msgspec.structs.replace(here.machine, cores=999)
    there = msgspec.structs.replace(
        graded(speed("A", details=TIMED | {"floor_ns": 20})), machine=other
    )
    floors = speed_scores.least_floors([here, lucky, there])
    for result_ in (here, lucky):
        first = speed_scores.of(result_, floors=floors).checks[0]
        assert [first.score, first.low, first.high] == pytest.approx([0.4, 80 / 250, 80 / 190])
    assert speed_scores.of(here, floors=floors).checks[1].score == 0.25
    assert speed_scores.of(there, floors=floors).checks[0].score == 0.1
    moved = msgspec.structs.replace(
        here, elsewhere=result.Elsewhere("gpu", other, [here.checks[0].id])
    )
    assert speed_scores.of(moved, floors=floors).checks[0].score == 0.1, "it was timed there"


def test_technique_takes_nothing_from_a_score() -> None:
    assert speed_scores.of(graded(check("technique", "A", "fail"), speed("A"))).score == 0.5


@pytest.mark.parametrize("diagnosis", speed_scores.NOT_BELIEVED)
def test_a_time_that_is_not_believed_gives_no_score(diagnosis: str) -> None:
    (scored,) = speed_scores.of(graded(speed("A", "fail", diagnosis=diagnosis))).checks
    assert scored.score is None and scored.why


def test_a_slow_function_has_a_score_all_the_same() -> None:
    assert speed_scores.of(graded(speed("A", "fail", diagnosis="slow"))).score == 0.5


def test_what_was_not_timed_says_why() -> None:
    build = Check("lab1/compiles", "compiles", "build", "fail")
    (scored,) = speed_scores.of(graded(build, speed("A", "skip", needs="compiles"))).checks
    assert scored.why == "the file does not compile" and not scored.left_out
    here = speed("A", "skip", details={}, message=["this machine has one core"])
    board = speed_scores.of(graded(here, speed("B")))
    assert board.checks[0].left_out and board.score == 0.5, "the machine's fault costs nothing"
    busy = speed("A", "uncertain", details={}, message=["other programs kept the cores busy"])
    board = speed_scores.of(graded(busy, speed("B")))
    assert board.score is None and "busy" in board.checks[0].why
    failed = speed("A", "fail", details={}, message=["its output changed"])
    assert speed_scores.of(graded(failed)).checks[0].why == "it failed when it was timed"


def test_a_lab_for_a_gpu_says_so_in_a_line() -> None:
    lab = spec.load("lab4")
    board = speed_scores.of(graded(), lab)
    assert len(board.checks) == len(lab.speed) and board.score is None
    text = table(lab.id, board, 100)
    assert text.strip() == "lab4 has no score here: its points need a GPU"


def test_a_lab_with_parts_for_both_scores_what_it_can() -> None:
    lab = spec.load("lab8")
    on_cpu = [s for s in lab.speed if lab.file_of(s).endswith(".c")]
    timed = [
        Check(lab.id_of(s), s.name, "speed", "pass", part=s.part, details=TIMED) for s in on_cpu
    ]
    text = table(lab.id, speed_scores.of(graded(*timed), lab), 100)
    assert "lab  " in text and "E is left out: its points need a GPU" in text


def test_the_table() -> None:
    wrong = check("safe", "B", "fail", name="no data race")
    board = speed_scores.of(graded(wrong, speed("A"), speed("B")))
    lines = table("lab1", board, 100).splitlines()
    assert lines[1].split() == ["part", "time", "floor", "limited", "by", "score", "range"]
    assert " ".join(lines[2].split()) == "A 0.2 µs 0.1 µs memory 0.50 0.40 to 0.53"
    assert "B has no score: the part lost points in no data race" in lines[3]
    assert "the lab has no score" in lines[4]


def test_a_result_without_it_is_as_before_and_one_with_it_is_valid() -> None:
    schema = write.schema("convlabs-grade/v1")
    plain = graded(check("correct", "A"), speed("A"))
    assert "leaderboard" not in json.loads(result.to_json(plain))
    scored = msgspec.structs.replace(plain, leaderboard=speed_scores.of(plain))
    document = json.loads(result.to_json(scored))
    jsonschema.validate(document, schema)
    assert document["leaderboard"]["score"] == 0.5
    assert msgspec.convert(document, Result) == scored
