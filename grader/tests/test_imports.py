"""The rule for imports between packages finds what breaks it (`make lint` applies it)."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.paths import ROOT
from grader.tests import captured

LINT = Path(sys.executable).with_name("lint-imports")


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    config = ["--config", str(root / "pyproject.toml"), "--no-cache", "--no-logo"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root)}
    return captured.run([LINT, *config], cwd=root, env=environment)


@pytest.mark.parametrize(
    ("module", "statement", "message"),
    [
        ("model/grade_line.py", "from grader.checks import safe", "grader.model.grade_line ->"),
        ("oracle/compare.py", "import grader.compile.make", "grader.oracle.compare ->"),
        ("paths.py", "from grader import cli", "grader.paths ->"),
        (
            "timing/timed_inputs.py",
            "from grader.timing import timing_program",
            "No cycles are allowed",
        ),
        ("new/__init__.py", "", "new"),  # a package that no layer names
    ],
)
def test_an_import_against_the_layers_is_found(
    module: str, statement: str, message: str, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "grader", tmp_path / "grader", ignore=shutil.ignore_patterns("tests"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert lint(tmp_path).returncode == 0
    file = tmp_path / "grader" / module
    file.parent.mkdir(exist_ok=True)
    with file.open("a") as source:
        source.write(f"\n{statement}\n")
    broken = lint(tmp_path)
    assert broken.returncode != 0 and message in broken.stdout, broken.stdout
