"""./grade proctor: takes each copy, keeps the last of each student, and sees a rewritten log."""

import os
import threading
import time
import zipfile
from pathlib import Path

import pytest

from grader import exit_codes, files, paths
from grader.classroom.course import settings
from grader.classroom.exam import collect
from grader.classroom.exam.collect import COLLECTED, Seen
from grader.classroom.exam.page import page
from grader.student import exam, grade_log
from grader.student.exam import DROP, Exam
from grader.tests import tiny_course

COURSE = 'timezone = "UTC"\n[exam]\nlab = "lab9"\nstart = {}\nend = {}\n'


@pytest.fixture
def its() -> Exam:
    return Exam("12ab", "lab9", time.time() - 10, time.time() + 100)


@pytest.fixture
def room(tmp_path: Path, its: Exam) -> Path:
    collect.open_exam(tmp_path / "room", its)
    return tmp_path / "room"


def copy(room: Path, name: str, members: dict[str, bytes]) -> Path:
    path = room / DROP / name
    path.write_bytes(files.zipped(members, stored=True))
    return path


def notes(room: Path, its: Exam, seen: dict[str, Seen]) -> str:
    collect.look(room, its, seen)
    return " ".join(note for each in seen.values() for note in each.notes + each.log)


def graded_log(folder: Path) -> dict[str, bytes]:
    return {"add.c": (folder / "add.c").read_bytes(), **grade_log.packed("lab9")}


def test_students_cannot_list_what_others_handed_in(room: Path) -> None:
    assert (room / DROP).stat().st_mode & 0o7777 == 0o1733
    assert (room / COLLECTED).stat().st_mode & 0o077 == 0


def test_a_log_that_goes_on_is_fine_and_one_made_again_is_not(
    room: Path, its: Exam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_course.make(tmp_path, monkeypatch)
    seen: dict[str, Seen] = {}
    for earned in (10, 40):
        grade_log.append(tiny_course.submission(), tiny_course.graded(earned))
        copy(room, "ann-lee-1f.zip", graded_log(folder))
        assert notes(room, its, seen) == ""
    (ann,) = seen.values()
    assert (ann.student, ann.grades, ann.points) == ("ann-lee", 2, "40/85")
    (paths.PROGRESS / "lab9.log").unlink()
    (paths.PROGRESS / "lab9.log.head").unlink()
    for _ in range(3):
        grade_log.append(tiny_course.submission(), tiny_course.graded(85))
    copy(room, "ann-lee-1f.zip", graded_log(folder))
    assert "rewritten after 2 grades had been seen" in notes(room, its, seen)
    assert collect.known(room) == seen, "a proctor that is stopped goes on"


def test_hostile_copies_are_noted_and_the_last_good_one_stays(room: Path, its: Exam) -> None:
    seen: dict[str, Seen] = {}
    copy(room, "bob-2e.zip", {"add.c": b"good"})
    assert notes(room, its, seen) == ""
    path = room / DROP / "bob-2e.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("add.c", b"0" * 30_000_000)
    assert "too large" in notes(room, its, seen)
    path.write_bytes(b"PK no zip")
    assert "damaged" in notes(room, its, seen)
    copy(room, "bob-2e.zip", {f"{n}": b"" for n in range(99)})
    notes(room, its, seen)
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert "is a link" in notes(room, its, seen)
    path.unlink()
    os.mkfifo(path)
    assert "is not a file" in notes(room, its, seen)
    with zipfile.ZipFile(room / COLLECTED / "bob.zip") as kept:
        assert kept.read("add.c") == b"good"
    copy(room, "bob-2e.zip" + "x" * 90 + ".zip", {"add.c": b"<script>"})
    shown = page(its, [Seen("<script>", "f", notes=["<img>"])], time.time()).decode()
    assert "<script>" not in shown and "<img>" not in shown


def test_two_machines_of_one_student_are_noted(room: Path, its: Exam) -> None:
    seen: dict[str, Seen] = {}
    for token, text in (("01", b"first"), ("02", b"second")):
        copy(room, f"cem-{token}.zip", {"add.c": text})
        said = notes(room, its, seen)
    assert "from 2 copies" in said
    with zipfile.ZipFile(room / COLLECTED / "cem.zip") as kept:
        assert kept.read("add.c") == b"second"


def test_thirty_at_once_lose_nothing(room: Path, tmp_path: Path) -> None:
    its = Exam("12ab", "lab9", time.time() - 1, time.time() + 1.5)
    homes = [tmp_path / f"s{n}" for n in range(30)]

    def write(home: Path) -> None:
        home.mkdir()
        target = room / DROP / f"{home.name}-0.zip"
        keeper = threading.Thread(target=exam.hand_in, args=(its, target, ["add.c"], home, print))
        keeper.start()
        for save in range(4):
            files.replace(home / "add.c", f"{home.name} {save}".encode(), sync=False)
            time.sleep(0.1)
        keeper.join()

    students = [threading.Thread(target=write, args=(home,)) for home in homes]
    for each in students:
        each.start()
    seen: dict[str, Seen] = {}
    while any(each.is_alive() for each in students):
        collect.look(room, its, seen)
        time.sleep(0.05)
    collect.look(room, its, seen)
    for home in homes:
        with zipfile.ZipFile(room / COLLECTED / f"{home.name}.zip") as kept:
            assert kept.read("add.c") == f"{home.name} 3".encode()


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("2027-01-01T10:00:00", "2027-01-01T09:00:00", "ends before it starts"),
        ("2020-01-01T10:00:00", "2020-01-01T11:00:00", "ended at"),
        ('"soon"', "2027-01-01T09:00:00", "without quotes"),
    ],
)
def test_a_course_that_states_no_exam_is_refused(
    start: str,
    end: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    (tmp_path / "course.toml").write_text(COURSE.format(start, end))
    arguments = ("proctor", str(tmp_path / "room"), "--course", str(tmp_path / "course.toml"))
    assert tiny_course.call(monkeypatch, *arguments) == exit_codes.USAGE
    assert said in capsys.readouterr().err


def test_another_exam_in_the_same_folder_is_refused(room: Path, its: Exam) -> None:
    assert collect.open_exam(room, its) == its
    with pytest.raises(exam.ExamError, match="another exam"):
        collect.open_exam(room, Exam("77", "lab9", its.starts, its.ends + 60))


def test_its_hidden_seed_is_that_of_its_lab() -> None:
    text = COURSE.format("2027-01-01T09:00:00", "2027-01-01T10:00:00") + "hidden_seed = 7\n"
    assert settings.parse(text.encode(), frozenset({"lab9"})).hidden_seeds() == {"lab9": 7}
