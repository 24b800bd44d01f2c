"""Gradescope's autograder: what its zip holds, and that it answers every submission."""

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from grader import paths
from grader.classroom.export import autograder, autograder_zip


def packed() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(autograder_zip.pack(["lab1"])))


@pytest.mark.slow("builds the autograder's archive, objects included")
def test_the_zip_has_what_gradescope_starts_and_nothing_secret() -> None:
    assert autograder_zip.pack(["lab1"]) == autograder_zip.pack(["lab1"])
    archive = packed()
    names = archive.namelist()
    for program in ("setup.sh", "run_autograder"):
        assert archive.getinfo(program).external_attr >> 16 & 0o111
        assert archive.read(program).startswith(b"#!/usr/bin/env bash\n")
    assert "course/grader/classroom/export/autograder.py" in names and "course/grade" in names
    assert "course/grader/model/commit.txt" in names
    assert not [
        n for n in names if "hidden.toml" in n or "/solutions/" in n or "/tests/test_bulk" in n
    ]
    assert not [n for n in names if n.startswith("course/labs/lab2")]
    # What setup.sh grades is gone before there is a submission, also where grading it fails.
    assert [n for n in names if n.startswith("solution/")] == ["solution/cpu_loop.c"]
    trap = b"trap 'rm -rf /autograder/source/solution' EXIT\n"
    assert trap in archive.read("setup.sh").partition(b"apt-get")[0]


def answer(submission: Path, target: Path) -> dict[str, object]:
    assert autograder.main(submission, target) == 0
    return dict(json.loads(target.read_text()))


def test_empty_and_linked_submissions_get_an_answer(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    results = answer(tmp_path / "in", tmp_path / "results.json")
    assert results["score"] == 0 and "lab1: cpu_loop.c" in str(results["output"])
    (tmp_path / "in" / "CPU-Loop.c").write_text("int x;\n")
    results = answer(tmp_path / "in", tmp_path / "results.json")
    asked = 'lab1: no cpu_loop.c; did you mean to hand in "CPU-Loop.c"?'
    assert results["score"] == 0 and asked in str(results["output"])
    (tmp_path / "in" / "cpu_loop.c").symlink_to("/etc/passwd")
    results = answer(tmp_path / "in", tmp_path / "results.json")
    assert results["score"] == 0 and "is a link" in str(results["output"])


def test_a_file_that_does_not_compile_is_graded(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "cpu_loop.c").write_text("int x = ;\n")
    results = answer(tmp_path / "in", tmp_path / "results.json")
    tests = results["tests"]
    assert isinstance(tests, list) and results["score"] == 0
    assert tests[0]["name"] == "compiles" and tests[0]["status"] == "failed"
    assert {t["status"] for t in tests} == {"failed"}
    assert not list((paths.BUILD / "bulk").glob(f"{os.getpid()}*"))


@pytest.mark.slow("grades a solution")
def test_set_up_goes_on_with_full_marks_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solution = paths.SOLUTIONS / "lab2_global_memory" / "global_memory.cu"
    (tmp_path / "global_memory.cu").write_bytes(solution.read_bytes())
    assert autograder.prove(tmp_path) == 0
    full = answer(tmp_path, tmp_path / "results.json")
    assert full["score"] == 100  # as it is exported, though hidden checks and a GPU are missing
    assert str(full["output"]).endswith("That counts as 100 of the lab's 100 points")
    (tmp_path / "global_memory.cu").write_text("int x = ;\n")
    assert autograder.prove(tmp_path) == 1
    assert "FAILED  compiles" in capsys.readouterr().err
    assert autograder.prove(tmp_path / "nothing") == 1


def test_a_fault_of_ours_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("grader.classroom.bulk.intake.collect.collect", fails)
    results = answer(tmp_path, tmp_path / "results.json")
    assert "score" not in results and "not your fault" in str(results["output"])
