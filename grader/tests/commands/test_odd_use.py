"""The command line in odd places: streams that are closed, devices, terminals that take no escapes,
files that are missing, labs that do not exist."""

import errno
import os
import sys
import threading
from pathlib import Path

import pytest

from grader import paths
from grader.commands import output
from grader.model import result, spec
from grader.model import submission as submissions
from grader.render.terminal import Terminal
from grader.session.plan import matching
from grader.tests import captured, tiny_course

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return tiny_course.make(tmp_path, monkeypatch)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_stream_is_not_an_error(closed: str) -> None:
    done = captured.run(["bash", "-c", f"./grade hint lab1 {closed}"], cwd=paths.ROOT)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert ("hint 1 of 3" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))


def test_out_writes_to_pipes_and_links_in_place(tmp_path: Path) -> None:
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    link.symlink_to(file)
    seen: list[bytes] = []
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()), daemon=True)
    reader.start()
    output.write(str(pipe), b"grade")
    reader.join(10)
    output.write(str(link), b"grade")
    assert seen == [b"grade"] and pipe.is_fifo()
    assert link.is_symlink() and file.read_bytes() == b"grade"


def test_a_dumb_terminal_gets_no_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert output.coloured(output.Colour.auto)
    monkeypatch.setenv("TERM", "dumb")
    assert not output.coloured(output.Colour.auto)
    assert output.coloured(output.Colour.always)


@pytest.mark.parametrize("arguments", [["LAB9"], ["lab9", "--jsn"], ["hint"], ["lab9", "lab9"]])
def test_a_refusal_is_one_sentence(
    arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert folder.is_dir() and tiny_course.call(monkeypatch, *arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("grade: ") and ".;" not in said and said.count("\n") == 1


def test_two_documents_do_not_share_stdout(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert folder.is_dir()
    assert tiny_course.call(monkeypatch, "lab9", "--json", "-", "--html", "-") == 2
    assert "give one a file" in capsys.readouterr().err


def test_make_names_the_labs() -> None:
    for target in ("lab9", "lab33-test"):
        done = captured.run(["make", "-C", paths.ROOT, target])
        assert done.returncode == 2 and f"there is no {target}; the labs are lab1" in done.stderr


def test_k_selects_by_part_or_text() -> None:
    lab = spec.load("lab1")
    of_part = matching(lab, "B")
    assert of_part == [c for c in lab.checks() if c.part == "B"] and of_part
    assert len(matching(lab, "b")) > len(of_part), "b stands in many names"
    assert {c.part for c in matching(lab, "c 13x13")} == {"C"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lab2", "lab3"), "one lab at a time: ./grade lab2, then ./grade lab3\n"),
        (("lab2", "--predict"), "./grade run FILE; ./grade lab2 predicts its speed, too\n"),
        (("lab4", "--check", "-k", "A"), "./grade run FILE; ./grade lab4 runs all checks, too\n"),
        (("lab3", "4"), "./grade lab3 --src FILE grades another file\n"),
        (("solution", "lab2"), "; it is in solutions/lab2_global_memory/\n"),
    ],
)
def test_a_command_that_is_meant_otherwise(arguments: tuple[str, ...], said: str) -> None:
    done = captured.grade(*arguments)
    assert done.returncode != 0 and done.stderr.endswith(said), done.stderr


def test_rename_hint_skips_files_of_the_lab(tmp_path: Path) -> None:
    (tmp_path / "grayscale.cu").write_text("int x;")
    (tmp_path / "Grayscale.c").write_text("int x;")
    said = submissions.find(spec.load("lab8"), str(tmp_path)).misnamed()
    assert said == ["there is 'Grayscale.c': rename it to grayscale.c"]


def test_missing_or_empty_input_comes_with_a_remedy(folder: Path) -> None:
    def remedies() -> str:
        return "\n".join(tiny_course.submission().remedies())

    (folder / "sub.c").rename(folder / "Sub (1).c")
    assert "rename it to sub.c" in remedies() and "reset" not in remedies()
    (folder / "Sub (1).c").unlink()
    assert "./grade reset lab9" in remedies() and "editor" not in remedies()
    (folder / "sub.c").write_text("\n")
    assert "save it in your editor" in remedies()
    elsewhere = submissions.find(spec.load("lab9"), str(folder.rename(folder.parent.parent / "x")))
    assert not any("reset" in line for line in elsewhere.remedies()), "it restores starter/ alone"


def test_a_part_begins_with_a_todo_of_its_own(folder: Path) -> None:
    text = "/* TODO 1: given help. */\n/* ---- part A: one ---- */\n/* TODO 2: this. */\n"
    (folder / "add.c").write_text(text + "/* ---- part B: two ---- */\n/* TODO 3: that. */\n")
    shown = "starter/lab9_sums/add.c"
    assert tiny_course.submission().first_todo("add.c", "A") == f"{shown}:1"
    assert tiny_course.submission().first_todo("add.c", "B") == f"{shown}:5"
    assert tiny_course.submission().first_todo("add.c", "C") == f"{shown}:1", "no such heading"
    (folder / "add.c").write_text(text + "/* ---- part B: two ---- */\n")
    assert tiny_course.submission().first_todo("add.c", "B") == f"{shown}:1", (
        "it may need what is above"
    )
    (folder / "add.c").write_text("")
    assert tiny_course.submission().first_todo("add.c", "A") == ""


def test_compiler_output_is_not_scrolled_away() -> None:
    def rendered(terminal: Terminal) -> list[str]:
        checks = [
            result.Check(f"lab9/A/{n}", f"check {n}", "correct", "skip", needs="compiles")
            for n in range(30)
        ]
        return [text for text in (terminal.check(c, "lab9", 3) for c in checks) if text]

    assert rendered(Terminal()) == ["  skip  all other checks"]
    assert len(rendered(Terminal(verbose=True))) == 30


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.EROFS, "copy the repository"), (errno.ENOSPC, "free some space"), (errno.EIO, "")],
)
def test_a_disk_that_refuses_comes_with_what_to_do(
    number: int, advice: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    assert folder.is_dir()
    monkeypatch.setattr("grader.compile.make.build", refuse)
    assert tiny_course.call(monkeypatch, "build", "lab9") == 3
    said = capsys.readouterr().err
    assert os.strerror(number) in said and advice in said and (";" in said) == bool(advice)


def test_ctrl_c_during_start_prints_no_traceback() -> None:
    code = (
        "import runpy, sys, types\n"
        "class Loading(types.ModuleType):\n"
        "    def __getattr__(self, name): raise KeyboardInterrupt\n"
        "sys.modules['grader.cli'] = Loading('grader.cli')\n"
        "runpy.run_module('grader', run_name='__main__')\n"
    )
    done = captured.run([sys.executable, "-c", code], cwd=paths.ROOT)
    assert done.returncode == 130 and done.stderr == "grade: interrupted; nothing is left behind\n"
