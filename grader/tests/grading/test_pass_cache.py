"""Passed checks are cached; all others run again."""

from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.compile import part_code
from grader.grading import one_check, pass_cache, pipeline
from grader.grading.pass_cache import PassCache
from grader.model import course_key, result, spec
from grader.model import submission as submissions
from grader.model.lab import Case
from grader.session.observer import Observer
from grader.session.plan import Plan, plan_for

LAB = spec.load("lab3")
PLAN = plan_for(LAB, "sim")
CASE, SAFE = LAB.case[0], LAB.safe[0]
PASS = result.Check("id", CASE.name, "correct", "pass", 2, 2, details={"value": 1, "line": 7})


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    binary = tmp_path / "key" / "run"
    binary.parent.mkdir()
    binary.write_bytes(b"program")
    return binary


def noted(binary: Path, check: result.Check = PASS) -> PassCache:
    cache = PassCache.of(binary, PLAN)
    cache.add(CASE, binary, check)
    cache.write()
    return PassCache.of(binary, PLAN)


def test_a_pass_is_found_and_marked(binary: Path) -> None:
    check = noted(binary).find(CASE, binary)
    assert check is not None and check.points == 2
    assert check.details == {"value": 1, "as_before": True}  # where it was may have moved
    assert noted(binary).find(SAFE, binary) is None


@pytest.mark.parametrize("verdict", ["fail", "skip", "error", "uncertain"])
def test_only_passes_are_cached(verdict: result.Verdict, binary: Path) -> None:
    cache = noted(binary, msgspec.structs.replace(PASS, verdict=verdict))
    assert cache.find(CASE, binary) is None


def test_another_program_check_or_course_is_run(
    binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = noted(binary)
    for changed in ({"seed": CASE.seed + 1}, {"points": 3}, {"border": "replicate"}):
        assert cache.find(msgspec.structs.replace(CASE, **changed), binary) is None
    monkeypatch.setattr(course_key, "digest", lambda _: b"another")
    assert PassCache.of(binary, PLAN).find(CASE, binary) is None
    monkeypatch.undo()
    assert PassCache.of(binary, PLAN).find(CASE, binary) is not None
    binary.write_bytes(b"another")
    assert PassCache.of(binary, PLAN).find(CASE, binary) is None


def test_a_pass_belongs_to_the_program_that_ran(binary: Path) -> None:
    instrumented = binary.with_name("checked")
    instrumented.write_bytes(b"program, instrumented")
    cache = noted(binary)
    cache.add(SAFE, instrumented, PASS)
    cache.write()
    assert cache.find(SAFE, instrumented) is not None
    assert cache.find(SAFE, binary) is None
    instrumented.write_bytes(b"another")
    assert PassCache.of(binary, PLAN).find(SAFE, instrumented) is None


def give(monkeypatch: pytest.MonkeyPatch, **codes: bytes) -> None:
    monkeypatch.setattr(part_code, "hashes", lambda *_: codes)


def test_a_pass_holds_while_the_code_of_its_part_does(
    binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = LAB.contract
    assert CASE.part == first.part == "A" and second.part == "B"
    give(monkeypatch, A=b"1", B=b"1")
    cache = PassCache.of(binary, PLAN)
    for check in (CASE, first, second):
        cache.add(check, binary, PASS)
    cache.write()

    def found(plan: Plan, **codes: bytes) -> list[bool]:
        give(monkeypatch, **codes)
        cache = PassCache.of(binary, plan)
        return [cache.find(check, binary) is not None for check in (CASE, first, second)]

    assert found(PLAN, A=b"1", B=b"1") == [True, True, True]
    assert found(PLAN, A=b"1", B=b"2") == [True, True, False]
    assert found(PLAN, A=b"2", B=b"1") == [False, False, False]  # B's calls alternate with A's
    alone = plan_for(LAB, "sim", "B")
    assert not found(alone, A=b"1", B=b"1")[2]  # its calls alternate with no others


def test_the_cases_of_a_changed_part_come_first(
    binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = [planned for planned in PLAN.checks if planned.program in ("plain", "failing")]
    give(monkeypatch, A=b"1", B=b"1")
    cache = PassCache.of(binary, PLAN)
    assert cache.changed_first(stage, binary) == stage
    cache.write()
    give(monkeypatch, A=b"1", B=b"2")
    ordered = PassCache.of(binary, PLAN).changed_first(stage, binary)
    cases = [planned for planned in stage if isinstance(planned.check, Case)]
    first = [planned for planned in cases if planned.check.part == "B"]
    assert ordered == [*first, *(planned for planned in stage if planned not in first)]


@pytest.mark.parametrize("damage", [b"", b"[1]", b"\xff", b'{"x": {"id": 3}}'])
def test_damaged_cache_is_ignored(damage: bytes, binary: Path) -> None:
    noted(binary)
    (binary.parent.parent / pass_cache.NOTE).write_bytes(damage)
    assert PassCache.of(binary, PLAN).find(CASE, binary) is None
    assert noted(binary).find(CASE, binary) is not None


def test_second_grading_runs_nothing_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = LAB.submit[0]
    (tmp_path / name).write_bytes((paths.SOLUTIONS / LAB.folder / name).read_bytes())
    submission = submissions.find(LAB, str(tmp_path))

    def graded(keep_notes: bool) -> result.Result:
        plan = plan_for(LAB, "sim", "A identity")
        return pipeline.grade(plan, submission, Observer(), keep_notes=keep_notes)

    assert graded(keep_notes=True).exit_code == 0
    monkeypatch.delitem(one_check.RULES, Case)
    again = graded(keep_notes=True)
    assert again.exit_code == 0 and again.checks[1].details["as_before"]
    with pytest.raises(KeyError):
        graded(keep_notes=False)


def test_after_an_edit_its_part_comes_first_and_others_stay_cached(tmp_path: Path) -> None:
    file = tmp_path / LAB.submit[0]
    text = (paths.SOLUTIONS / LAB.folder / file.name).read_text()
    plan = plan_for(LAB, "sim", "97x61")
    assert {planned.check.part for planned in plan.checks} == {"A", "B"}

    def graded(text: str) -> tuple[list[str], dict[str, bool]]:
        """The parts as they are told, and which checks stay, in the order of the result."""
        file.write_text(text)
        told: list[result.Check] = []
        observer = Observer(checked=told.append)
        submission = submissions.find(LAB, str(tmp_path))
        made = pipeline.grade(plan, submission, observer, keep_notes=True, cores=2)
        parts = [c.part for c in told if c.part]
        return parts, {c.id: "as_before" in c.details for c in made.checks if c.part}

    graded(text)
    parts, stays = graded(text.replace("size * size;", "size * (size + 0) + 1;"))
    assert parts == sorted(parts, reverse=True)
    assert [*stays] == [LAB.id_of(planned.check) for planned in plan.checks]
    assert all(is_kept == ("/A/" in name) for name, is_kept in stays.items())
