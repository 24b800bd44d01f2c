"""`./grade new-lab`: what it makes is a lab, also where its number has two digits."""

import json
import shutil
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured, tiny_course

COPIED = ("grade", "Makefile", "datasets", "grader", "labs", "solutions", "starter")
LEFT_OUT = shutil.ignore_patterns("known_submissions", "fuzz", "programs", "studies", "__pycache__")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the course, with what is built."""
    root = tmp_path / "course"
    (root / "handouts").mkdir(parents=True)
    shutil.copytree(paths.ROOT / "handouts" / "site", root / "handouts" / "site")
    for name in COPIED:
        source = paths.ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=LEFT_OUT)
        else:
            shutil.copy2(source, root / name)
    for name in ("lib", "datasets"):
        shutil.copytree(paths.BUILD / name, root / "build" / name)
    (root / "build" / "venv").symlink_to(paths.BUILD / "venv")
    return root


@pytest.mark.slow("it builds and grades a lab in a copy of the course, alone and in bulk")
def test_a_new_lab_works(course: Path, tmp_path: Path) -> None:
    def grade(*arguments: str) -> str:
        done = captured.run([str(course / "grade"), *arguments], cwd=course)
        assert done.returncode in (0, 1), done.stderr
        return str(done.stdout)

    said = grade("new-lab", "lab10_box_blur")
    assert "./grade lab10 " in said and "starter/lab10_box_blur/" in said
    assert "lab10  box blur" in grade("list")
    assert '"lab8", "lab10"]' in (course / "handouts/site/contents.toml").read_text()
    assert "ab 1:" not in (course / "solutions/lab10_box_blur/box_blur.c").read_text()
    made = captured.run(["make", "lab10"], cwd=course)
    assert made.returncode == 0, made.stderr
    for source, share in (("starter", 0), ("solutions", 1)):
        grade("lab10", "--src", source, "--no-speed", "--json", str(tmp_path / "r.json"))
        score = json.loads((tmp_path / "r.json").read_bytes())["score"]
        assert score["earned"] == share * score["measured"] > -1
    (tmp_path / "class" / "ann" / "lab10").mkdir(parents=True)
    shutil.copy(course / "solutions/lab10_box_blur/box_blur.c", tmp_path / "class/ann/lab10")
    grade("bulk", str(tmp_path / "class"), "--out", str(tmp_path / "run"), "--labs", "lab10,lab1",
          "--no-speed", "--i-trust-these-submissions")  # fmt: skip
    book = (tmp_path / "run" / "gradebook.csv").read_text()
    assert "lab10_score" in book and ",70,70,graded," in book and "missing" in book


@pytest.mark.parametrize(
    "name", ["Histogram", "lab1_again", "lab0_x", "a-b", "../x", "lab12", "x/"]
)
def test_a_name_that_makes_no_folder_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    before = sorted(tmp_path.rglob("*"))
    assert tiny_course.call(monkeypatch, "new-lab", name.replace("lab1_", "lab9_")) == 2
    assert "names no folder" in (said := capsys.readouterr().err) or "there is a lab9" in said
    assert sorted(tmp_path.rglob("*")) == before
