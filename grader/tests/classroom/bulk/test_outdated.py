"""A run that goes on under another version says what that will do, and --keep leaves the grades."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from grader.classroom.bulk import cache_key
from grader.classroom.bulk.batch import Batch
from grader.classroom.bulk.cache_key import Options
from grader.classroom.bulk.intake.collect import Files
from grader.classroom.bulk.protocol import Collected
from grader.classroom.bulk.store import Store
from grader.classroom.commands import bulk
from grader.classroom.commands.bulk_progress import Bar
from grader.classroom.course.attempt import HandIn
from grader.model import course_version, spec
from grader.tests.classroom.bulk.made_runs import result

LAB = spec.load("lab3")
FILES = {"constant_mask.cu": b"int x;\n"}
OLD, NEW = {"the grader": "1"}, {"the grader": "2"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A run of ann, whose grade an older version made."""
    store = Store(tmp_path / "run", resume=False)
    before = Batch(store, [LAB], Options(pages=False), Bar(quiet=True), made={"lab3": OLD})
    collect(before, "ann")
    key = cache_key.key(LAB, OLD, FILES)
    made = msgspec.structs.replace(result(), grader_version="0.0.9 (abc)")
    store.save_grade(key, "lab3", msgspec.json.encode(made), b"", OLD)
    yield store
    store.close()


def collect(batch: Batch, student: str) -> str:
    """Collects what the student handed in. Returns the status of the row."""
    files: dict[str, dict[str, bytes]] = {}
    row = batch._row(LAB, Collected(student, {"lab3": Files(FILES)}), files)
    batch.store.save_submission(HandIn(student), "digest", [row], files)
    return row.status


@pytest.mark.parametrize(("keep", "status"), [(False, "waiting"), (True, "graded")])
def test_upgrade_says_how_many_grades_it_makes_again(
    keep: bool, status: str, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = Batch(
        store, [LAB], Options(pages=False), Bar(quiet=True), made={"lab3": NEW}, keep=keep
    )
    bulk._say_outdated(batch)
    said = " ".join(capsys.readouterr().err.split())
    what = "kept" if keep else "to be made again; --keep leaves them"
    now = course_version.shown()
    assert f"made with 0.0.9 (abc), now {now}: 1 of 1 grades {what}; changed: the grader" in said
    assert collect(batch, "ann") == status
    assert collect(batch, "ben") == "waiting", "nobody has graded ben's submission yet"


def test_unchanged_course_says_nothing(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    batch = Batch(store, [LAB], Options(pages=False), Bar(quiet=True), made={"lab3": OLD})
    bulk._say_outdated(batch)
    assert "no grade is made again" in capsys.readouterr().err
    course = store.own_result(cache_key.key(LAB, OLD, FILES))
    now = msgspec.structs.replace(course, grader_version=course_version.shown())
    store.save_grade(cache_key.key(LAB, OLD, FILES), "lab3", msgspec.json.encode(now), b"", OLD)
    bulk._say_outdated(batch)
    assert capsys.readouterr().err == ""
