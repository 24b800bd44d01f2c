"""What make is told to build."""

import re
import subprocess
from pathlib import Path

from grader import paths, spec


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
