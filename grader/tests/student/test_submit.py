"""`./grade submit`: the zip, what is said of it, and what is refused."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from grader import paths
from grader.compile import make
from grader.student import submission_zip
from grader.tests import captured, tiny_course

Capture = pytest.CaptureFixture[str]
REAL_ROOT = paths.ROOT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both files edited, and a compiler that takes everything."""
    folder = tiny_course.make(tmp_path, monkeypatch)
    (folder / "add.c").write_text("int add(int a, int b) { return a + b; }\n")
    (folder / "sub.c").write_text("int sub;\n/* TODO 1: subtract. */\n")
    monkeypatch.setattr(make, "build", lambda *_: make.Build(Path("run")))
    return folder


def refused(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> str:
    assert tiny_course.call(monkeypatch, "submit", "lab9") == 1
    assert not (paths.BUILD / "submit").exists()
    said = capsys.readouterr()
    assert not said.out and "nothing was packed" in said.err
    return said.err


def test_packs_exactly_the_files_and_says_what_they_are_worth(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (folder / "notes.txt").write_text("private")
    assert tiny_course.call(monkeypatch, "submit", "lab9") == 0
    said = capsys.readouterr().out
    data = (paths.BUILD / "submit" / "lab9.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["add.c", "sub.c", submission_zip.VERSION]
        assert archive.testzip() is None
        version = archive.read(submission_zip.VERSION).decode().strip()
        assert archive.read("add.c") == (folder / "add.c").read_bytes()
    assert hashlib.sha256(data).hexdigest() in said and version in said
    assert hashlib.sha256((folder / "sub.c").read_bytes()).hexdigest() in said
    assert "1 TODO is still open; the first: starter/lab9_sums/sub.c:2" in said
    assert "./grade lab9 first" in said
    tiny_course.keep(40)
    assert tiny_course.call(monkeypatch, "submit", "lab9") == 0
    assert ": 40/85 measured, 15 need a GPU" in capsys.readouterr().out
    assert (paths.BUILD / "submit" / "lab9.zip").read_bytes() == data


def test_submission_archive_is_reproducible(folder: Path) -> None:
    assert folder.is_dir()
    first = submission_zip.pack(tiny_course.submission())
    (folder / "add.c").touch()
    (folder / "add.c").chmod(0o600)
    assert submission_zip.pack(tiny_course.submission()) == first


def test_submit_refuses_unsuitable_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (folder / "sub.c").rename(folder / "Sub (1).c")
    said = refused(monkeypatch, capsys)
    assert "sub.c is missing" in said and "'Sub (1).c': rename it to sub.c" in said
    (folder / "sub.c").write_text("int a;\n<<<<<<< HEAD\nint b;\n=======\n>>>>>>> theirs\n")
    assert "sub.c:2 has a conflict marker of an unfinished merge" in refused(monkeypatch, capsys)
    (folder / "add.c").write_text(tiny_course.ADD)
    (folder / "sub.c").write_text(tiny_course.SUB)
    assert "still the unsolved starter" in refused(monkeypatch, capsys)
    (folder / "sub.c").unlink()
    (folder / "sub.c").symlink_to("/etc/passwd")
    assert "is a link" in refused(monkeypatch, capsys)
    (folder / "sub.c").unlink()
    (folder / "sub.c").write_text("int x")
    failing = make.Build(None, ["starter/lab9_sums/sub.c:1: expected ';'"])
    monkeypatch.setattr(make, "build", lambda *_: failing)
    assert "does not build" in refused(monkeypatch, capsys)


def test_warns_of_one_unsolved_file_and_of_an_open_editor(folder: Path) -> None:
    (folder / "add.c").write_text(tiny_course.ADD)
    (folder / ".sub.c.swp").write_text("")
    said = " ".join(submission_zip.warnings(tiny_course.submission()))
    assert "add.c is still the unsolved starter" in said and "sub.c seems to be open" in said
    assert not submission_zip.refusals(tiny_course.submission())


def test_a_place_that_cannot_be_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert folder.is_dir()
    assert tiny_course.call(monkeypatch, "submit", "lab9", "--out", "/no/such/folder/x.zip") == 2
    assert "cannot be written" in capsys.readouterr().err
    odd = tmp_path / "ü $(x)\n.zip"
    assert tiny_course.call(monkeypatch, "submit", "lab9", "--out", str(odd)) == 0
    assert zipfile.is_zipfile(odd) and "\n.zip" not in capsys.readouterr().out


def test_submit_packs_the_solution_of_lab1(tmp_path: Path) -> None:
    target = tmp_path / "lab1.zip"
    done = captured.run(
        [REAL_ROOT / "grade", "submit", "lab1", "--src", "solutions", "--out", target]
    )
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(target) as archive:
        assert archive.namelist() == ["cpu_loop.c", submission_zip.VERSION]
