"""`./grade reset`: the starter is back, and nothing that was there is ever lost."""

import errno
import os
import pty
import shutil
import tempfile
import time
from datetime import datetime
from pathlib import Path

import pytest

from grader import paths
from grader.model import outline, spec
from grader.student import starter_files
from grader.tests import tiny_course
from solutions import starters

NOW = datetime(2026, 3, 4, 5, 6, 7)
MINE = "int mine;\n"
CTRL_C = b"\x03"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return tiny_course.make(tmp_path, monkeypatch)


def restore(folder: Path) -> Path | None:
    return starter_files.restore(spec.load("lab9"), folder, NOW)


def everything(folder: Path) -> dict[str, str]:
    return {str(f.relative_to(folder)): f.read_text() for f in folder.rglob("*") if f.is_file()}


def test_restores_what_changed_and_keeps_it(folder: Path) -> None:
    (folder / "add.c").write_text(MINE)
    (folder / "notes.txt").write_text("keep me")
    assert restore(folder) == folder / "backup-2026-03-04-050607"
    assert everything(folder) == {
        "add.c": tiny_course.ADD,
        "sub.c": tiny_course.SUB,
        "notes.txt": "keep me",
        "backup-2026-03-04-050607/add.c": MINE,
    }
    assert restore(folder) is None, "there is nothing left to keep"


def test_two_in_one_second_keep_both(folder: Path) -> None:
    for text in ("first", "second", "third"):
        (folder / "add.c").write_text(text)
        restore(folder)
    kept = sorted(f.read_text() for f in folder.glob("backup-*/add.c"))
    assert kept == ["first", "second", "third"]


def test_a_full_disk_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "add.c").write_text(MINE)
    before = everything(folder)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        restore(folder)
    assert everything(folder) == before


@pytest.mark.parametrize("at", range(1, 3))
def test_interrupted_between_the_files_loses_none(
    at: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("add.c", "sub.c"):
        (folder / name).write_text(MINE + name)
    replace, calls = Path.replace, []

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == at:
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        restore(folder)
    found = everything(folder)
    assert {"add.c", "sub.c"} <= found.keys() and not any(".part" in name for name in found)
    assert {MINE + "add.c", MINE + "sub.c"} <= set(found.values())


def test_reset_copies_where_links_fail(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    (folder / "add.c").write_text(MINE)
    kept = restore(folder)
    assert kept is not None and (kept / "add.c").read_text() == MINE
    assert (folder / "add.c").read_text() == tiny_course.ADD


def test_odd_things_in_the_files_place(folder: Path) -> None:
    (folder / "add.c").unlink()
    (folder / "add.c").symlink_to("/nowhere/ü $(x)")
    (folder / "sub.c").unlink()
    kept = restore(folder)
    assert kept is not None and os.readlink(kept / "add.c") == "/nowhere/ü $(x)"
    assert (folder / "add.c").read_text() == tiny_course.ADD and not (folder / "add.c").is_symlink()
    assert (folder / "sub.c").read_text() == tiny_course.SUB
    (folder / "sub.c").unlink()
    (folder / "sub.c").mkdir()
    with pytest.raises(OSError, match="is a folder"):
        restore(folder)
    shutil.rmtree(folder)
    assert restore(folder) is None and (folder / "sub.c").read_text() == tiny_course.SUB


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders are for their owner only
        Path(place).chmod(0o755)
        folder = tiny_course.make(Path(place), monkeypatch)
        (folder / "add.c").write_text(MINE)
        folder.chmod(0o555)
        before = everything(folder)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                if os.geteuid() == 0:  # root may write anywhere: be nobody
                    os.setuid(65534)
                assert everything(folder) == before
                restore(folder)
            except PermissionError:
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert everything(folder) == before
        folder.chmod(0o755)


def test_asks_on_a_terminal_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "add.c").write_text(MINE)
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert tiny_course.call(monkeypatch, "reset", "lab9") == 2
    assert "--yes" in capsys.readouterr().err and (folder / "add.c").read_text() == MINE
    assert tiny_course.call(monkeypatch, "reset", "lab9", "--yes") == 0
    assert (
        "backup-20" in capsys.readouterr().out and (folder / "add.c").read_text() == tiny_course.ADD
    )
    assert tiny_course.call(monkeypatch, "reset", "lab9") == 0
    assert "nothing to do" in capsys.readouterr().out


def soon_ended(pid: int) -> int | None:
    """The exit status of a process that ends within three seconds."""
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return None


@pytest.mark.needs("terminal")
@pytest.mark.parametrize(
    ("answer", "code", "reset"),
    [(b"\n", 0, False), (b"n\n", 0, False), (CTRL_C, 130, False), (b"y\n", 0, True)],
    ids=["Enter", "no", "Ctrl-C", "yes"],
)
def test_reset_follows_the_answer(answer: bytes, code: int, reset: bool, folder: Path) -> None:
    (folder / "add.c").write_text(MINE)
    pid, terminal = pty.fork()
    if pid == 0:
        tiny_course.become("reset", "lab9")
    deadline = time.monotonic() + 60
    said = b""
    while b"[y/N]" not in said:
        said += os.read(terminal, 4096)  # OSError when it has ended
    os.write(terminal, answer)
    ended = soon_ended(pid)
    while ended is None and time.monotonic() < deadline:
        if answer == CTRL_C:  # as a person would: Python may note it, and still begin to read
            os.write(terminal, answer)
        ended = soon_ended(pid)
    os.close(terminal)  # which hangs it up
    assert ended == code
    assert (folder / "add.c").read_text() == (tiny_course.ADD if reset else MINE)


def test_the_whole_course_restores_from_its_solutions(folder: Path) -> None:
    shutil.rmtree(paths.LABS / "lab9_sums" / "starter")
    solved = (paths.SOLUTIONS / "lab9_sums" / "add.c").read_text()
    (folder / "add.c").write_text(MINE)
    restore(folder)
    assert (folder / "add.c").read_text() == starters.split(solved)[0] != solved


def test_the_starters_of_this_course_are_what_reset_restores() -> None:
    for name in outline.available():
        lab = spec.load(name, hidden=False)
        assert starter_files.changed(lab, paths.STARTER / lab.folder) == []


def test_a_copy_without_its_starters_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(paths.LABS / "lab9_sums" / "starter")
    shutil.rmtree(paths.SOLUTIONS)
    assert tiny_course.call(monkeypatch, "reset", "lab9", "--yes") == 3
    assert "get the course's copy again" in capsys.readouterr().err
    assert (folder / "add.c").read_text() == tiny_course.ADD
