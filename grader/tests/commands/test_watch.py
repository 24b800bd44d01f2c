"""`./grade labN --watch`: grades again when a file is saved, however the editor does it."""

import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader import paths
from grader.commands import watch
from grader.commands.errors import UsageError
from grader.tests import tiny_course


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a.c"
    file.write_text("before")
    return file


def in_place(file: Path) -> None:
    file.write_text("after")


def by_rename(file: Path) -> None:
    new = file.with_name("a.c~new")
    new.write_text("after!")
    new.replace(file)


def away_and_back(file: Path) -> None:
    file.rename(file.with_name("a.c~old"))
    time.sleep(0.5)
    file.write_text("after")


def in_pieces(file: Path) -> None:
    with file.open("w") as stream:
        for piece in ("af", "t", "er"):
            stream.write(piece)
            stream.flush()
            time.sleep(0.05)


@pytest.mark.parametrize("save", [in_place, by_rename, away_and_back, in_pieces])
def test_watch_detects_a_save(save: Callable[[Path], None], file: Path) -> None:
    before = watch.look([file])
    thread = threading.Timer(0.1, save, [file])
    thread.start()
    watch.wait([file], before)
    assert file.read_text().startswith("after")
    thread.join()


def test_watch_reports_a_removed_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MISSING", 0.3)
    before = watch.look([file])
    file.unlink()
    watch.wait([file], before)
    assert watch.look([file]) == (None,)


def test_keeps_its_place_whatever_a_grading_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny_course.make(tmp_path, monkeypatch)
    monkeypatch.setattr(watch, "EVERY", 0.01)
    ends: list[Exception | int | type[BaseException]] = [
        0,
        UsageError("gone"),
        OSError(28, "No space left on device"),
        KeyboardInterrupt,
    ]
    graded = 0

    def grade() -> int:
        nonlocal graded
        graded += 1
        (folder / "sub.c").write_text("x" * graded)  # saved while it is being graded
        end = ends[graded - 1]
        if isinstance(end, int):
            return end
        raise end

    assert watch.watch("lab9", str(paths.STARTER), grade) == 130
    seen = capsys.readouterr()
    assert graded == 4 and "gone" in seen.err and "No space" in seen.err
    assert "\x1b" not in seen.out, "only a terminal is cleared"


def test_watch_grades_again_after_a_real_edit(tmp_path: Path) -> None:
    name = "cpu_loop.c"
    shutil.copy(paths.ROOT / "starter" / "lab1_cpu_loop" / name, tmp_path / name)
    watcher = subprocess.Popen(
        [paths.ROOT / "grade", "lab1", "--src", tmp_path, "-k", "A identity", "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert watcher.stdout is not None

    def until_it_waits() -> str:
        assert watcher.stdout is not None
        lines = []
        while "watching" not in (line := watcher.stdout.readline()):
            assert line, watcher.stderr and watcher.stderr.read()
            lines.append(line)
        return "".join(lines)

    assert "FAIL" in until_it_waits()
    shutil.copy(paths.ROOT / "solutions" / "lab1_cpu_loop" / name, tmp_path / "new")
    (tmp_path / "new").replace(tmp_path / name)
    again = until_it_waits()
    assert "FAIL" not in again and "ok" in again and "identity" in again
    watcher.send_signal(signal.SIGINT)
    _, errors = watcher.communicate(timeout=30)
    assert watcher.returncode == 130 and "Traceback" not in errors and "no longer" in errors


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_stream_of_documents_is_refused(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    assert tiny_course.call(monkeypatch, "lab9", "--watch", option, "-") == 2
    assert "need a file" in capsys.readouterr().err
