"""`./grade calibrate`: one real run, and machines that give no thresholds."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.classroom.commands import calibrate
from grader.execute import backend
from grader.grading import pipeline
from grader.model import spec
from grader.model.result import Check, Result
from grader.session.plan import Plan
from grader.tests import captured, tiny_course

Capture = pytest.CaptureFixture[str]
BAR = "speed of the loop order: 13x13 on 512x384"
RUN = ("calibrate", "--lab", "lab1", "-k", "loop order")


@pytest.mark.slow("functions are timed for real")
def test_a_real_run_changes_nothing_and_measures_one_check(tmp_path: Path) -> None:
    spec_file = paths.LABS / "lab1_cpu_loop" / "lab.toml"
    before, toml = spec_file.read_bytes(), tmp_path / "thresholds.toml"
    done = captured.grade(*RUN, "--rounds", "2", "--write", str(toml))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [row for row in done.stdout.splitlines() if row.startswith("lab1 B") and BAR in row]
    assert len(rows) == 1 and "2 ok" in rows[0], done.stdout
    assert "grading 1 of 2" in done.stderr and "grading 2 of 2" in done.stderr
    (suggested,) = tomllib.loads(toml.read_text())["part"]["speed"]
    assert suggested["name"] == BAR
    assert 0.5 < suggested["pass_at"] <= 0.7 < suggested["full_at"] <= 0.9
    assert toml.read_text() in done.stdout
    assert spec_file.read_bytes() == before


def test_a_machine_that_can_measure_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(backend, "gpu_missing", lambda: "no GPU answers")
    monkeypatch.setattr(pipeline, "grade", None)  # nothing is built
    assert tiny_course.call(monkeypatch, "calibrate", "--lab", "lab2") == 3
    said = capsys.readouterr()
    assert said.out == "not measured, need a GPU: lab2 A, D\n"
    assert "can measure none" in said.err
    assert tiny_course.call(monkeypatch, "calibrate", "--lab", "lab2", "--backend", "gpu") == 3
    assert "no GPU answers" in capsys.readouterr().err


def graded_as(check: Check, build: Check | None = None) -> object:
    """A pipeline whose every speed check ends like `check`."""

    def grade(plan: Plan, *_: object) -> Result:
        built = [build] if build else []
        lines = [
            msgspec.structs.replace(check, id=plan.lab.id_of(p.check), name=p.check.name)
            for p in plan.checks
        ]
        return msgspec.structs.replace(tiny_course.graded(0), checks=[*built, *lines])

    return grade


SLOW = Check(
    "",
    "",
    "speed",
    "fail",
    diagnosis="slow",
    details={"ratio": 0.6, "ratio_low": 0.59, "ratio_high": 0.61, "rounds": 40, "voided": 0},
)


def test_a_solution_that_fails_its_own_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(pipeline, "grade", graded_as(SLOW))
    assert tiny_course.call(monkeypatch, *RUN) == 3
    said = capsys.readouterr().out
    assert (
        "this machine cannot measure time reliably right now: the solution itself has only 0.6"
        in (" ".join(said.split()))
    )
    assert "3 FAIL" in said and not tomllib.loads(said[said.index("# ./grade") :])


def test_a_solution_that_does_not_build(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    build = Check("lab1/compiles", "compiles", "build", "fail", message=["line 4: no ;"])
    skip = Check("", "", "speed", "skip", needs="compiles")
    monkeypatch.setattr(pipeline, "grade", graded_as(skip, build))
    assert tiny_course.call(monkeypatch, *RUN) == 3
    said = capsys.readouterr()
    assert "our solution does not build: line 4: no ;" in said.out
    assert "1 skip" in said.out and "grading 2" not in said.err


def test_the_toml_alone_goes_to_stdout(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    fast = {**SLOW.details, "ratio": 1.0, "ratio_low": 0.99, "ratio_high": 1.01}
    right = msgspec.structs.replace(SLOW, verdict="pass", diagnosis=None, details=fast)
    monkeypatch.setattr(pipeline, "grade", graded_as(right))
    assert tiny_course.call(monkeypatch, *RUN, "--write", "-") == 0
    said = capsys.readouterr()
    (suggested,) = tomllib.loads(said.out)["part"]["speed"]
    assert suggested == {"name": BAR, "pass_at": 0.7, "full_at": 0.9}
    assert "told apart" in said.err


def test_a_file_that_cannot_be_written_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    monkeypatch.setattr(pipeline, "grade", graded_as(SLOW))
    assert tiny_course.call(monkeypatch, *RUN, "--write", str(tmp_path)) == 2
    said = capsys.readouterr()
    assert "cannot be written" in said.err and "# ./grade calibrate" in said.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lab", "lab77"), "there is no lab77"),
        (("--lab", "lab1", "-k", "no such check"), "lab1 has no speed check that matches"),
        (("--lab", "lab1", "-k", "delta"), "lab1 has no speed check that matches"),
        (("-k", "no\x1bsuch"), "the course has no speed check that matches 'nouch'"),
        (("--lab", "lab1", "--rounds", "0"), "--rounds"),
        (("--lab", "lab1", "--backend", "gpu"), "lab1 has no backend 'gpu'"),
    ],
)
def test_calibrate_rejects_wrong_usage(
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    assert tiny_course.call(monkeypatch, "calibrate", *arguments) == 2
    assert message in capsys.readouterr().err


def test_a_copy_without_the_solution(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    monkeypatch.setattr(paths, "SOLUTIONS", tmp_path)
    assert tiny_course.call(monkeypatch, *RUN) == 3
    assert "this copy has no solution of lab1" in capsys.readouterr().err


def test_all_labs_use_a_supported_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--backend sim` is no slip only because lab 1 is plain C."""
    monkeypatch.setattr(backend, "gpu_missing", lambda: None)
    labs = [spec.load(name) for name in ("lab1", "lab2")]
    for name, expected in (("sim", "sim"), ("gpu", "gpu"), ("auto", "gpu"), ("cpu", "sim")):
        chosen = [where for _, where in calibrate._chosen(labs, name, None, named=False)]
        assert chosen == ["cpu", expected], name
