"""Predictions appear in a grade and earn no points."""

import jsonschema
import msgspec
import pytest

from grader import paths
from grader.classroom.bulk.elsewhere import combined
from grader.grading import pipeline, score
from grader.model import outline, spec
from grader.model import result as results
from grader.model import submission as submissions
from grader.model.lab import Speed
from grader.model.prediction import PredictedSpeed, PredictedTime, Prediction, Ratio
from grader.model.result import Check
from grader.model.score import Score, Unmeasured
from grader.predict import process
from grader.predict.references import references
from grader.render.terminal import Terminal
from grader.schema import write
from grader.session.observer import Observer
from grader.session.plan import NO_GPU, Plan, plan_for
from grader.tests.classroom.bulk.made_runs import result

LAB = spec.load("lab4", hidden=False)
SPEED = next(speed for speed in LAB.speed if speed.part == "B")
TIME = PredictedTime(150, 120, 190, {"shared": 100.0, "issue": 50.0})


def prediction(low: float, high: float) -> Prediction:
    middle = (low * high) ** 0.5
    ratio = Ratio(middle, low, high)
    return Prediction(LAB.id_of(SPEED), "NVIDIA H200", time=TIME, ratio=ratio)


def plan(how: PredictedSpeed) -> Plan:
    return plan_for(LAB, "sim", prediction=how)


@pytest.mark.parametrize("how", ["shown", "off"])
def test_speed_that_needs_a_gpu_stays_unmeasured(how: PredictedSpeed) -> None:
    others = [
        Check(LAB.id_of(c), c.name, c.kind, "pass", c.points, c.points, c.part)
        for c in LAB.checks()
        if not isinstance(c, Speed)
    ]
    assert Unmeasured(15, NO_GPU) in score.score(plan(how), others).unmeasured


def test_no_prediction_with_a_gpu_or_without_speed() -> None:
    assert len(plan("shown").predicted) == 3
    assert plan("off").predicted == ()
    assert plan_for(LAB, "gpu").predicted == ()
    assert plan_for(LAB, "sim", timed=False).predicted == ()
    assert [s.part for s in plan_for(LAB, "sim", pattern="C").predicted] == ["C"]
    assert plan_for(spec.load("lab1", hidden=False), "cpu").predicted == ()


def test_gpu_time_replaces_the_prediction() -> None:
    base = result(x="pass")
    made = Prediction("lab3/A/fast", "NVIDIA H200", time=TIME)
    other = Prediction("lab3/B/fast", "NVIDIA H200", time=TIME)
    here = msgspec.structs.replace(base, predictions=[made, other])
    measured = Check("lab3/A/fast", "fast", "speed", "fail", 0, 15, "A")
    there = msgspec.structs.replace(base, checks=[*base.checks, measured], backend="gpu")
    whole = combined(here, there)
    assert whole.score == Score(60, 100, 100)
    assert [(c.id, c.verdict) for c in whole.checks] == [
        ("lab3/A/x", "pass"),
        ("lab3/A/fast", "fail"),
    ]
    assert whole.predictions == [other]


def test_the_line_on_the_terminal() -> None:
    shown = msgspec.structs.replace(prediction(0.8, 1.2), check="lab3/A/fast")
    graded = msgspec.structs.replace(result(x="pass"), predictions=[shown])
    text = Terminal(100).predictions(graded)
    assert Terminal(100).footer(graded).startswith("  60/85 measured")
    assert Terminal(100).footer(graded).endswith("\n" + text)
    assert text.splitlines()[0] == "  pred  A  fast"
    assert "predicted on an NVIDIA H200, not measured: 150 us (120 to 190), 0.98 of our" in text
    assert "bound by wavefronts of shared memory" in text
    again = [Prediction(f"lab3/{p}/fast", "NVIDIA H200", reason="it needs x") for p in "AB"]
    graded = msgspec.structs.replace(graded, predictions=again)
    assert Terminal(100).predictions(graded).strip() == "speed is not predicted: it needs x"


def test_a_document_with_predictions_is_one_of_the_schema() -> None:
    graded = msgspec.structs.replace(
        result(x="pass"),
        predictions=[prediction(0.8, 1.2), Prediction("lab3/B/y", "NVIDIA H200", reason="why")],
    )
    document = msgspec.json.decode(results.to_json(graded))
    schema = write.schema("convlabs-grade/v1")
    jsonschema.validate(document, schema)
    document["predictions"][0]["measured"] = True
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_grade_reuses_cached_predictions() -> None:
    lab = spec.load("lab2", hidden=False)
    submission = submissions.find(lab, "solutions")
    planned = plan_for(lab, "sim", pattern="speed of the kernel")

    def grade(keep_notes: bool) -> Prediction:
        graded = pipeline.grade(planned, submission, Observer(), keep_notes=keep_notes)
        (prediction,) = graded.predictions
        return prediction

    first = grade(True)
    assert first.time is not None and first.ratio is not None and not first.measured
    assert 0.97 < first.ratio.middle < 1.03
    notes = (paths.BUILD / "lab2").glob(f"*/{process.NOTE}")
    kept = max(notes, key=lambda note: note.stat().st_mtime)
    key, noted = msgspec.json.decode(kept.read_bytes(), type=tuple[str, list[Prediction]])
    assert noted == [first]
    false = msgspec.structs.replace(first, gpu="from the note")
    kept.write_bytes(msgspec.json.encode((key, [false])))
    assert grade(True).gpu == "from the note"
    assert grade(False) == first, "a note is for a student's own file alone"
    kept.write_bytes(b"damaged")
    assert grade(True) == first


def test_a_wrong_part_is_not_predicted() -> None:
    lab = spec.load("lab2", hidden=False)
    starter = submissions.find(lab, "starter")
    graded = pipeline.grade(plan_for(lab, "sim", pattern="A "), starter, Observer())
    assert graded.predictions == []


# ---------------------------------------------------------------- the course's own figures


def test_the_handout_has_the_intervals() -> None:
    text = (paths.ROOT / "handouts" / "prediction.md").read_text()
    low, high = references().spread
    assert f"{low:.2f} to {high:.2f} times" in text


def test_every_speed_check_that_needs_a_gpu_has_its_references() -> None:
    wanted = set()
    for name in outline.available():
        lab = spec.load(name, hidden=False)
        wanted |= {lab.id_of(s) for s in lab.speed if lab.file_of(s).endswith(".cu")}
    assert set(references().checks) == wanted
