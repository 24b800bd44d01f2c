"""The course's own parts, built for a GPU. No other test on a machine without one compiles them."""

import os
from pathlib import Path

import pytest

from grader import paths
from grader.model import outline, spec
from grader.tests import captured

LABS = [lab for lab in outline.available() if "gpu" in spec.load(lab).backends]


@pytest.mark.parametrize("lab", LABS)
def test_the_course_builds_for_a_gpu(lab: str, tmp_path: Path, real_nvcc: str) -> None:
    environment = {
        **os.environ,
        "PATH": f"{Path(real_nvcc).parent}{os.pathsep}{os.environ['PATH']}",
    }
    variables = {"LAB": spec.load(lab).folder, "BACKEND": "gpu", "GPU_ARCH": "sm_90"}
    done = captured.run(
        ["make", "run-binary-given", f"GIVEN={tmp_path}"]
        + [f"{name}={value}" for name, value in variables.items()],
        cwd=paths.ROOT,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "device_case.o").exists()
