"""Every format renders the same run: a submission with a grade, and one of each kind without."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from grader.classroom import export
from grader.classroom.bulk import class_records
from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt, HandIn
from grader.classroom.export import feedback, gradebook, gradescope, not_graded
from grader.classroom.export import grades as grading
from grader.classroom.export.summary import summary
from grader.model import spec
from grader.model import submission as submissions
from grader.model.result import Check, Result, Sandbox
from grader.model.score import Score, Unmeasured
from grader.tests.made_results import made

KEY = "key of a grade"
PAGE = b"<!doctype html>\n"
FILES = {"constant_mask.cu": b"// TODO\n"}


def grade() -> Result:
    """3 of 8 points, and 15 that were not measured."""
    checks = [
        Check("lab3/compiles", "compiles", "build", "pass"),
        Check("lab3/A/x", "x", "correct", "pass", 3, 3, "A", seconds=0.5),
        Check("lab3/A/y", "y", "correct", "fail", 0, 5, "A", message=["a", "b"], diagnosis="late"),
        Check("lab3/A/z", "z", "safe", "skip", 0, 2, "A", needs="y"),
        Check("lab3/B/u", "u", "safe", "error", 0, 2, "B", message=["no memory"]),
    ]
    return made(
        "lab3",
        checks,
        Score(3, 8, 23, (Unmeasured(15, "need a GPU"),)),
        hidden_included=False,
        sandbox=Sandbox(2, "Landlock, own user", "ABI 7", 69, "2026-01-31"),
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "run", resume=False)
    rows = [
        Attempt("=ann", "lab3", "waiting", KEY, ""),
        Attempt("bob", "lab3", "missing", "", "no constant_mask.cu"),
        Attempt("cem", "lab3", "rejected", "", "the archive is damaged"),
        Attempt("dan", "lab3", "error", "", "out of memory"),
        Attempt("eve", "lab3", "waiting", "another key", ""),
    ]
    for row in rows:
        note = "late" if row.student == "bob" else ""
        graded = {KEY: FILES} if row.key == KEY else {}
        store.save_submission(HandIn(row.student, note), "digest", [row], graded)
    store.save_grade(KEY, "lab3", msgspec.json.encode(grade()), PAGE)
    yield store
    store.close()


def rendered(store: Store, form: str) -> dict[str, bytes]:
    formats = {**export.WHOLE, **export.FOLDERS}
    return dict(formats[form](grading.of(store)))


def test_gradebook_has_a_row_for_each_student(store: Store) -> None:
    assert rendered(store, "csv") == {
        gradebook.NAME: b"student,name,email,id,lab3_score,lab3_max,lab3_status,lab3_sandbox,"
        b"lab3_late_days,lab3_points,lab3_out_of,lab3_note\n"
        b"'=ann,,,,3,8,graded,2,0,3,8,\n"
        b"bob,,,,,,missing,,,,,no constant_mask.cu\n"
        b"cem,,,,,,rejected,,,,,the submission was rejected: the archive is damaged\n"
        b"dan,,,,,,error,,,,,the grader or the machine failed: out of memory\n"
        b"eve,,,,,,waiting,,,,,not graded yet\n"
    }


def test_junit_counts_each_verdict(store: Store) -> None:
    suites = ElementTree.fromstring(rendered(store, "junit")["junit.xml"])
    counts = [
        tuple(int(suite.get(name, "")) for name in ("tests", "failures", "errors", "skipped"))
        for suite in suites
    ]
    assert counts == [(5, 1, 1, 1), (1, 0, 0, 1), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1)]
    failure = suites.find("testsuite/testcase/failure")
    assert failure is not None and failure.get("type") == "late" and failure.text == "a\nb"


def test_gradescope_lists_the_checks(store: Store) -> None:
    written = rendered(store, "gradescope")
    scores = written.pop("scores.csv").decode().splitlines()
    assert scores[:2] == ["Name,SID,Email,lab3,lab3 - Max Points", "'=ann,,,8.62,23"]
    documents = {name: json.loads(data) for name, data in written.items()}
    assert list(documents) == [
        f"{student}/lab3/results.json" for student in ("=ann", "bob", "cem", "dan", "eve")
    ]
    ann = documents["=ann/lab3/results.json"]
    assert "score" not in ann and "tests" not in ann, "one check could not be measured"
    assert "not your fault" in ann["output"] and "15 points need a GPU" in ann["output"]
    dan = documents["dan/lab3/results.json"]
    assert "score" not in dan and "tests" not in dan and dan["output"].endswith("out of memory")
    assert "score" not in documents["cem/lab3/results.json"], "0 is for the instructor to decide"


def test_gradescope_counts_what_was_measured(store: Store) -> None:
    row = next(row for row in store.rows() if row.student == "=ann")
    result = store.result_of(row)
    assert result is not None
    checks = [check for check in result.checks if check.verdict != "error"]
    ann = gradescope.results(msgspec.structs.replace(result, checks=checks))
    assert ann["score"] == 3 and "15 points need a GPU" in ann["output"]
    statuses = [test.get("status") for test in ann["tests"]]
    assert statuses == ["passed", "passed", "failed", "failed"]
    assert [test["max_score"] for test in ann["tests"]] == [0, 3, 5, 2]


def test_feedback_is_written_once_and_removed_when_it_no_longer_holds(store: Store) -> None:
    feedback.write(grading.of(store))
    ann = store.folder / "=ann" / "lab3"
    made = {"feedback.txt", "result.json", "report.html"}
    assert {file.name for file in ann.iterdir()} == made | FILES.keys()
    assert submissions.find(spec.load("lab3"), str(ann.parent)).contents == FILES
    assert "3/8 measured, 15 need a GPU" in (ann / "feedback.txt").read_text()
    assert (ann / "report.html").read_bytes() == PAGE
    for status, reason in not_graded.REASONS.items():
        for row in store.rows():
            if row.status == status:
                text = (store.folder / row.student / "lab3" / "feedback.txt").read_text()
                assert reason in text and row.reason in text
                assert text.casefold().count("handed in") <= 1
    before = (ann / "result.json").stat()
    feedback.write(grading.of(store))
    assert (ann / "result.json").stat().st_mtime_ns == before.st_mtime_ns
    store.save_failure(KEY, "lab3", "out of memory", None)
    feedback.write(grading.of(store))
    assert {file.name for file in ann.iterdir()} == {"feedback.txt"}


def test_summary_counts_grades_and_mistakes(store: Store) -> None:
    text = summary(grading.of(store))
    assert "1 graded, 1 missing, 1 rejected, 1 error" in text
    assert "points, of 8: median 3" in text and "full marks: 0 of 1" in text
    assert "most common mistakes: late (1)" in text
    assert "lab3  rejected: cem: the archive is damaged" in text
    assert "late: " not in text  # what was not handed in, or has no grade, is not late


def test_late_is_who_has_late_days(store: Store) -> None:
    row = Attempt("=ann", "lab3", "waiting", KEY, "")
    store.save_submission(HandIn("=ann", "late"), "digest", [row], {})
    store.save_grade(KEY, "lab3", msgspec.json.encode(grade()), PAGE)
    assert summary(grading.of(store)).splitlines()[-1] == "late: =ann"
    due = b"[lab.lab3]\ndue = 2027-03-01T00:00:00Z\n"
    extended = due + b'[[extension]]\nstudent = "=ann"\nlab = "lab3"\ndays = 3\n'
    store.keep_setting(class_records.COURSE, extended)
    assert "late: " not in summary(grading.of(store))
