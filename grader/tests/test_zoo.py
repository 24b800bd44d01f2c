"""Submissions with a known verdict, graded by the real ./grade.

Each folder grader/tests/zoo/labN/NAME holds one submission; its first line says
`zoo: wrong | NAME-OF-THE-MISTAKE` or `zoo: right`.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader import paths, schemas, spec

GRADE = schemas.schema("convlabs-grade/v1")
ZOO = Path(__file__).parent / "zoo"
ENTRIES = sorted(p for p in ZOO.glob("lab*/*") if p.is_dir())


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


def verdict_of(entry: Path) -> str:
    first = next(f for f in sorted(entry.iterdir()) if f.suffix in (".c", ".cu"))
    line = first.read_text().splitlines()[0]
    assert "zoo: " in line, f"{first} does not say its verdict"
    return line.split("zoo: ")[1].split("|")[0].strip(" */")


Graded = tuple[int, dict[str, Any]]


@pytest.fixture(scope="module")
def gradings() -> Iterator[dict[Path, Future[Graded]]]:
    """Every entry's grade, made several at a time: one grading leaves cores idle."""
    with ThreadPoolExecutor(max_workers=2 * len(os.sched_getaffinity(0))) as pool:
        yield {e: pool.submit(grade, e.parent.name, "--src", str(e)) for e in ENTRIES}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.parent.name}/{e.name}")
def test_zoo(entry: Path, gradings: dict[Path, Future[Graded]]) -> None:
    code, document = gradings[entry].result()
    failed = [c["name"] for c in document["checks"] if c["verdict"] not in ("pass", "skip")]
    if verdict_of(entry) == "right":
        assert code == 0, failed
        assert document["score"]["earned"] == document["score"]["measured"]
    else:
        assert code == 1
        assert document["score"]["earned"] < document["score"]["measured"]
        blamed = [c for c in document["checks"] if c["verdict"] == "fail"]
        assert blamed and all(c["message"] for c in blamed)


@pytest.mark.parametrize("lab", spec.available())
def test_solution_earns_full_marks_of_what_is_measured(lab: str) -> None:
    code, document = grade(lab, "--src", "solutions")
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
