"""`./grade merge`: what a machine with a GPU measured fills in what a grade could not measure."""

from pathlib import Path

import jsonschema
import msgspec
import pytest
import typer
from typer.testing import CliRunner

from grader.classroom.bulk.elsewhere import combined
from grader.classroom.bulk.store import Store
from grader.classroom.commands import merge
from grader.model import course_key
from grader.model.result import Check, Machine, Result, Verdict
from grader.model.score import Score, Unmeasured
from grader.schema import write
from grader.tests.classroom.bulk.made_runs import grade, hand_in, result

COURSE = dict.fromkeys(course_key.PART_NAMES, "1")
HERE, THERE = {**COURSE, "the machine": "1"}, {**COURSE, "the machine": "2"}


def with_gpu(verdict: Verdict = "pass", points: float = 15, needs: str | None = None) -> Result:
    """The grade of a machine with a GPU, which has another score for the rest."""
    speed = Check("lab3/A/fast", "fast", "speed", verdict, points, 15, "A", needs=needs)
    there = result(earned=7, x="fail")
    machine = Machine("Linux", "x86_64", 16, "nvcc")
    return msgspec.structs.replace(
        there,
        checks=[*there.checks, speed],
        backend="gpu",
        machine=machine,
        score=Score(22, 100, 100),
    )


def test_points_that_were_not_measured_are_filled_in_and_nothing_else() -> None:
    whole = combined(result(x="pass"), with_gpu())
    assert whole.score == Score(75, 100, 100)
    assert [(c.id, c.points) for c in whole.checks] == [("lab3/A/x", 5), ("lab3/A/fast", 15)]
    assert whole.elsewhere is not None and whole.elsewhere.machine.compiler == "nvcc"
    assert whole.machine.compiler == "g++"
    document = msgspec.json.decode(msgspec.json.encode(whole))
    jsonschema.validate(document, write.schema("convlabs-grade/v1"))


@pytest.mark.parametrize(
    ("other", "score"),
    [
        (with_gpu("fail", 0), Score(60, 100, 100)),
        (with_gpu("skip", 0, "compiles"), Score(60, 100, 100)),
        (with_gpu("skip", 0), result().score),
        (with_gpu("uncertain", 0), result().score),
        (with_gpu("error", 0), result().score),
        (result(earned=85, z="pass"), result().score),
    ],
)
def test_only_speed_inputs_affect_the_match(other: Result, score: Score) -> None:
    assert combined(result(x="pass"), other).score == score


def test_a_part_that_is_filled_leaves_the_rest_unmeasured() -> None:
    left = (Unmeasured(4, "uncertain on this machine"), Unmeasured(30, "need a GPU"))
    mine = msgspec.structs.replace(result(), score=Score(60, 66, 100, left))
    assert combined(mine, with_gpu()).score == Score(
        75, 81, 100, (Unmeasured(4, "uncertain on this machine"), Unmeasured(15, "need a GPU"))
    )
    again = combined(combined(mine, with_gpu()), with_gpu())
    assert again == combined(mine, with_gpu()), "what is measured is not measured twice"


def merged(run: Path, other: Path) -> str:
    app = typer.Typer()
    app.command(name="merge")(merge.merge)
    app.command(name="other")(lambda: None)
    done = CliRunner().invoke(app, ["merge", str(run), str(other)], catch_exceptions=False)
    return done.output


def test_run_without_gpu_reuses_speed_of_run_with_gpu(tmp_path: Path) -> None:
    run, other = Store(tmp_path / "run", resume=False), Store(tmp_path / "gpu", resume=False)
    for student, file in (("ann", b"a"), ("ben", b"b"), ("cem", b"c"), ("dan", b"a")):
        hand_in(run, student, {"lab3": file})
    hand_in(other, "Ann K.", {"lab3": b"a"}, key="gpu ")
    hand_in(other, "Cem", {"lab3": b"c"}, key="gpu ")
    grade(run, {f"lab3 {c}": result(x="pass") for c in "abc"}, HERE)
    grade(other, {"lab3 gpu a": with_gpu()}, THERE)
    run.close()
    other.close()
    text = merged(tmp_path / "run", tmp_path / "gpu")
    assert "1 of 3 grades got checks for speed" in text and "2 are of files" in text
    run = Store(tmp_path / "run", resume=True)
    scores = {row.student: run.result_of(row).score.earned for row in run.rows()}  # type: ignore[union-attr]
    assert scores == {"ann": 75, "ben": 60, "cem": 60, "dan": 75}
    feedback = (tmp_path / "run" / "ann" / "lab3" / "feedback.txt").read_text()
    assert "75/100" in feedback and "need a GPU" not in feedback

    # Another grader, the same course: the speed stays. Another course: it does not.
    for key, made, earned in (("m ", {**HERE, "the machine": "9"}, 75), ("s ", {}, 60)):
        hand_in(run, "ann", {"lab3": b"a"}, key=key)
        grade(run, {f"lab3 {key}a": result(x="pass")}, made or {**HERE, "the spec": "2"})
        row = next(row for row in run.rows() if row.student == "ann")
        assert run.result_of(row).score.earned == earned  # type: ignore[union-attr]
    run.close()
    assert "1 were made by another state of the course" in merged(
        tmp_path / "run", tmp_path / "gpu"
    )
