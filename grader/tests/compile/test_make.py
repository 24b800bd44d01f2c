"""What make is told to build."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from grader import paths
from grader.compile import make
from grader.model import spec
from grader.model import submission as submissions


def test_each_file_is_timed_from_its_own_source(tmp_path: Path) -> None:
    """Lab 8 hands in grayscale.c and grayscale.cu. Make only says what it would do."""
    (tmp_path / "src").mkdir()
    for file in spec.load("lab8").submit:
        (tmp_path / "src" / file).touch()
    for file, backend in (("grayscale.c", "cpu"), ("grayscale.cu", "gpu")):
        told = {"BACKEND": backend, "LAB": "lab8_grayscale", "FILES": file, "OUT": tmp_path}
        argv = ["make", "-nB", "speed-binary", "speed-binary-given"]
        argv += [f"{name}={value}" for name, value in told.items()]
        said = subprocess.run(argv, cwd=paths.ROOT, capture_output=True, text=True, check=True)
        compiled = re.findall(r" -c (\S+/grayscale\.cu?) ", said.stdout)
        assert sorted(compiled) == sorted(
            [f"{tmp_path}/src/{file}", f"solutions/lab8_grayscale/{file}"]
        )


def test_an_update_of_the_course_builds_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same file, once more and then with another header."""
    header = tmp_path / "lab.h"
    header.write_text("one")
    monkeypatch.setattr(make, "_sources", lambda _: [header])
    monkeypatch.setattr(make, "view", lambda *_: None)
    lab = spec.load("lab1")
    home = paths.BUILD / "tests" / "update"
    submission = replace(submissions.find(lab, "solutions"), home=home)
    first = make.build(submission, "cpu").binary
    assert first and make.build(submission, "cpu").binary == first
    header.write_text("two")
    assert make.build(submission, "cpu").binary not in (first, None)
    shutil.rmtree(home)
