"""The instructor's template for GitHub: what it writes, and what a student cannot make it do."""

import importlib.util
import io
import json
import os
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.model import result
from grader.model.result import Check, GradedFile, Machine, Result
from grader.model.score import Score, Unmeasured
from grader.tests import captured
from grader.tests.made_results import made

SCRIPT = paths.ROOT / "handouts" / "classroom" / "autograder.py"


def the_script() -> Any:
    """autograder.py as a module: it belongs to no package, because it is copied elsewhere."""
    spec = importlib.util.spec_from_file_location("autograder", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


autograder = the_script()
FILE = "starter/lab3_constant_mask/constant_mask.cu"
RUNNER = {
    "CLASSROOM": "gpu",
    "ASSIGNMENT": "lab3-constant-mask",
    "SUBMISSION_TAG": "submit/2027-03-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit/1",
    "RELEASE_URL": "https://example.org/release/1",
}
# A `grade` that prints a line for GitHub's runner, as a student's program may, and writes the
# document beside it.
GRADE = """
import shutil, sys
from pathlib import Path
print("::error::from the student")
print("graded", *sys.argv[1:4:2])
home = Path(__file__).parent
if "--html" in sys.argv:
    Path(sys.argv[sys.argv.index("--html") + 1]).write_text("a report")
if "--step" in sys.argv:
    (home / "build/step").mkdir(parents=True, exist_ok=True)
    (home / "build/step/lab3-A.html").write_text("steps")
if (home / "grade.json").exists():
    shutil.copy(home / "grade.json", sys.argv[sys.argv.index("--json") + 1])
sys.exit(int((home / "status").read_text()))
"""


def graded(*checks: Check) -> Result:
    return made(
        "lab3",
        checks,
        Score(
            sum(check.points for check in checks), 10, 12, (Unmeasured(2, "wait in hidden checks"),)
        ),
        files=[GradedFile(FILE, "0" * 64)],
        machine=Machine("Linux", "a processor", 2, "gcc 12"),
        grader_version="1",
        hidden_included=False,
    )


CHECKS = (
    Check("A.1", "identity 3x3", "correct", "pass", 4, 4, "A"),
    Check("A.2", "speed", "speed", "fail", 2.5, 6, "A", message=[f"slow at {FILE}:41: a, b"]),
    Check("A.3", "race", "safe", "skip", 0, 2, "A", needs="identity 3x3"),
    Check("A.4", "noise", "speed", "uncertain", 0, 5, "A", message=["too close"]),
)


def a_course(folder: Path, status: int = 1, document: bytes | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "grade").write_text(GRADE)
    (folder / "status").write_text(str(status))
    if document is not None:
        (folder / "grade.json").write_bytes(document)
    (folder / "starter").mkdir(exist_ok=True)
    return folder


def run(folder: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    environment = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(folder.parent), **variables}
    script = variables.get("SCRIPT", str(SCRIPT))
    done = captured.run([sys.executable, script, *arguments], cwd=folder, env=environment)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout


def test_classroom_50_gets_its_result(tmp_path: Path) -> None:
    folder = a_course(tmp_path / "student", document=result.to_json(graded(*CHECKS)))
    summary = tmp_path / "summary.md"
    status, out = run(folder, **RUNNER, GITHUB_STEP_SUMMARY=str(summary))
    assert status == 0, out
    document = json.loads((folder / "result.json").read_text())
    assert document.pop("datetime").endswith("Z")
    assert document == {
        "schema": "classroom50/result/v1",
        "classroom": "gpu",
        "assignment": "lab3-constant-mask",
        "submission": RUNNER["SUBMISSION_TAG"],
        "commit": RUNNER["COMMIT_URL"],
        "release": RUNNER["RELEASE_URL"],
        "review": RUNNER["COMMIT_URL"],
        "score": 7,
        "max-score": 12,
        "tests": [
            {"test-name": "A  identity 3x3", "passed": True, "score": 4, "max-score": 4},
            {"test-name": "A  speed", "passed": False, "score": 3, "max-score": 6},
            {"test-name": "A  race", "passed": False, "score": 0, "max-score": 2},
        ],
    }
    assert summary.read_text() == (folder / "release-body.md").read_text()
    assert summary.read_text().startswith("## lab3: 6.5 of 10 points\n")


def test_classroom_50_gets_the_report_and_the_step_page(tmp_path: Path) -> None:
    folder = a_course(tmp_path / "student", document=result.to_json(graded(*CHECKS)))
    other = tmp_path / "other"
    other.write_text("kept")
    (folder / "report.html").symlink_to(other)  # pushed by a student
    assert run(folder, **RUNNER)[0] == 0
    assert (folder / "report.html").read_text() == "a report"
    assert (folder / "step.html").read_text() == "steps"
    assert other.read_text() == "kept"
    (folder / "build/step/lab3-A.html").unlink()  # nothing to step through: no old page stays
    (folder / "build/step").rmdir()
    (folder / "grade").write_text(GRADE.replace('"--step" in', "not"))
    assert run(folder, **RUNNER)[0] == 0
    assert not (folder / "step.html").exists()


def test_the_course_of_the_image_wins_over_the_students(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    student, image = a_course(tmp_path / "student"), a_course(tmp_path / "image")
    monkeypatch.setattr(autograder, "IMAGE", image)
    assert autograder.course(tmp_path, student, tmp_path) == image
    monkeypatch.setattr(autograder, "IMAGE", tmp_path / "none")
    assert autograder.course(tmp_path, student, tmp_path) == student


def test_a_workflow_gets_a_summary_and_annotations_alone(tmp_path: Path) -> None:
    folder = a_course(tmp_path / "student", document=result.to_json(graded(*CHECKS)))
    status, out = run(folder, "lab3", GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    assert status == 0
    assert "graded lab3 " in out
    assert f"::error file={FILE},line=41,title=A  speed::slow at {FILE}:41: a, b\n" in out
    assert "6.5 of 10 points" in (tmp_path / "summary.md").read_text()
    assert not (folder / "result.json").exists() and not (folder / "report.html").exists()


def test_program_output_cannot_issue_workflow_commands(tmp_path: Path) -> None:
    folder = a_course(tmp_path / "student", document=result.to_json(graded(*CHECKS)))
    _, out = run(folder, "lab3")
    lines = out.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert len(token) == 32
    assert lines.index("::error::from the student") < lines.index(f"::{token}::")


@pytest.mark.parametrize(
    "text", ["| a | b |", "</code><script>", "@someone #1 ![x](http://e.org/x.png)", "&lt;", "`"]
)
def test_summary_text_is_escaped(text: str) -> None:
    shown = autograder.literal(text)
    inside = shown.removeprefix("<code>").removesuffix("</code>")
    assert not set(inside) & set("<>|@`![]()/.:\n")
    page = autograder.page(json.loads(result.to_json(graded(
        Check("A.1", "a", "correct", "fail", 0, 1, "A", message=[text])
    ))))  # fmt: skip
    assert shown in page


def test_a_message_stays_in_its_annotation() -> None:
    check = Check("A.1", "a: b, c", "correct", "fail", 0, 1, message=["100 %", "::error::x"])
    document = json.loads(result.to_json(graded(check)))
    assert autograder.error_commands(document) == [
        "::error title=a%3A b%2C c::100 %25%0A::error::x"
    ]  # fmt: skip


def test_each_finding_has_one_annotation() -> None:
    same, race = f"{FILE}:4: no result", f"{FILE}:9: a race"
    checks = [
        Check(f"A.{name}", name, "correct", "fail", 0, 1, "A", message=message)
        for name, message in {
            "a": [same],
            "b": [same],
            "c": ["two findings", same, "    x = 1;", race, "    with line 8"],
            "d": ["no place"],
            "e": [same],
        }.items()
    ]
    found = autograder.error_commands(json.loads(result.to_json(graded(*checks))))
    assert found == [
        f"::error file={FILE},line=4,title=A  a and 2 more::{same}",
        f"::error file={FILE},line=4,title=A  c::two findings%0A{same}%0A    x = 1;",
        f"::error file={FILE},line=9,title=A  c::{race}%0A    with line 8",
        "::error title=A  d::no place",
    ]


@pytest.mark.parametrize("text", ["lab3", "Lab3", "lab3-constant-mask", "2027-lab3", "lab3_lab3"])
def test_an_assignment_names_its_lab(text: str) -> None:
    assert autograder.lab_of([], {"ASSIGNMENT": text}) == "lab3"
    assert autograder.lab_of([text], {"ASSIGNMENT": "lab1"}) == "lab3"
    assert autograder.lab_of([text.replace("3", "12")], {}) == "lab12"


@pytest.mark.parametrize("text", ["", "hello", "lab1-and-lab2", "lab0", "collab3"])
def test_other_names_are_refused(tmp_path: Path, text: str) -> None:
    status, out = run(a_course(tmp_path / "student"), ASSIGNMENT=text)
    assert status == 3
    assert f"::error title=not graded::'{text}' does not name one lab" in out


@pytest.mark.parametrize("status", [2, 3, 130])
def test_ungraded_run_leaves_no_result(tmp_path: Path, status: int) -> None:
    folder = a_course(tmp_path / "student", status, result.to_json(graded(*CHECKS)))
    ended, out = run(folder, **RUNNER)
    assert ended == 3
    assert f"./grade lab3 ended with status {status}" in out
    assert not (folder / "result.json").exists()


def test_broken_grade_or_incomplete_runner_is_reported(tmp_path: Path) -> None:
    folder = a_course(tmp_path / "student", document=b"{")
    assert run(folder, "lab3")[0] == 3
    (folder / "grade.json").write_bytes(result.to_json(graded(*CHECKS)))
    ended, out = run(folder, CLASSROOM="gpu", ASSIGNMENT="lab3")
    assert (ended, "has not set 'SUBMISSION_TAG'" in out) == (3, True)
    (folder / "grade").unlink()
    ended, out = run(folder, "lab3")
    assert (ended, "nor ./grade in the checkout" in out) == (3, True)


def test_pushed_result_is_neither_preserved_nor_followed(tmp_path: Path) -> None:
    folder = a_course(tmp_path / "student", document=result.to_json(graded(*CHECKS)))
    other = tmp_path / "other"
    other.write_text("kept")
    (folder / "result.json").symlink_to(other)
    assert run(folder, **RUNNER)[0] == 0
    assert json.loads((folder / "result.json").read_text())["score"] == 7
    assert other.read_text() == "kept"
    (folder / "result.json").write_text("forged")
    (folder / "status").write_text("3")
    assert run(folder, **RUNNER)[0] == 3
    assert not (folder / "result.json").exists()


def archive(target: Path, folder: Path) -> None:
    with tarfile.open(target, "w:gz") as file:
        file.add(folder, arcname="convlabs-student-1")


def test_the_instructors_archive_wins_over_the_students_course(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    script = bundle / "autograder.py"
    script.write_bytes(SCRIPT.read_bytes())
    ours = a_course(tmp_path / "ours", document=result.to_json(graded(*CHECKS)))
    archive(bundle / "convlabs-student-1.tar.gz", ours)
    perfect: dict[str, Any] = json.loads(result.to_json(graded(*CHECKS)))
    perfect["checks"][1]["points"] = 6
    folder = a_course(tmp_path / "student", 0, json.dumps(perfect).encode())
    ended, out = run(folder, SCRIPT=str(script), **RUNNER)
    assert ended == 0, out
    assert json.loads((folder / "result.json").read_text())["score"] == 7
    assert f"graded lab3 {folder / 'starter'}" in out
    archive(bundle / "convlabs-student-2.tar.gz", ours)
    ended, out = run(folder, SCRIPT=str(script), **RUNNER)
    assert (ended, "more than one" in out) == (3, True)


def test_an_archive_cannot_write_outside_its_folder(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    with tarfile.open(bundle / "convlabs-student-1.tar.gz", "w:gz") as file:
        member = tarfile.TarInfo("../escaped")
        member.size = 1
        file.addfile(member, io.BytesIO(b"x"))
    with pytest.raises(tarfile.TarError):
        autograder.course(bundle, tmp_path, tmp_path / "unpacked")
    assert not (tmp_path / "escaped").exists()
