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

ZOE = Person("Zoë Unique", "zoe@example.org", "zlogin", "Z-77", "424242")
TEXT = b"int zoes_own_file; // 8d1f6e"


def run_with_zoe(folder: Path) -> Path:
    store = runs.make(folder)
    row = Attempt("zoe", "lab3", "waiting", "key of zoe", "")
    files = {"key of zoe": {"constant_mask.cu": TEXT}}
    store.save_submission(HandIn("zoe", "", (ZOE,), runs.IN_TIME), "digest", [row], files)
    store.save_grade("key of zoe", "lab3", msgspec.json.encode(runs.result()), runs.PAGE)
    store.overrides.add(Override("zoe", "lab3", 61, "zoes reason", runs.IN_TIME))
    logs.keep(store, "zoe", "lab3", {"log": b"zoes log"})
    store.keep_setting(questions.setting(row), b"[]")
    store.keep_setting(class_records.COURSE, runs.COURSE)
    publish.write(grades.of(store))
    store.close()
    return folder


@pytest.mark.parametrize("name", ["zoe", "Zoë Unique", "zoe@example.org", "424242"])
def test_nothing_of_a_student_is_left_in_the_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_with_zoe(tmp_path / "run")
    (run / "letters").mkdir()
    (run / "letters/letters.csv").write_text("zoe,Zoë Unique\n")
    before = {row.student for row in opened(run).rows()}
    forget(run, name)
    said = capsys.readouterr().out
    everything = b"".join(p.read_bytes() for p in run.rglob("*") if p.is_file())
    everything = everything.replace("zoe,Zoë Unique\n".encode(), b"")
    for text in ("zoe", "Zoë", "zlogin", "Z-77", "424242", "8d1f6e"):
        assert text.encode() not in everything, text
    assert not (run / "zoe").exists()
    assert "letters/letters.csv names this student" in said and "the download" in said
    assert {row.student for row in opened(run).rows()} == before - {"zoe"}


def opened(run: Path) -> Store:
    """The store, without its lock."""
    store = Store(run, resume=True)
    store._database._lock.close()
    return store


def test_the_others_of_a_group_keep_their_grade(tmp_path: Path) -> None:
    run = run_with_zoe(tmp_path / "run")
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
    run = run_with_zoe(tmp_path / "run")
    before = (run / "gradebook.csv").read_bytes()
    with pytest.raises(UsageError, match="no student of this run"):
        forget(run, "nobody")
    assert (run / "gradebook.csv").read_bytes() == before
