"""A session in class: seats, the clock and the page."""

import os
import re
from pathlib import Path

import msgspec
import pytest

from grader.ask import room
from grader.ask.quiz import Quiz
from grader.ask.room import RoomError
from grader.model import spec
from grader.model import submission as submissions
from grader.tests import tiny_course


def test_two_students_at_once_get_different_questions(tmp_path: Path) -> None:
    folder = tmp_path / "room"
    session = room.open_room(folder, "lab1", "A", 3, 1)
    assert room.open_room(folder, "lab1", "A", 3, 1) == session, "it goes on"
    one, two = (room.take_seat(folder, "lab1", "A") for _ in range(2))
    solution = submissions.find(spec.load("lab1"), "solutions")
    drawn = [Quiz(solution, "A", seat.seed, tmp_path)._early() for seat in (one, two)]
    assert drawn[0] and drawn[1] and drawn[0].question.text != drawn[1].question.text
    one.note(2)
    os.close(one.file)
    assert room.take_seat(folder, "lab1", "A").seed == one.seed, "who comes back"
    assert sorted(room.seats(folder, session)) == [0, 2]
    assert b"question 2<td>1 of 2<" in room.page(session, [2, 0])


def test_who_comes_late_or_elsewhere_is_told(tmp_path: Path) -> None:
    late = re.escape("no session runs in")
    with pytest.raises(RoomError, match=late):
        room.take_seat(tmp_path, "lab1", "A")
    session = room.open_room(tmp_path, "lab1", "A", 3, 1)
    with pytest.raises(RoomError, match="this session asks about lab1 A"):
        room.take_seat(tmp_path, "lab1", "B")
    over = msgspec.structs.replace(session, ends=0)
    (tmp_path / room.SESSION).write_bytes(msgspec.json.encode(over))
    with pytest.raises(RoomError, match=late):
        room.take_seat(tmp_path, "lab1", "A")


def test_the_page_survives_what_students_write(tmp_path: Path) -> None:
    session = room.open_room(tmp_path, "lab1", "A", 3, 0.001)
    for name, text in (("a", "{"), ("b", '{"number": "x", "answered": 9}'), ("c", "\0" * 2000)):
        (tmp_path / f"{name}.seat").write_text(text)
    (tmp_path / "d.seat").symlink_to("/dev/zero")
    forged = msgspec.json.encode(room.Answered(session.number, 1 << 40))
    (tmp_path / "e.seat").write_bytes(forged)
    said: list[str] = []
    room.host(tmp_path, session, said.append)
    assert said == ["students: 1, answers: 3"]
    assert "has ended" in (tmp_path / room.PAGE).read_text()


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    (tmp_path / "file").write_text("")
    assert tiny_course.call(monkeypatch, "ask", "lab9", "A", "--room", f"{tmp_path}/file/room")
    assert f"{tmp_path}/file/room: Not a directory" in capsys.readouterr().err
