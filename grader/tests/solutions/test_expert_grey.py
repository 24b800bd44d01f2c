"""Part D of lab 8's expert computes exactly what lab.h says, with both kinds of stores."""

import platform
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured

HERE = Path(__file__).parent
LAB = "lab8_grayscale"
# As a submission: no vectors but those that the file has itself.
FLAGS = ("-std=gnu11", "-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fopenmp")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AVX2 is of x86-64")
def test_tuned_grey_matches_the_rule_of_lab_h(tmp_path: Path) -> None:
    program = tmp_path / "expert_grey"
    includes = [f"-I{paths.ROOT / 'labs' / LAB}", f"-I{paths.ROOT / 'solutions' / LAB}"]
    command = ["gcc", *FLAGS, "-Wall", "-Werror", *includes, "-o"]
    subprocess.run([*command, program, HERE / "expert_grey.c"], check=True)
    process = captured.run([str(program)])
    assert process.returncode == 0, process.stdout + process.stderr
