"""What make is told to build, and when it builds again."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from grader import paths
from grader.compile import make, sources
from grader.compile.make import BuildRequest
from grader.model import spec
from grader.model import submission as submissions


def test_each_file_is_timed_from_its_own_source(tmp_path: Path) -> None:
    """Lab 8 hands in grayscale.c and grayscale.cu. make -n prints what it would do."""
    (tmp_path / "src").mkdir()
    for file in spec.load("lab8").submit:
        (tmp_path / "src" / file).touch()
    for file, backend in (("grayscale.c", "cpu"), ("grayscale.cu", "gpu")):
        variables = {"BACKEND": backend, "LAB": "lab8_grayscale", "FILES": file, "OUT": tmp_path}
        argv = ["make", "-nB", "speed-binary", "speed-binary-given"]
        argv += [f"{name}={value}" for name, value in variables.items()]
        done = subprocess.run(argv, cwd=paths.ROOT, capture_output=True, text=True, check=True)
        compiled = re.findall(r" -c (\S+/grayscale\.cu?) ", done.stdout)
        assert sorted(compiled) == sorted(
            [f"{tmp_path}/src/{file}", f"solutions/lab8_grayscale/{file}"]
        )


def test_an_update_of_the_course_builds_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = tmp_path / "lab.h"
    header.write_text("one")
    monkeypatch.setattr(sources, "dependencies", lambda _: [header])
    monkeypatch.setattr(sources, "view", lambda *_: None)
    lab = spec.load("lab1")
    home = paths.BUILD / "tests" / "update"
    request = BuildRequest(replace(submissions.find(lab, "solutions"), home=home), "cpu")
    first = make.build(request).binary
    assert first and make.build(request).binary == first
    header.write_text("two")
    assert make.build(request).binary not in (first, None)
    shutil.rmtree(home)
