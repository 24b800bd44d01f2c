"""Submissions with a known verdict, graded by the real ./grade.

Each folder grader/tests/zoo/labN/NAME holds one submission; its first line says one of

    zoo: right
    zoo: wrong | NAME-OF-THE-MISTAKE | also NAME, ...
    zoo: poor | TECHNIQUE CHECK; ...       results right, and exactly these checks fail
    zoo: unsafe | FINDING                  results right, and safe checks fail, with this finding
    zoo: slow | PART                       right, and too slow there

`poor` is what "right but slow" means for a kernel that no GPU times. The name of a mistake is what
a check must call it; `also` are names that are as true in some of its cases; `-` stands for a
mistake that has no name yet, and `smallest-case` for one that needs none: a check of drawn calls
shows the smallest case that fails, such as "radius 0 on a 1x1 image". table.py judges, and keeps
the table zoo/RESULTS.md.

Of the files that a lab asks for, it may leave out those that are the solution's. A file `edits`
says what is changed in them (edits.py). What must be right or wrong is not timed; speed is graded
below, with margins that no noise reaches.

All of them take half an hour on two cores, so a run of the tests grades those of chosen.py: one of
each kind, and a part of the rest that changes with the commit. ZOO=all grades all of them.
"""

import json
import multiprocessing
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader import paths
from grader.execute import backend as backends
from grader.execute.backend import cpu_has
from grader.grading import pipeline
from grader.model import result, spec
from grader.model import submission as submissions
from grader.schema import write
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.zoo import chosen, edits, table
from grader.tests.zoo.table import Row

GRADE = write.schema("convlabs-grade/v1")
ZOO = Path(__file__).parent
WRITE = os.environ.get("ZOO_WRITE") == "1"  # the table is being made
ENTRIES = chosen.everything() if WRITE else chosen.entries()


def grade(lab: str, *options: str) -> tuple[int, dict[str, Any]]:
    """Runs ./grade and returns its exit status and its JSON, which must fit the schema."""
    done = subprocess.run(
        [paths.ROOT / "grade", lab, "--json", "-", "--color", "never", *options],
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


Graded = tuple[int, dict[str, Any]]


def whole(entry: Path, folder: Path) -> Path:
    """The entry, or a copy with the solution's files in place of those that it leaves out, changed
    where it has edits."""
    lab = spec.load(entry.parent.name)
    missing = [name for name in lab.submit if not (entry / name).exists()]
    if not missing:
        return entry
    solutions = paths.ROOT / "solutions" / lab.folder
    copy = shutil.copytree(entry, folder / lab.id / entry.name, dirs_exist_ok=True)
    changed = edits.apply(entry, solutions) if (entry / edits.NAME).exists() else {}
    for name in missing:
        (copy / name).write_text(changed.get(name) or (solutions / name).read_text())
    return copy


def grade_here(lab_id: str, source: str) -> Graded:
    """What ./grade LAB --src SOURCE --no-speed gives, without a new process for each."""
    lab = spec.load(lab_id)
    backend = backends.choose(lab, "auto")
    plan = plan_for(lab, backend, timed=False)
    graded = pipeline.grade(plan, submissions.find(lab, source), Observer())
    return graded.exit_code, json.loads(result.to_json(graded))


def no_walls() -> None:
    """The zoo is ours; what strangers' files may do is for test_bubblewrap.py and test_bulk.py."""
    os.environ["CONVLABS_NO_SANDBOX"] = "1"


@pytest.fixture(scope="module")
def gradings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Path, Future[Graded]]]:
    """Every wanted entry's grade but its speed, by a worker for each core, which keeps what the
    entries of a lab have in common."""
    wanted = {item.name for item in request.session.items}
    graded = [e for e in ENTRIES if f"test_zoo[{e.parent.name}/{e.name}]" in wanted]
    sources = {e: str(whole(e, tmp_path_factory.getbasetemp())) for e in graded}
    workers = len(os.sched_getaffinity(0))
    start = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, start, initializer=no_walls) as pool:
        yield {e: pool.submit(grade_here, e.parent.name, source) for e, source in sources.items()}
        pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def rows() -> Iterator[dict[str, Row]]:
    """The rows of what was graded. `make zoo-table` has them written."""
    found: dict[str, Row] = {}
    yield found
    if WRITE:
        names = {f"{e.parent.name}/{e.name}" for e in ENTRIES}
        all_rows = table.committed() | found
        table.FILE.write_text(table.report(r for r in all_rows.values() if r.entry in names))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.parent.name}/{e.name}")
def test_zoo(entry: Path, gradings: dict[Path, Future[Graded]], rows: dict[str, Row]) -> None:
    code, document = gradings[entry].result()
    jsonschema.validate(document, GRADE)
    row = table.judge(entry, code, document)
    rows[row.entry] = row
    said = table.header(entry)
    assert not (problem := table.complaint(said, code, document)), problem
    if row.named is not None:
        assert not (problem := table.misnamed(said, document)), problem
    assert WRITE or table.committed().get(row.entry) == row, "stale: make zoo-table"


@pytest.mark.parametrize("lab", spec.available())
def test_solution_earns_full_marks_of_what_is_measured(lab: str) -> None:
    code, document = grade(lab, "--src", "solutions", "--no-speed")
    assert code == 0, [c for c in document["checks"] if c["verdict"] != "pass"]
    assert document["score"]["earned"] == document["score"]["measured"]
    points = spec.load(lab).points
    assert document["score"]["measured"] == points.total() - points.speed


@pytest.mark.parametrize("lab", spec.available())
def test_starter_earns_nothing_and_says_what_to_do(lab: str) -> None:
    code, document = grade(lab)
    assert code == 1
    assert document["score"]["earned"] == 0
    assert document["open_todos"]
    for check in document["checks"]:
        assert check["verdict"] != "fail" or check["message"], check["name"]


SLOW = [e for e in chosen.everything() if table.header(e).verdict == "slow"]


def speeds(lab: str, source: Path, pattern: str = "speed of") -> dict[str, dict[str, Any]]:
    """The speed checks of a lab that match, by part."""
    _, document = grade(lab, "--src", str(source), "-k", pattern)
    return {c["part"]: c for c in document["checks"] if c["kind"] == "speed"}


@pytest.mark.parametrize("entry", SLOW, ids=lambda e: f"{e.parent.name}/{e.name}")
def test_a_slow_one_gets_no_points_for_it(entry: Path, tmp_path: Path) -> None:
    """Several threads are timed on the wall: a machine that is busy now must not say `fail`."""
    lab, part = spec.load(entry.parent.name), table.header(entry).detail
    speed = next(s for s in lab.speed if s.part == part)
    cpu = lab.part_of(speed).cpu
    if cpu and not cpu_has(cpu):
        pytest.skip(f"this CPU has no {cpu}")
    check = speeds(lab.id, whole(entry, tmp_path), speed.name)[part]
    assert check["points"] == 0
    several = speed.set.get("threads") == "all"
    assert check["verdict"] in ("fail", "error", *(["uncertain"] * several))
    assert check["message"]
    if check["verdict"] == "fail":
        assert check["diagnosis"] == "slow"
        assert any(line.startswith("try: ") for line in check["message"])
        assert check["details"]["ratio_high"] < 0.7


@pytest.mark.parametrize(("lab", "parts"), [("lab1", "ABC"), ("lab8", "BCD")])
def test_the_solution_is_never_too_slow(lab: str, parts: str) -> None:
    found = speeds(lab, paths.ROOT / "solutions")
    assert sorted(found) == list(parts)
    for check in found.values():
        assert check["verdict"] != "fail", check["message"]
        if check["verdict"] == "pass":
            assert check["points"] == check["max_points"]
            assert 0 < check["details"]["efficiency"] < 1.25
            assert check["details"]["ratio_low"] <= check["details"]["ratio"]


def test_a_wrong_part_is_not_timed(tmp_path: Path) -> None:
    solution = (paths.ROOT / "solutions/lab1_cpu_loop/cpu_loop.c").read_text()
    broken = solution.replace("sum[x] = 0.0f", "sum[x] = 1.0f")
    assert broken != solution
    (tmp_path / "cpu_loop.c").write_text(broken)
    _, document = grade("lab1", "--src", str(tmp_path), "-k", "3x13 on")
    skipped = [c for c in document["checks"] if c["kind"] == "speed" and c["verdict"] == "skip"]
    assert [c["part"] for c in skipped] == ["B", "C"]
    failed = {c["name"] for c in document["checks"] if c["verdict"] == "fail"}
    assert all(c["needs"] in failed for c in skipped)


def test_the_simulator_times_nothing() -> None:
    _, document = grade("lab3", "--src", "solutions", "--backend", "sim", "-k", "13x13 on 97x61")
    assert not [c for c in document["checks"] if c["kind"] == "speed"]


def test_no_speed_says_what_was_left_out() -> None:
    _, document = grade("lab1", "--src", "solutions", "--no-speed")
    reasons = {u["reason"]: u["points"] for u in document["score"]["unmeasured"]}
    assert reasons == {"are for speed, left out by --no-speed": 30}
