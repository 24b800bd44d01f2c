"""What has passed is not run again, and everything else is."""

from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.grading import judge, pass_cache, pipeline
from grader.grading.pass_cache import PassCache
from grader.model import course_key, result, spec
from grader.model import submission as submissions
from grader.model.spec import Case
from grader.session.observer import Observer
from grader.session.plan import plan_for

LAB = spec.load("lab3")
CASE, SAFE = LAB.case[0], LAB.safe[0]
PASS = result.Check("id", CASE.name, "correct", "pass", 2, 2, details={"value": 1})


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    binary = tmp_path / "run"
    binary.write_bytes(b"program")
    return binary


def noted(binary: Path, check: result.Check = PASS) -> PassCache:
    cache = PassCache.of(binary, LAB.id)
    cache.add(CASE, binary, check)
    cache.write()
    return PassCache.of(binary, LAB.id)


def test_a_pass_is_found_and_marked(binary: Path) -> None:
    check = noted(binary).find(CASE, binary)
    assert check is not None and check.points == 2
    assert check.details == {"value": 1, "as_before": True}
    assert noted(binary).find(SAFE, binary) is None


@pytest.mark.parametrize("verdict", ["fail", "skip", "error", "uncertain"])
def test_what_did_not_pass_is_not(verdict: result.Verdict, binary: Path) -> None:
    cache = noted(binary, msgspec.structs.replace(PASS, verdict=verdict))
    assert cache.find(CASE, binary) is None


def test_another_program_check_or_course_is_run(
    binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = noted(binary)
    for changed in ({"seed": CASE.seed + 1}, {"points": 3}, {"border": "replicate"}):
        assert cache.find(msgspec.structs.replace(CASE, **changed), binary) is None
    monkeypatch.setattr(course_key, "digest", lambda _: b"another")
    assert PassCache.of(binary, LAB.id).find(CASE, binary) is None
    monkeypatch.undo()
    assert PassCache.of(binary, LAB.id).find(CASE, binary) is not None
    binary.write_bytes(b"another")
    assert PassCache.of(binary, LAB.id).find(CASE, binary) is None


def test_a_pass_belongs_to_the_program_that_ran(binary: Path) -> None:
    instrumented = binary.with_name("checked")
    instrumented.write_bytes(b"program, instrumented")
    cache = noted(binary)
    cache.add(SAFE, instrumented, PASS)
    cache.write()
    assert cache.find(SAFE, instrumented) is not None
    assert cache.find(SAFE, binary) is None
    instrumented.write_bytes(b"another")
    assert PassCache.of(binary, LAB.id).find(SAFE, instrumented) is None


@pytest.mark.parametrize("damage", [b"", b"[1]", b"\xff", b'{"x": {"id": 3}}'])
def test_damaged_notes_are_none(damage: bytes, binary: Path) -> None:
    noted(binary)
    (binary.parent / pass_cache.NOTE).write_bytes(damage)
    assert PassCache.of(binary, LAB.id).find(CASE, binary) is None
    assert noted(binary).find(CASE, binary) is not None


def test_a_second_grading_runs_nothing_unless_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = LAB.submit[0]
    (tmp_path / name).write_bytes((paths.SOLUTIONS / LAB.folder / name).read_bytes())
    submission = submissions.find(LAB, str(tmp_path))

    def graded(keep_notes: bool) -> result.Result:
        plan = plan_for(LAB, "sim", "A identity")
        return pipeline.grade(plan, submission, Observer(), keep_notes=keep_notes)

    assert graded(keep_notes=True).exit_code == 0
    monkeypatch.delitem(judge.RULES, Case)
    again = graded(keep_notes=True)
    assert again.exit_code == 0 and again.checks[1].details["as_before"]
    with pytest.raises(KeyError):
        graded(keep_notes=False)
