"""The checks: planted bugs are found at their lines, correct programs get no error."""

import functools
import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest

from grader import paths

CHECKS = paths.ROOT / "labs" / "studies" / "checks"
NSIGHT = paths.ROOT / "labs" / "studies" / "nsight"


def _table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_table", CHECKS / "table.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


table = _table()
PROGRAMS = table.programs()


@functools.cache
def verdicts() -> dict[str, object]:
    return {verdict.program.name: verdict for verdict in table.run_all(table.files())}


@pytest.mark.slow("all programs run for the first test")
@pytest.mark.parametrize("name", [p.name for p in PROGRAMS])
def test_planted_bug_is_found_at_its_line(name: str) -> None:
    verdict = verdicts()[name]
    assert verdict.found, "the planted bug was not found at its line"  # type: ignore[attr-defined]
    assert not verdict.stray, verdict.stray  # type: ignore[attr-defined]
    assert verdict.right(), f"exit status {verdict.status}"  # type: ignore[attr-defined]


def test_committed_table_is_current() -> None:
    assert table.report([verdicts()[p.name] for p in PROGRAMS]) in table.RESULTS.read_text()


def test_every_kind_has_programs() -> None:
    kinds = [p.kind for p in PROGRAMS if p.severity == "error"]
    assert len(kinds) >= 60 and len(PROGRAMS) - len(kinds) >= 30
    assert all(kinds.count(kind) >= 5 for kind in kinds)


@pytest.mark.parametrize("name", ["kernels", "kernels2"])
def test_ground_truth_kernels_get_no_errors(name: str) -> None:
    process = subprocess.run(
        [paths.ROOT / "grade", "run", "--check", NSIGHT / f"{name}.cu"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    assert "\nerror: " not in f"\n{process.stderr}", process.stderr
