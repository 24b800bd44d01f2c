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

    said = grade("new-lab", "lab10_box_blur", "--from", "lab1")
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


@pytest.mark.slow("it builds and grades a lab in a copy of the course, alone and in bulk")
def test_a_lab_outside_of_the_tree_works(course: Path, tmp_path: Path) -> None:
    def grade(*arguments: str, status: int = 0) -> str:
        done = captured.run([str(course / "grade"), *arguments], cwd=course)
        assert done.returncode == status, done.stdout + done.stderr
        return str(done.stdout + done.stderr)

    def score(source: str, *options: str) -> tuple[float, float]:
        file = tmp_path / "r.json"
        done = captured.run(
            [str(course / "grade"), "lab9", "--src", source, "--json", str(file), *options],
            cwd=course,
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        found = json.loads(file.read_bytes())["score"]
        return found["earned"], found["measured"]

    assert 'add "' in grade("new-lab", "block_sum", "--in", "../mine", status=2)
    (course / "course.toml").write_text('labs = ["../mine"]\n')
    grade("new-lab", "block_sum", "--in", "../mine")
    assert (course.parent / "mine" / "labs" / "lab9_block_sum" / "lab.toml").is_file()
    assert score("starter") == (0, 90) and score("solutions") == (90, 90)
    right = (course / "solutions/lab9_block_sum/block_sum.cu").read_text()
    students = {
        "right": right,
        "outside": right.replace("at < n ? d_x[at] : 0.0f", "d_x[at]"),
        "lost": right.replace("atomicAdd(d_out, s_sum[0])", "*d_out += s_sum[0]"),
        "one_short": right.replace("at < n", "at < n - 1"),
    }
    for name, text in students.items():
        (tmp_path / "class" / name / "lab9").mkdir(parents=True)
        (tmp_path / "class" / name / "lab9" / "block_sum.cu").write_text(text)
    page = tmp_path / "one_short.html"
    folder = str(tmp_path / "class" / "one_short" / "lab9")
    assert score(folder, "--html", str(page))[0] < 90
    assert "first wrong value at [0]" in page.read_text()
    grade("bulk", str(tmp_path / "class"), "--out", str(tmp_path / "run"), "--labs", "lab9",
          "--no-speed", "--i-trust-these-submissions")  # fmt: skip
    book = (tmp_path / "run" / "gradebook.csv").read_text()
    assert book.count(",graded,") == 4 and book.count(",90,90,graded,") == 1
    sheet = tmp_path / "sheet.html"
    grade("ask", "lab9", "--src", "solutions", "-n", "8", "--sheet", str(sheet))
    assert "runs on arrays with n = " in sheet.read_text() and "pixel" not in sheet.read_text()
    audited = captured.run([str(course / "grade"), "audit", "lab9", "-n", "8"], cwd=course)
    assert audited.returncode in (0, 1), audited.stderr
    assert "3 of 3 caught" in audited.stdout and "variants  " in audited.stdout
    assert "right variant loses" not in audited.stderr and "fails for" not in audited.stderr
    (course / "course.toml").unlink()
    assert "lab9" not in grade("list")


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x", "--from", "opencl"], "there is no such template"),
        (["x", "--from", "cuda", "--operation", "../sum"], "--from cuda --operation sum"),
        (["x", "--from", "lab77"], "and the labs lab9"),
        (["x", "--in", "."], "leave out --in"),
    ],
)
def test_a_wrong_source_is_refused_and_says_what_there_is(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    assert tiny_course.call(monkeypatch, "new-lab", *arguments) == 2
    assert said in capsys.readouterr().err.replace("\n", " ")
