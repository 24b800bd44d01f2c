"""What is left of a student whom a run has forgotten."""

from pathlib import Path

import msgspec
import pytest

from grader.classroom.bulk import class_records, logs, questions
from grader.classroom.bulk.store import Store
from grader.classroom.commands.forget import forget
from grader.classroom.course.attempt import Attempt, HandIn
from grader.classroom.course.override import Override
from grader.classroom.course.person import Person
from grader.classroom.export import grades, publish
from grader.commands.errors import UsageError
from grader.tests.classroom.export import runs

ONE = Person("Forgotten, Stüdent", "forgotten@example.org", "flogin", "F-77", "424242")
TEXT = b"int own_file_of_one; // 8d1f6e"


def run_of_a_class(folder: Path) -> Path:
    store = runs.make(folder)
    row = Attempt("s-of-one", "lab3", "waiting", "key of one", "")
    files = {"key of one": {"constant_mask.cu": TEXT}}
    store.save_submission(HandIn("s-of-one", "", (ONE,), runs.IN_TIME), "digest", [row], files)
    store.save_grade("key of one", "lab3", msgspec.json.encode(runs.result()), runs.PAGE)
    store.overrides.add(Override("s-of-one", "lab3", 61, "reason of one", runs.IN_TIME))
    logs.keep(store, "s-of-one", "lab3", {"log": b"log of one"})
    store.keep_setting(questions.setting(row), b"[]")
    store.keep_setting(class_records.COURSE, runs.COURSE)
    publish.write(grades.of(store))
    store.close()
    return folder


@pytest.mark.parametrize(
    "name", ["s-of-one", "Forgotten, Stüdent", "forgotten@example.org", "424242"]
)
def test_nothing_of_a_student_is_left_in_the_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of_a_class(tmp_path / "run")
    (run / "letters").mkdir()
    (run / "letters/letters.csv").write_text("s-of-one,Forgotten, Stüdent\n")
    before = {row.student for row in opened(run).rows()}
    forget(run, name)
    said = capsys.readouterr().out
    everything = b"".join(p.read_bytes() for p in run.rglob("*") if p.is_file())
    everything = everything.replace("s-of-one,Forgotten, Stüdent\n".encode(), b"")
    for text in ("s-of-one", "Stüdent", "flogin", "F-77", "424242", "8d1f6e"):
        assert text.encode() not in everything, text
    assert not (run / "s-of-one").exists()
    assert "letters/letters.csv names this student" in said and "the download" in said
    assert {row.student for row in opened(run).rows()} == before - {"s-of-one"}


def opened(run: Path) -> Store:
    """The store, without its lock."""
    store = Store(run, resume=True)
    store._database._lock.close()
    return store


def test_the_others_of_a_group_keep_their_grade(tmp_path: Path) -> None:
    run = run_of_a_class(tmp_path / "run")
    one, other = runs.MEMBERS
    forget(run, one.email)
    store = Store(run, resume=True)
    (team,) = (each for each in store.submissions() if each.student == "team")
    assert team.people == (other,)
    finals = class_records.finals(store, class_records.rules(store))
    assert [f.points for f in finals if f.student.person == other] != [None]
    assert one.email.encode() not in (run / ".run/store.sqlite").read_bytes()
    store.close()


def test_a_name_that_nobody_has_deletes_nothing(tmp_path: Path) -> None:
    run = run_of_a_class(tmp_path / "run")
    before = (run / "gradebook.csv").read_bytes()
    with pytest.raises(UsageError, match="no student of this run"):
        forget(run, "nobody")
    assert (run / "gradebook.csv").read_bytes() == before
