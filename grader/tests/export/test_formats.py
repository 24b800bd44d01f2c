"""Every format renders the same run: a submission with a grade, and one of each kind without."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from grader import export
from grader.bulk.store import Row, Store
from grader.export import feedback, gradebook, not_graded
from grader.export.summary import summary
from grader.model.result import Check, GradedFile, Machine, Result
from grader.model.score import Score, Unmeasured

KEY = "key of a grade"
PAGE = b"<!doctype html>\n"


def grade() -> Result:
    """3 of 8 points, and 15 that were not measured."""
    checks = [
        Check("lab3/compiles", "compiles", "build", "pass"),
        Check("lab3/A/x", "x", "correct", "pass", 3, 3, "A", seconds=0.5),
        Check("lab3/A/y", "y", "correct", "fail", 0, 5, "A", message=["a", "b"], diagnosis="late"),
        Check("lab3/A/z", "z", "safe", "skip", 0, 2, "A", needs="y"),
        Check("lab3/B/u", "u", "safe", "error", 0, 2, "B", message=["no memory"]),
    ]
    return Result(
        lab="lab3",
        title="constant mask",
        backend="sim",
        files=[GradedFile("lab3_constant_mask/constant_mask.cu", "0" * 64)],
        checks=checks,
        score=Score(3, 8, 23, (Unmeasured(15, "need a GPU"),)),
        exit_code=1,
        machine=Machine("Linux", "x86_64", 2, "g++"),
        grader_version="0",
        hidden_included=False,
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "run", resume=False)
    rows = [
        Row("=ann", "lab3", "waiting", KEY, ""),
        Row("bob", "lab3", "missing", "", "no constant_mask.cu"),
        Row("cem", "lab3", "rejected", "", "the archive is damaged"),
        Row("dan", "lab3", "error", "", "out of memory"),
        Row("eve", "lab3", "waiting", "another key", ""),
    ]
    for row in rows:
        note = "late" if row.student == "bob" else ""
        store.save_submission(row.student, "digest", note, [row], {})
    store.save_grade(KEY, "lab3", msgspec.json.encode(grade()), PAGE)
    yield store
    store.close()


def rendered(store: Store, form: str) -> dict[str, bytes]:
    return dict(export.FORMATS[form](store))


def test_gradebook(store: Store) -> None:
    assert rendered(store, "csv") == {
        gradebook.NAME: b"student,lab3_score,lab3_max,lab3_status\n"
        b"'=ann,3,8,graded\nbob,,,missing\ncem,,,rejected\ndan,,,error\neve,,,waiting\n"
    }


def test_junit(store: Store) -> None:
    suites = ElementTree.fromstring(rendered(store, "junit")["junit.xml"])
    counts = [
        tuple(int(suite.get(name, "")) for name in ("tests", "failures", "errors", "skipped"))
        for suite in suites
    ]
    assert counts == [(5, 1, 1, 1), (1, 0, 0, 1), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1)]
    failure = suites.find("testsuite/testcase/failure")
    assert failure is not None and failure.get("type") == "late" and failure.text == "a\nb"


def test_gradescope(store: Store) -> None:
    documents = {name: json.loads(data) for name, data in rendered(store, "gradescope").items()}
    assert list(documents) == [
        f"{student}/lab3/results.json" for student in ("=ann", "bob", "cem", "dan", "eve")
    ]
    ann = documents["=ann/lab3/results.json"]
    assert ann["score"] == 3 and "15 points need a GPU" in ann["output"]
    statuses = [test.get("status") for test in ann["tests"]]
    assert statuses == ["passed", "passed", "failed", "failed", None]
    assert [test["max_score"] for test in ann["tests"]] == [0, 3, 5, 2, 0]
    dan = documents["dan/lab3/results.json"]
    assert "tests" not in dan and dan["output"].endswith("out of memory")


def test_feedback_is_written_once_and_removed_when_it_no_longer_holds(store: Store) -> None:
    feedback.write(store)
    ann = store.folder / "=ann" / "lab3"
    assert {file.name for file in ann.iterdir()} == {"feedback.txt", "result.json", "report.html"}
    assert "3/8 measured, 15 need a GPU" in (ann / "feedback.txt").read_text()
    assert (ann / "report.html").read_bytes() == PAGE
    for status, reason in not_graded.REASONS.items():
        for row in store.rows():
            if row.status == status:
                text = (store.folder / row.student / "lab3" / "feedback.txt").read_text()
                assert reason in text and row.reason in text
    before = (ann / "result.json").stat()
    feedback.write(store)
    assert (ann / "result.json").stat().st_mtime_ns == before.st_mtime_ns
    store.save_failure(KEY, "lab3", "out of memory", None)
    feedback.write(store)
    assert {file.name for file in ann.iterdir()} == {"feedback.txt"}


def test_summary(store: Store) -> None:
    text = summary(store)
    assert "1 graded, 1 missing, 1 rejected, 1 error" in text
    assert "points, of 8: median 3" in text and "full marks: 0 of 1" in text
    assert "most common mistakes: late (1)" in text
    assert "lab3  rejected: cem: the archive is damaged" in text
    assert "late: bob" in text.splitlines()[-1]
