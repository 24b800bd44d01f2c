"""--src FILE: one file, whatever its name, in place of the lab's."""

import os
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.compile.compiler_messages import Diagnostic, diagnostics_in
from grader.execute import addr2line
from grader.model import course_version, spec
from grader.model import submission as submissions
from grader.model.submission import SourceError, Submission
from grader.student import progress, submission_zip
from grader.tests import captured, tiny_course

RIGHT = (paths.SOLUTIONS / "lab1_cpu_loop" / "cpu_loop.c").read_bytes()
# A class's downloads have such names.
ODD = [b"loop (1).c", b'it\'s "mine".c', b"b\xffd.c", b"-x.c", b"a;b$c`d`.c", b"x:3.c", b"%s\n.c"]


def find(lab: str, file: str | Path) -> Submission:
    return submissions.find(spec.load(lab), str(file))


def refusal(lab: str, file: str | Path) -> str:
    with pytest.raises(SourceError) as refused:
        find(lab, file)
    text = str(refused.value)
    assert text.isprintable()
    return text


@pytest.mark.parametrize("name", ODD)
def test_src_file_is_graded_under_its_own_name(name: bytes, tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(name)
    file.write_bytes(RIGHT)
    found = find("lab1", file)
    assert found.contents == {"cpu_loop.c": RIGHT} and not found.problems
    shown = found.path("cpu_loop.c")
    assert shown.startswith(f"{tmp_path}/") and shown.endswith(".c") and shown.isprintable()
    assert '"' not in shown and "cpu_loop" not in shown
    assert found.line(shown, 1) == RIGHT.decode().splitlines()[0].strip()
    assert found.line(f"{tmp_path}/cpu_loop.c", 1) == ""
    assert found.file("cpu_loop.c") == file


def test_src_refuses_unsuitable_files(tmp_path: Path) -> None:
    for name in ("work.py", "work.cu", "work.C", "work", ".c"):
        (tmp_path / name).write_bytes(RIGHT)
        assert "takes a file that ends in .c" in refusal("lab1", tmp_path / name)
    (tmp_path / "folder.c").mkdir()
    assert "is a folder that contains neither cpu_loop.c" in refusal("lab1", tmp_path / "folder.c")
    (tmp_path / "loop.c").symlink_to("loop.c")
    assert "is a link" in refusal("lab1", tmp_path / "loop.c")
    (tmp_path / "nowhere.c").symlink_to("missing.c")
    assert "is a link" in refusal("lab1", tmp_path / "nowhere.c")
    os.mkfifo(tmp_path / "pipe.c")
    assert "is not a file" in refusal("lab1", tmp_path / "pipe.c")
    (tmp_path / "large.c").write_bytes(b"x" * (1 << 21))
    assert "the limit is" in refusal("lab1", tmp_path / "large.c")
    assert "there is no file or folder" in refusal("lab1", tmp_path / "missing.c")
    assert "there is no file or folder" in refusal("lab1", "no/such\x1b[31m.c")
    (tmp_path / "empty.c").write_bytes(b" \n")
    assert find("lab1", tmp_path / "empty.c").problems == [f"{tmp_path}/empty.c is empty"]
    (tmp_path / "wide.c").write_text("int n;\n", encoding="utf-16")
    [wide] = find("lab1", tmp_path / "wide.c").problems
    assert wide == f"{tmp_path}/wide.c is UTF-16: save it as UTF-8"


def test_a_folder_may_be_called_like_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.c").mkdir()
    (tmp_path / "folder.c" / "cpu_loop.c").write_bytes(RIGHT)
    assert find("lab1", tmp_path / "folder.c").path("cpu_loop.c").endswith("folder.c/cpu_loop.c")


def test_other_files_come_from_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "expert.cu").write_text("of a GPU")
    found = find("lab8", tmp_path / "expert.cu")
    assert list(found.contents) == ["grayscale.cu"]
    assert found.problems == [f"{tmp_path}/grayscale.c is missing"]
    (tmp_path / "grayscale.c").write_text("the lab's name")
    found = find("lab8", tmp_path / "expert.cu")
    assert found.contents["grayscale.c"] == b"the lab's name" and not found.problems
    assert found.path("grayscale.c").endswith("/grayscale.c")
    (tmp_path / "expert.c").write_text("the same stem")
    for name in ("expert.cu", "expert.c"):
        found = find("lab8", tmp_path / name)
        assert found.contents["grayscale.c"] == b"the same stem"
        assert found.contents["grayscale.cu"] == b"of a GPU"
        assert found.path("grayscale.c").endswith("/expert.c")
    (tmp_path / "grayscale.cu").write_text("not asked for")
    assert find("lab8", tmp_path / "grayscale.cu").contents == {
        "grayscale.c": b"the lab's name",
        "grayscale.cu": b"not asked for",
    }


def test_two_files_with_one_ending_are_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_course.make(tmp_path, monkeypatch)
    (folder / "mine.c").write_text("x")
    assert "could be either" in refusal("lab9", folder / "mine.c")
    found = find("lab9", folder / "add.c")
    assert found.contents == submissions.find(spec.load("lab9"), str(folder)).contents


def test_src_file_does_not_record_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """./grade list, hint and solution go by the record of starter/."""
    folder = tiny_course.make(tmp_path, monkeypatch)
    assert progress.is_own(find("lab9", folder / "add.c"))
    text = (tmp_path / "labs/lab9_sums/lab.toml").read_text()
    text = text.replace('["add.c", "sub.c"]', '["add.c"]').replace('file = "sub.c"\n', "")
    (tmp_path / "labs/lab9_sums/lab.toml").write_text(text)
    (folder / "mine.c").write_text("int mine;\n")
    found = find("lab9", folder / "mine.c")
    assert not progress.is_own(found)
    assert submission_zip.pack(found) == submission_zip.pack(
        Submission(found.lab, folder, "x", {"add.c": b"int mine;\n"}, [])
    ), "it is handed in under the lab's name"
    assert f"convlabs {course_version.shown()}\n".encode() in submission_zip.pack(found)
    (folder / ".mine.c.swp").write_text("")
    assert any("mine.c seems to be open" in w for w in submission_zip.warnings(found))


def test_a_line_of_a_file_with_parentheses_is_found() -> None:
    output = "0x0000000000000010\n/x/tile (1).cu:7 (discriminator 3)\n"
    assert addr2line.read_locations(output) == {16: ("/x/tile (1).cu", 7)}
    log = "/x/tile (1).cu:12:3: error: expected ';'\n/x/a:3.cu:4:1: warning: y\n"
    assert diagnostics_in(log, "/x") == [
        Diagnostic("/x/tile (1).cu", 12, "error", "expected ';'"),
        Diagnostic("/x/a:3.cu", 4, "warning", "y"),
    ]


def grade(*words: str, cwd: Path = paths.ROOT) -> subprocess.CompletedProcess[str]:
    return captured.grade(*words, cwd=cwd, errors="replace")


def test_messages_have_its_name(tmp_path: Path) -> None:
    file = tmp_path / "my loop (1).c"
    file.write_bytes(RIGHT.replace(b"{", b"{ nothing_here();", 1))
    done = grade("lab1", "--no-speed", "--src", file.name, cwd=tmp_path)
    assert done.returncode == 1 and "your file: ./my loop (1).c" in done.stdout
    assert "./my loop (1).c:" in done.stdout and "cpu_loop.c:" not in done.stdout
    packed = grade("submit", "lab1", "--src", str(file), "--out", str(tmp_path / "x.zip"))
    assert packed.returncode == 1 and "does not build" in packed.stderr
    file.write_bytes(RIGHT)
    said = grade("build", "lab1", "--src", str(file)).stdout
    assert f"now ./grade lab1 --src '{file}'" in said
    packed = grade("submit", "lab1", "--src", str(file), "--out", str(tmp_path / "x.zip"))
    assert packed.returncode == 0 and f"from {file}" in packed.stdout, packed.stderr


@pytest.mark.parametrize("argument", ["-x.c", "./-x.c"])
def test_a_name_may_begin_with_a_dash(argument: str, tmp_path: Path) -> None:
    (tmp_path / "-x.c").write_bytes(RIGHT)
    done = grade("lab1", "--no-speed", "-k", "identity", "--src", argument, cwd=tmp_path)
    assert done.returncode == 0 and "your file: ./-x.c" in done.stdout, done.stderr
