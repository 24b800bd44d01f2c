"""A session in class: seats, the clock and the page."""

import os
import time
from pathlib import Path

import msgspec
import pytest

from grader.ask import room
from grader.ask.quiz import Quiz
from grader.ask.room import RoomError, Session
from grader.model import spec
from grader.model import submission as submissions
from grader.tests import tiny_course


def opened(folder: Path, minutes: float = 1) -> Session:
    return room.open_room(folder, "lab1", "A", 3, minutes)


def test_two_students_at_once_get_different_questions(tmp_path: Path) -> None:
    session = opened(tmp_path / "room")
    assert opened(tmp_path / "room") == session, "it goes on"
    one, two = (room.take_seat(tmp_path / "room", "lab1", "A") for _ in range(2))
    assert one.name != two.name and one.seed != two.seed
    solution = submissions.find(spec.load("lab1"), "solutions")
    drawn = [Quiz(solution, "A", seat.seed, tmp_path)._early() for seat in (one, two)]
    assert drawn[0] and drawn[1] and drawn[0].question.text != drawn[1].question.text
    one.note(2)
    assert sorted(room.seats(tmp_path / "room", session)) == [0, 2]
    os.close(one.file)
    again = room.take_seat(tmp_path / "room", "lab1", "A")
    assert again.seed == one.seed and room.seats(tmp_path / "room", session) == [2, 0]
    assert b"1 of 2" in room.page(session, [2, 0])


def test_who_comes_late_or_elsewhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(RoomError, match="the instructor starts one: ./grade ask lab1 A --room"):
        room.take_seat(tmp_path, "lab1", "A")
    session = opened(tmp_path)
    with pytest.raises(RoomError, match="this session asks about lab1 A"):
        room.take_seat(tmp_path, "lab1", "B")
    with pytest.raises(RoomError, match="has not ended"):
        room.open_room(tmp_path, "lab1", "B", 3, 1)
    seat = room.take_seat(tmp_path, "lab1", "A")
    seat.session = msgspec.structs.replace(session, ends=time.time() - 1)
    with pytest.raises(EOFError):
        seat.read("")
    (tmp_path / room.SESSION).write_bytes(msgspec.json.encode(seat.session))
    with pytest.raises(RoomError, match="no session runs"):
        room.take_seat(tmp_path, "lab1", "A")


def test_the_page_survives_what_students_write(tmp_path: Path) -> None:
    session = opened(tmp_path, 0.001)
    for name, text in (("a", "{"), ("b", '{"number": "x", "answered": 9}'), ("c", "\0" * 2000)):
        (tmp_path / f"{name}.seat").write_text(text)
    (tmp_path / "d.seat").symlink_to("/dev/zero")
    forged = msgspec.json.encode(room.Answered(session.number, 1 << 40))
    (tmp_path / "e.seat").write_bytes(forged)
    said: list[str] = []
    room.host(tmp_path, session, said.append)
    assert said == ["1 student, 1 with an answer, 3 answers in all"]
    assert "has ended" in (tmp_path / room.PAGE).read_text()


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    file = tmp_path / "file"
    file.write_text("")
    assert tiny_course.call(monkeypatch, "ask", "lab9", "A", "--room", f"{file}/room") != 0
    said = capsys.readouterr().err
    assert f"{file}/room: Not a directory" in said and "Traceback" not in said
    both = ("--room", "a", "--session", "b")
    assert tiny_course.call(monkeypatch, "ask", "lab9", "A", *both) != 0
    assert "exclude one another" in capsys.readouterr().err
