"""./grade exam: each save is handed in while the exam runs, nothing after it, and no hint."""

import io
import time
import zipfile
from pathlib import Path

import pytest

from grader import exit_codes, paths
from grader.assistant.conversation import Conversation
from grader.commands import hint
from grader.commands.errors import CommandError, UsageError
from grader.student import exam
from grader.student.exam import Exam
from grader.tests import tiny_course

NUMBER = "0123456789abcdef"


def of(starts: float, ends: float, lab: str = "lab9") -> Exam:
    now = time.time()
    return Exam(NUMBER, lab, now + starts, now + ends)


def names(copy: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(copy)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return tiny_course.make(tmp_path, monkeypatch)


def test_the_last_save_before_the_end_is_handed_in(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, its = tmp_path / "drop.zip", of(0, 100)
    clock = time.time()
    steps = iter(["first", "second", None, "too late"])

    def save(_: float) -> None:
        nonlocal clock
        if text := next(steps):
            (home / "add.c").write_text(text)
        clock += 45

    monkeypatch.setattr(time, "time", lambda: clock)
    monkeypatch.setattr(time, "sleep", save)
    last = exam.hand_in(its, target, ["add.c"], home, pytest.fail)
    assert names(last) == {"add.c": b"second"} and target.read_bytes() == last


def test_a_full_disk_is_said_once_and_tried_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    looks = 0

    def sleep(_: float) -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            (tmp_path / "drop").mkdir()
        if looks == 5:
            monkeypatch.setattr(time, "time", lambda: its.ends)

    its = of(0, 1000)
    monkeypatch.setattr(time, "sleep", sleep)
    last = exam.hand_in(its, tmp_path / "drop" / "a.zip", ["add.c"], home, said.append)
    assert last and len(said) == 2, said
    assert "No such file" in said[0] and "again" in said[1]


@pytest.mark.usefixtures("home")
def test_there_are_no_hints_while_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    its = of(0, 100)
    name = exam.begin(its)
    assert exam.begin(its) == name, "whoever comes back has the same file"
    with pytest.raises(CommandError, match="no hints until"):
        hint.run(["lab9", "A"])
    assert tiny_course.call(monkeypatch, "solution", "lab9") == exit_codes.LESS
    assert "an exam is running" in capsys.readouterr().err
    with pytest.raises(UsageError, match="an exam is running"):
        Conversation().begin("hint", {"lab": "lab9", "part": "A"})
    exam.begin(of(-20, -10))  # it was killed, and the time is over
    assert exam.running() is None and hint.run(["lab9", "A"]) == 0


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "is missing"),
        (b"{", "damaged"),
        (b"[" * 9000, "damaged"),
        (b'{"number": 1, "lab": "lab9", "starts": 0}', "damaged"),
        (of(-9, -5).document(), "ended at"),
        (of(0, 9, "lab99").document(), "lacks"),
    ],
)
def test_a_folder_without_an_exam_is_refused(
    content: bytes | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    if content is not None:
        (folder / exam.FILE).write_bytes(content)
    assert tiny_course.call(monkeypatch, "exam", str(folder)) == exit_codes.LESS
    assert said in capsys.readouterr().err


def test_it_begins_with_the_starter_and_goes_on_with_ones_own(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "room" / exam.DROP).mkdir(parents=True)
    starter = (home / "add.c").read_bytes()
    (home / "add.c").write_bytes(b"prepared at home")
    for expected in (starter, b"my own"):
        (tmp_path / "room" / exam.FILE).write_bytes(of(0, 0.2).document())
        assert tiny_course.call(monkeypatch, "exam", str(tmp_path / "room")) == 0
        (copy,) = (tmp_path / "room" / exam.DROP).iterdir()
        assert names(copy.read_bytes())["add.c"] == expected
        (home / "add.c").write_bytes(b"my own")
    assert "the time is over. Handed in: " in capsys.readouterr().out
    assert not (paths.PROGRESS / "exam.json").exists()


def test_a_wrong_clock_neither_shortens_nor_extends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    its = of(0, 100)
    (tmp_path / exam.DROP).mkdir()
    assert exam.by_own_clock(its, tmp_path) == its
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - 3600)  # this machine is an hour behind
    own = exam.by_own_clock(its, tmp_path)
    assert abs(own.ends - (its.ends - 3600)) < 5 and own.starts < its.starts
    assert list((tmp_path / exam.DROP).iterdir()) == []
    assert exam.by_own_clock(its, tmp_path / "gone") == its
