"""What has passed is not run again, and everything else is."""

from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.checks import correct
from grader.grading import pass_cache, pipeline
from grader.grading.pass_cache import Passed
from grader.model import result, spec
from grader.model import submission as submissions

LAB = spec.load("lab3")
CASE, SAFE = LAB.case[0], LAB.safe[0]
PASS = result.Check("id", CASE.name, "correct", "pass", 2, 2, details={"value": 1})


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    binary = tmp_path / "run"
    binary.write_bytes(b"program")
    return binary


def noted(binary: Path, check: result.Check = PASS) -> Passed:
    notes = Passed.of(binary)
    notes.add(CASE, check)
    notes.write()
    return Passed.of(binary)


def test_a_pass_is_found_and_marked(binary: Path) -> None:
    found = noted(binary).find(CASE)
    assert found is not None and found.points == 2
    assert found.details == {"value": 1, "as_before": True}
    assert noted(binary).find(SAFE) is None


@pytest.mark.parametrize("verdict", ["fail", "skip", "error", "uncertain"])
def test_what_did_not_pass_is_not(verdict: result.Verdict, binary: Path) -> None:
    assert noted(binary, msgspec.structs.replace(PASS, verdict=verdict)).find(CASE) is None


def test_another_program_check_or_grader_is_run(
    binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = noted(binary)
    for changed in ({"seed": CASE.seed + 1}, {"points": 3}, {"border": "replicate"}):
        assert notes.find(msgspec.structs.replace(CASE, **changed)) is None
    monkeypatch.setattr(pass_cache, "_grader", lambda: b"another")
    assert notes.find(CASE) is None
    monkeypatch.undo()
    assert notes.find(CASE) is not None
    binary.write_bytes(b"another")
    assert Passed.of(binary).find(CASE) is None


def test_a_watched_check_is_of_the_watched_program(binary: Path) -> None:
    checked = binary.with_name("checked")
    checked.write_bytes(b"program, watched")
    notes = noted(binary)
    notes.watched(checked)
    notes.add(SAFE, PASS)
    assert notes.find(SAFE) is not None
    checked.write_bytes(b"another")
    notes.watched(checked)
    assert notes.find(SAFE) is None


@pytest.mark.parametrize("damage", [b"", b"[1]", b"\xff", b'{"x": {"id": 3}}'])
def test_damaged_notes_are_none(damage: bytes, binary: Path) -> None:
    noted(binary)
    (binary.parent / pass_cache.NOTE).write_bytes(damage)
    assert Passed.of(binary).find(CASE) is None
    assert noted(binary).find(CASE) is not None


def test_a_second_grading_runs_nothing_unless_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = LAB.submit[0]
    (tmp_path / name).write_bytes((paths.SOLUTIONS / LAB.folder / name).read_bytes())
    submission = submissions.find(LAB, str(tmp_path))

    def graded(remember: bool) -> result.Result:
        watcher = pipeline.Observer()
        return pipeline.grade(submission, "sim", watcher, "A identity", remember=remember)

    assert graded(remember=True).exit_code == 0
    monkeypatch.delattr(correct, "check")
    again = graded(remember=True)
    assert again.exit_code == 0 and again.checks[1].details["as_before"]
    with pytest.raises(AttributeError):
        graded(remember=False)
