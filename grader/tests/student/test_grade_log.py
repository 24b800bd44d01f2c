"""`./grade log`: what a grade leaves, the story as a table, and that tampering shows."""

import json
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from grader import exit_codes, paths
from grader.compile import make
from grader.grading import pipeline
from grader.model.result import Check
from grader.student import grade_log
from grader.tests import tiny_course

Capture = pytest.CaptureFixture[str]
Lines = list[bytes]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return tiny_course.make(tmp_path, monkeypatch)


def add(earned: float, failed: str | None = None, why: str = "", counted: float = 0) -> None:
    graded = tiny_course.graded(earned, failed)
    counter = Check(
        "lab9/A/few", "few loads", "technique", "pass", part="A", details={"value": counted}
    )
    graded = msgspec.structs.replace(graded, checks=[*graded.checks, counter])
    assert grade_log.append(tiny_course.submission(), graded, why) is None


def test_the_story_of_a_lab(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert tiny_course.call(monkeypatch, "log", "lab9") == 0
    assert "lab9 has no grade yet" in capsys.readouterr().out
    before = (folder / "add.c").read_text()
    add(40, "identity on 97x61", counted=18)
    (folder / "add.c").write_text(before + "int one;\nint two;\n")
    add(60, why="a tile \x1b[31mhalves the loads", counted=9)
    (folder / "add.c").write_text(before)
    add(40)
    assert tiny_course.call(monkeypatch, "log", "lab9") == 0
    said = capsys.readouterr().out
    rows = [line.split() for line in said.splitlines() if "/85" in line]
    assert [row[3] for row in rows] == ["first", "+2", "+0"], said
    assert rows[1][-1] == "undone" and rows[2][-1] == "kept", "the second was taken back"
    assert "A  few loads: 18 -> 9" in said and "fails: B  identity on 97x61" in said
    assert 'why: "a tile' in said and "\x1b" not in said
    assert "cannot prove" in " ".join(said.split())


def call(tool: str, about: str) -> str:
    return grade_log.append_call("lab9", tool, lambda _: about)


@pytest.mark.usefixtures("folder")
def test_calls_stand_between_the_grades(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    call("hint", "A 1")
    assert tiny_course.call(monkeypatch, "log", "lab9") == 0, "a log without a grade"
    assert "an assistant asked: hint A 1" in capsys.readouterr().out
    add(40)
    for _ in range(3):
        call("finding", "wrong \x1b[2Jsize")
    add(60)
    assert tiny_course.call(monkeypatch, "log", "lab9") == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    first, second = (n for n, line in enumerate(lines) if "/85" in line)
    assert "an assistant asked: finding wrong size (3 times)" in lines[first:second]
    assert "an assistant asked: hint A 1" in lines[:first]


@pytest.mark.usefixtures("folder")
def test_calls_cannot_be_removed_unseen() -> None:
    add(40)
    call("hint", "A 1")
    call("hint", "A 2")
    add(60)
    raw, head = ((paths.PROGRESS / f"lab9.log{end}").read_bytes() for end in ("", ".head"))
    assert grade_log.checked("lab9", raw, head).problems == []
    lines = raw.splitlines(keepends=True)
    without = [line for line in lines if b'"hint"' not in line]
    moved = [lines[0], lines[2], lines[1], lines[3]]
    changed = [line.replace(b"A 2", b"A 1") for line in lines]
    for tampered in (without, moved, changed, lines[:3]):
        assert grade_log.checked("lab9", b"".join(tampered), head).problems
    assert "record 2 is of lab9" in grade_log.checked("lab1", raw, head).problems


@pytest.mark.usefixtures("folder")
def test_full_log_takes_grades_and_no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    call("grade", "")
    monkeypatch.setattr(grade_log, "MOST_CALLS", 100)
    with pytest.raises(grade_log.FullError):
        call("grade", "")
    add(40)
    found = grade_log.read("lab9")
    assert (len(found.entries), len(found.calls), found.problems) == (1, 1, [])


@pytest.mark.usefixtures("folder")
def test_unread_grade_is_logged(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """As of `./grade lab9 | head -1`."""
    unread, stdout = os.pipe()
    os.close(unread)
    graded = tiny_course.graded(40, "identity on 97x61", exit_codes.LESS)
    monkeypatch.setattr(pipeline, "grade", lambda *_given, **_named: graded)
    with monkeypatch.context() as patched, os.fdopen(stdout, "w") as closed:
        patched.setattr("sys.stdout", closed)
        assert tiny_course.call(patched, "lab9") == exit_codes.LESS
    assert [entry.number for entry in grade_log.read("lab9").entries] == [1]
    assert "Traceback" not in capsys.readouterr().err


def test_tampering_is_detected(folder: Path) -> None:
    for number in range(30):
        (folder / "add.c").write_text(f"int x = {number};\n")
        add(number, why=f"attempt {number}")
    log = (paths.PROGRESS / "lab9.log").read_bytes()
    head = (paths.PROGRESS / "lab9.log.head").read_bytes()
    assert grade_log.checked("lab9", log, head).problems == []
    draw = Random(1)

    def edited(lines: Lines) -> Lines:
        at = draw.randrange(len(lines))
        table = json.loads(lines[at])
        key = draw.choice(["earned", "passed", "when", "why", "number", "previous", "hash"])
        value = table[key]
        table[key] = value + 1 if isinstance(value, int | float) else f"{value[:-1]}x"
        return [*lines[:at], json.dumps(table).encode(), *lines[at + 1 :]]

    def reordered(lines: Lines) -> Lines:
        at = draw.randrange(len(lines) - 1)
        return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]

    def truncated(lines: Lines) -> Lines:
        return lines[: draw.randrange(len(lines))]

    def removed(lines: Lines) -> Lines:
        at = draw.randrange(len(lines))
        return lines[:at] + lines[at + 1 :]

    ways: list[Callable[[Lines], Lines]] = [edited, reordered, truncated, removed]
    made = [b"\n".join(ways[n % 4](log.splitlines())) + b"\n" for n in range(100)]
    assert sum(bool(grade_log.checked("lab9", text, head).problems) for text in made) == 100
    assert grade_log.checked("lab9", log, b"").problems, "without what it must end with"
    assert grade_log.checked("lab9", log[:-1], head).problems, "without the last newline"
    for name, content in (("lab8.log", log), ("lab8.log.head", head)):
        (paths.PROGRESS / name).write_bytes(content)
    assert grade_log.read("lab9").problems == []
    assert "record 1 is of lab9" in grade_log.read("lab8").problems


@pytest.mark.usefixtures("folder")
def test_a_log_that_was_cut_stays_wrong_after_the_next_grade() -> None:
    for number in range(4):
        add(number)
    log = paths.PROGRESS / "lab9.log"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
    add(50)
    assert any("does not follow" in problem for problem in grade_log.read("lab9").problems)


@pytest.mark.usefixtures("folder")
def test_damage_costs_no_grade(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    add(1)
    (paths.PROGRESS / "lab9.log").write_bytes(b"\xff{}\nnull\n[[[[\n")
    (paths.PROGRESS / "lab9.log.head").write_bytes(b"\0")
    (paths.PROGRESS / "lab9.last").write_bytes(b"\xff")
    add(2)
    assert tiny_course.call(monkeypatch, "log", "lab9") == 1
    assert "line 1 is not a record of a grade or a call" in capsys.readouterr().out
    (paths.PROGRESS / "lab9.log").unlink()
    (paths.PROGRESS / "lab9.log").mkdir()
    graded = tiny_course.graded(3)
    said = grade_log.append(tiny_course.submission(), graded)
    assert said and "lab9.log cannot be written" in said


def test_logging_a_grade_takes_under_fifty_milliseconds(folder: Path) -> None:
    lines = [f"int x{number} = {number};" for number in range(600)]
    times = []
    for number in range(7):
        lines[number * 50] = f"int changed = {number};"
        (folder / "add.c").write_text("\n".join(lines))
        began = time.process_time()
        add(number)
        times.append(time.process_time() - began)
    assert sorted(times)[3] < 0.05, times


@pytest.mark.timeout(20)
def test_file_of_equal_lines_takes_linear_time(folder: Path) -> None:
    (folder / "add.c").write_text("int x;\n" + "\n" * 20_000)
    add(1)
    (folder / "add.c").write_text("int y;\n" + "\n" * 10_000 + ";\n" + "\n" * 20_000)
    add(2)
    assert grade_log.read("lab9").entries[-1].change.added >= 10_002


def test_submit_packs_the_log_if_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (folder / "add.c").write_text("int add;\n")
    (folder / "sub.c").write_text("int sub;\n")
    monkeypatch.setattr(make, "build", lambda *_: make.Build(Path("run")))
    assert tiny_course.call(monkeypatch, "submit", "lab9", "--log") == 2
    assert "has no log yet" in capsys.readouterr().err
    add(40, why="first")
    assert tiny_course.call(monkeypatch, "submit", "lab9", "--log") == 0
    with zipfile.ZipFile(paths.BUILD / "submit" / "lab9.zip") as packed:
        log, head = packed.read("lab9.log"), packed.read("lab9.log.head")
    assert len(grade_log.checked("lab9", log, head).entries) == 1
    assert "does not read" not in capsys.readouterr().out
    monkeypatch.setattr(grade_log, "MOST_HANDED_IN", len(log) - 1)
    assert tiny_course.call(monkeypatch, "submit", "lab9", "--log") == 0
    assert "the course does not read a lab9.log of more than 1 MB" in capsys.readouterr().out
    assert tiny_course.call(monkeypatch, "submit", "lab9") == 0
    with zipfile.ZipFile(paths.BUILD / "submit" / "lab9.zip") as packed:
        assert "lab9.log" not in packed.namelist()
