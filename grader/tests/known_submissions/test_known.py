"""The known submissions, graded: each gets what its entry says.

What must be right or wrong is not timed; speed is graded below, with margins that no noise reaches.
`./grade` itself runs for the solutions and the starters.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader import paths
from grader.execute.backend import cpu_has
from grader.model import outline, spec
from grader.schema import write
from grader.tests.known_submissions import entries, grading, table
from grader.tests.known_submissions.entries import Entry

# The entries and the labs share nothing that costs much.
pytestmark = pytest.mark.apart
GRADE = write.schema("convlabs-grade/v1")


def grade(lab: str, *options: str) -> tuple[int, dict[str, Any]]:
    """Runs ./grade and returns its exit status and its JSON, which must fit the schema."""
    done = subprocess.run(
        [paths.ROOT / "grade", lab, "--json", "-", "--color", "never", "--no-correct", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert "Traceback" not in done.stderr + done.stdout
    assert done.stdout, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, GRADE)
    assert document["exit_code"] == done.returncode
    return done.returncode, document


@pytest.fixture(scope="module")  # other tests' launcher kills all that it did not start
def grading_process() -> Iterator[ProcessPoolExecutor]:
    with grading.processes(1) as pool:
        yield pool


@pytest.mark.slow("each is a whole grade")
@pytest.mark.parametrize("entry", entries.everything(), ids=str)
def test_submission_gets_its_known_verdict(
    entry: Entry,
    grading_process: ProcessPoolExecutor,
    record_property: Callable[[str, object], None],
) -> None:
    known = table.committed().get(str(entry))
    alone = known.alone if known else ""
    graded = grading_process.submit(grading.grade, entry, alone or None).result()
    record_property("seconds", graded.seconds)
    jsonschema.validate(graded.document, GRADE)
    assert not (problem := table.complaint(entry, graded.code, graded.document)), problem
    row = table.judge(entry, graded.code, graded.document)
    if row.named is not None:
        assert not (problem := table.misnamed(entry, graded.document)), problem
    assert replace(row, alone=alone) == known, "stale: make known-table"


@pytest.mark.slow("a whole grade, by ./grade itself")
@pytest.mark.parametrize("lab", outline.available())
def test_solution_earns_full_marks_of_what_is_measured(lab: str) -> None:
    code, document = grade(lab, "--src", "solutions", "--no-speed")
    assert code == 0, [c for c in document["checks"] if c["verdict"] != "pass"]
    assert document["score"]["earned"] == document["score"]["measured"]
    points = spec.load(lab).points
    assert document["score"]["measured"] == points.total() - points.speed


@pytest.mark.slow("a whole grade, or functions timed for real")
@pytest.mark.parametrize("lab", outline.available())
def test_starter_earns_nothing_and_says_what_to_do(lab: str, tmp_path: Path) -> None:
    """A copy of it: a grade of the student's own files is recorded as progress."""
    shutil.copytree(paths.STARTER / spec.load(lab).folder, tmp_path, dirs_exist_ok=True)
    code, document = grade(lab, "--src", str(tmp_path))
    assert code == 1
    assert document["score"]["earned"] == 0
    assert document["open_todos"]
    for check in document["checks"]:
        assert check["verdict"] != "fail" or check["message"], check["name"]


def speeds(lab: str, source: Path, pattern: str = "speed of") -> dict[str, dict[str, Any]]:
    """The speed checks of a lab that match, by part."""
    _, document = grade(lab, "--src", str(source), "-k", pattern)
    return {c["part"]: c for c in document["checks"] if c["kind"] == "speed"}


@pytest.mark.slow("a whole grade, or functions timed for real")
@pytest.mark.parametrize("entry", [e for e in entries.everything() if e.verdict == "slow"], ids=str)
def test_slow_part_gets_no_speed_points(entry: Entry, tmp_path: Path) -> None:
    """Several threads are timed on the wall: a machine that is busy now must not say `fail`."""
    lab, part = spec.load(entry.lab), entry.detail
    speed = next(s for s in lab.speed if s.part == part)
    cpu = lab.part_of(speed).cpu
    if cpu and not cpu_has(cpu):
        pytest.skip(f"this CPU has no {cpu}")
    check = speeds(lab.id, entries.write(entry, tmp_path), speed.name)[part]
    assert check["points"] == 0
    several = speed.set.get("threads") == "all"
    assert check["verdict"] in ("fail", "error", *(["uncertain"] * several))
    assert check["message"]
    if check["verdict"] == "fail":
        assert check["diagnosis"] == "slow"
        assert any(line.startswith("try: ") for line in check["message"])
        assert check["details"]["ratio_high"] < 0.7


@pytest.mark.slow("a whole grade, or functions timed for real")
@pytest.mark.parametrize(("lab", "parts"), [("lab1", "ABC"), ("lab8", "BCD")])
def test_solution_is_never_too_slow(lab: str, parts: str) -> None:
    found = speeds(lab, paths.ROOT / "solutions")
    assert sorted(found) == list(parts)
    for check in found.values():
        assert check["verdict"] != "fail", check["message"]
        if check["verdict"] == "pass":
            assert check["points"] == check["max_points"]
            assert 0 < check["details"]["efficiency"] < 1.25
            assert check["details"]["ratio_low"] <= check["details"]["ratio"]


@pytest.mark.slow("a whole grade, or functions timed for real")
def test_wrong_part_is_not_timed(tmp_path: Path) -> None:
    solution = (paths.ROOT / "solutions/lab1_cpu_loop/cpu_loop.c").read_text()
    broken = solution.replace("sum[x] = 0.0f", "sum[x] = 1.0f")
    assert broken != solution
    (tmp_path / "cpu_loop.c").write_text(broken)
    _, document = grade("lab1", "--src", str(tmp_path), "-k", "3x13 on")
    skipped = [c for c in document["checks"] if c["kind"] == "speed" and c["verdict"] == "skip"]
    assert [c["part"] for c in skipped] == ["B", "C"]
    failed = {c["name"] for c in document["checks"] if c["verdict"] == "fail"}
    assert all(c["needs"] in failed for c in skipped)


def test_simulator_times_nothing() -> None:
    _, document = grade("lab3", "--src", "solutions", "--backend", "sim", "-k", "13x13 on 97x61")
    assert not [c for c in document["checks"] if c["kind"] == "speed"]


@pytest.mark.slow("a whole grade, or functions timed for real")
def test_no_speed_names_the_points_left_out() -> None:
    _, document = grade("lab1", "--src", "solutions", "--no-speed")
    reasons = {u["reason"]: u["points"] for u in document["score"]["unmeasured"]}
    assert reasons == {"are for speed, left out by --no-speed": 30}
