"""`./grade list`, `hint` and `solution`, and the record of what was graded."""

import json
import multiprocessing
import shutil
from pathlib import Path

import pytest

from grader import paths
from grader.model import spec
from grader.model import submission as submissions
from grader.student import progress
from grader.tests import tiny_course

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return tiny_course.make(tmp_path, monkeypatch)


def listed(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> str:
    assert tiny_course.call(monkeypatch, "list") == 0
    return capsys.readouterr().out


def test_list_follows_the_student(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    said = listed(monkeypatch, capsys)
    assert "not begun" in said and "next: read handouts/lab9.md" in said
    (folder / "add.c").write_text("int one;\n")
    said = listed(monkeypatch, capsys)
    assert "not graded yet" in said and "next: make lab9 && ./grade lab9" in said
    tiny_course.keep(40, "identity on 97x61")
    said = listed(monkeypatch, capsys)
    assert "40/85" in said and "fails: B  identity on 97x61" in said
    assert "next: ./grade lab9 -k 'identity on 97x61', or ./grade hint lab9" in said
    (folder / "add.c").write_text("int two;\n")
    assert "changed since" in listed(monkeypatch, capsys)
    tiny_course.keep(85)
    said = listed(monkeypatch, capsys)
    assert "85/85" in said and "full marks on everything measured" in said
    assert "every lab has full marks" in said
    (folder / "add.c").write_text("int worse;\n")
    tiny_course.keep(10, "identity on 97x61")
    said = listed(monkeypatch, capsys)
    assert "85/85" in said and "fails" in said, "the best stays, and how it is now is said"
    assert "\x1b" not in said
    (folder / "add.c").unlink()
    assert "add.c is missing" in listed(monkeypatch, capsys)


def test_the_next_step_is_in_a_lab_that_is_begun(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for place in (paths.LABS, paths.STARTER):  # an earlier lab, not begun
        shutil.copytree(place / "lab9_sums", place / "lab1_before")
    file = paths.LABS / "lab1_before" / "lab.toml"
    file.write_text(file.read_text().replace('"lab9"', '"lab1"'))
    assert "next: read handouts/lab1.md" in listed(monkeypatch, capsys)
    (folder / "add.c").write_text("int one;\n")
    assert "next: make lab9 && ./grade lab9" in listed(monkeypatch, capsys)


def test_colour_when_it_is_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert folder.is_dir() and tiny_course.call(monkeypatch, "list", "--color", "always") == 0
    assert "\x1b[1m" in capsys.readouterr().out


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\xfe", b'{"best": 3}', b"0" * 2**21])
def test_damaged_record_is_ignored(
    damage: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (folder / "add.c").write_text("int one;\n")
    tiny_course.keep(40)
    (paths.PROGRESS / "lab9.json").write_bytes(damage)
    assert "not graded yet" in listed(monkeypatch, capsys)
    tiny_course.keep(30)
    assert "30/85" in listed(monkeypatch, capsys)


def test_unwritable_record_is_reported(folder: Path) -> None:
    assert folder.is_dir()
    paths.PROGRESS.write_text("not a folder")
    why = progress.keep(tiny_course.submission(), tiny_course.graded(40))
    assert why is not None and "build/progress/lab9.json cannot be written" in why


def test_only_files_in_starter_record_progress(folder: Path, tmp_path: Path) -> None:
    lab = spec.load("lab9")
    elsewhere = tmp_path / "elsewhere" / "lab9_sums"
    elsewhere.mkdir(parents=True)
    (elsewhere / "add.c").write_text("")
    (tmp_path / "linked").symlink_to(folder)
    places = (paths.STARTER, tmp_path / "linked", elsewhere)
    assert [progress.is_own(submissions.find(lab, str(p))) for p in places] == [True, True, False]


def _keep_many(start: int) -> None:
    for earned in range(start, 80, 4):
        tiny_course.keep(earned)


def test_two_graders_at_once_lose_no_best(folder: Path) -> None:
    assert folder.is_dir()
    fork = multiprocessing.get_context("fork")
    graders = [fork.Process(target=_keep_many, args=(n,)) for n in range(4)]
    for grader in graders:
        grader.start()
    for grader in graders:
        grader.join()
        assert grader.exitcode == 0
    record = progress.read_progress("lab9")
    assert record is not None and record.best.score.earned == 79
    assert sorted(f.name for f in paths.PROGRESS.iterdir()) == [".lock", "lab9.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "gentle A"),
        (["2"], "middle A"),
        (["B"], "gentle B"),
        (["b", "3"], "last B"),
    ],
    ids=str,
)
def test_hint_with_and_without_a_part(
    arguments: list[str],
    said: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    assert folder.is_dir() and tiny_course.call(monkeypatch, "hint", "lab9", *arguments) == 0
    assert said in capsys.readouterr().out


def test_hint_is_for_the_part_that_failed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert folder.is_dir()
    tiny_course.keep(40, "some check")
    assert tiny_course.call(monkeypatch, "hint", "lab9", "2") == 0
    assert "middle B" in capsys.readouterr().out
    for wrong in (["0"], ["4"], ["C"], ["A", "x"], ["A", "-1"], ["²"]):
        assert tiny_course.call(monkeypatch, "hint", "lab9", *wrong) == 2
        assert "Traceback" not in capsys.readouterr().err


def test_one_damaged_spec_stops_no_other_lab(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert folder.is_dir()
    broken = tmp_path / "labs" / "lab8_broken" / "lab.toml"
    broken.parent.mkdir()
    for text in (b"id = ", b"\xff", b'id = "lab8"\n'):
        broken.write_bytes(text)
        for arguments in (["list"], ["hint", "lab9"], ["--help"], ["lab9", "--help"]):
            assert tiny_course.call(monkeypatch, *arguments) == 0, arguments
        said = capsys.readouterr().out
        assert "lab8" in said and "cannot be graded" in said and "gentle A" in said
        assert tiny_course.call(monkeypatch, "lab8") == 3
        assert "lab8_broken/lab.toml" in capsys.readouterr().err


def test_solution_only_after_full_marks_of_these_files(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def refused() -> str:
        assert tiny_course.call(monkeypatch, "solution", "lab9") == 1
        seen = capsys.readouterr()
        assert not seen.out
        return seen.err

    tiny_course.keep(85)
    assert "does not allow" in refused(), "a lab.toml that does not mention it means never"
    file = paths.LABS / "lab9_sums" / "lab.toml"
    file.write_text('solution = "after-full-marks"\n' + tiny_course.SPEC)
    tiny_course.keep(84)
    assert "you have 84/85" in refused()
    tiny_course.keep(85)
    (folder / "sub.c").write_text("int changed;\n")
    assert "has changed" in refused()
    tiny_course.keep(85)
    assert tiny_course.call(monkeypatch, "solution", "lab9") == 0
    said = capsys.readouterr().out
    assert "return a + b;" in said and "SOLUTION" not in said and "STARTER" not in said
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "sub.c").write_text("mine")
    there = str(tmp_path / "there")
    assert tiny_course.call(monkeypatch, "solution", "lab9", "--to", there) == 2
    assert [f.name for f in (tmp_path / "there").iterdir()] == ["sub.c"]
    (tmp_path / "there" / "sub.c").unlink()
    assert tiny_course.call(monkeypatch, "solution", "lab9", "--to", there) == 0
    assert "return a + b;" in (tmp_path / "there" / "add.c").read_text()
    capsys.readouterr()
    (paths.PROGRESS / "lab9.json").unlink()
    assert "after full marks" in refused()
    (paths.SOLUTIONS / "lab9_sums" / "sub.c").unlink()
    assert "no solutions" in refused()


def test_record_is_readable_by_others(folder: Path) -> None:
    assert folder.is_dir()
    tiny_course.keep(40, "x")
    record = json.loads((paths.PROGRESS / "lab9.json").read_text())
    assert record["schema"] == "convlabs-progress/v1"
    assert record["last"]["score"]["earned"] == 40 and set(record["last"]["files"]) == {
        "add.c",
        "sub.c",
    }
