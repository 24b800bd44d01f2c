"""Speed in a student's copy: beside an object of our solution, and without one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.model import spec
from grader.release import archive, contents, objects
from grader.release.contents import Member
from grader.tests import captured
from grader.timing import reference

LAB = spec.load("lab1")
SOLUTION = (paths.SOLUTIONS / LAB.folder / "cpu_loop.c").read_text()
BASELINE = (paths.LABS / LAB.folder / "baseline.c").read_text()
ESTIMATE = "your instructor's grader measures against the course's solution"
NAMES = ("loops", "rows", "openmp")
CHECK = "speed of the loop order"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked archive of lab 1, with one object, for any processor of this machine's kind."""
    work = tmp_path_factory.mktemp("student")
    members = contents.members(paths.ROOT, contents.tracked(paths.ROOT), contents.lists(), [LAB.id])
    kind = next(k for k in (*objects.X86_64, objects.ARM) if k.machine == objects.NATIVE)
    place = reference.path(LAB, "cpu_loop.c", kind.name).relative_to(paths.ROOT)
    content = objects.build(LAB, "cpu_loop.c", kind)
    packed = work / "archive.tar.gz"
    packed.write_bytes(archive.pack([*members, Member(str(place), content, False)], "copy", 0))
    folder = archive.unpack(packed, work / "unpacked")
    (folder / "build").mkdir()
    (folder / "build" / "venv").symlink_to(paths.BUILD / "venv")
    return folder


def graded(copy: Path, folder: Path, source: str) -> dict[str, Any]:
    """The check of a submission in the copy."""
    (folder / "cpu_loop.c").write_text(source)
    out = folder / "result.json"
    argv = [sys.executable, "-m", "grader", LAB.id, "-k", CHECK, "--src", str(folder)]
    done = captured.run([*argv, "--json", str(out)], cwd=copy)
    assert out.exists(), done.stdout + done.stderr
    checks: list[dict[str, Any]] = json.loads(out.read_bytes())["checks"]
    return next(check for check in checks if CHECK in check["name"])


def slow() -> str:
    """A right submission as slow as the baseline, whose very functions are refused."""
    source = BASELINE.replace("void baseline_correlate", "static void slow")
    source = source.replace("float sum = 0.0f", "float sum = 0")
    for name in NAMES:
        source += f"""
void correlate_{name}(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {{
    slow(image, width, height, mask, radius, border, out);
}}
"""
    return source


@pytest.mark.slow("unpacks a student's copy and times functions in it")
def test_solution_passes_in_a_students_copy(copy: Path, tmp_path: Path) -> None:
    check = graded(copy, tmp_path, SOLUTION)
    assert "reference_ns" in check["details"]
    assert check["verdict"] == "pass", check
    assert not any(ESTIMATE in line for line in check["message"])


@pytest.mark.slow("unpacks a student's copy and times functions in it")
def test_baseline_fails_in_a_students_copy(copy: Path, tmp_path: Path) -> None:
    check = graded(copy, tmp_path, slow())
    assert (check["verdict"], check["diagnosis"]) == ("fail", "slow")
    assert "times the speed of the course's solution" in check["message"][0]
    assert not any(ESTIMATE in line for line in check["message"])


@pytest.mark.slow("unpacks a student's copy and times functions in it")
def test_a_student_defines_what_has_our_prefix(copy: Path, tmp_path: Path) -> None:
    """Neither side gets the other's functions."""
    fast = SOLUTION.replace("clamp", "clamp2")
    for name in NAMES:
        fast = fast.replace(f"void correlate_{name}(", f"void {reference.PREFIX}correlate_{name}(")
    check = graded(copy, tmp_path, fast + slow())
    assert (check["verdict"], check["diagnosis"]) == ("fail", "slow")


HEAD = f"void {reference.PREFIX}correlate_rows(void)"
TRAP = f"{HEAD} {{ __builtin_trap(); }}"
ABSENT = f"extern void not_here(void);\n{HEAD} {{ not_here(); }}"


@pytest.mark.slow("unpacks a student's copy and times functions in it")
@pytest.mark.parametrize("source", [None, TRAP, ABSENT], ids=["none", "does not run", "no link"])
def test_without_an_object_that_runs(copy: Path, tmp_path: Path, source: str | None) -> None:
    """As with the option off: the baseline stands in, and no one but the student is blamed."""
    (file,) = (copy / "labs" / LAB.folder / "reference").glob("*.o")
    kept = file.read_bytes()
    try:
        file.unlink()
        if source:
            (tmp_path / "own.c").write_text(source)
            subprocess.run(["gcc", "-c", "-fPIC", "own.c", "-o", file], cwd=tmp_path, check=True)
        check = graded(copy, tmp_path, SOLUTION)
    finally:
        file.write_bytes(kept)
    assert "reference_ns" not in check["details"]
    assert check["verdict"] in ("pass", "uncertain"), check
    assert any(ESTIMATE in line for line in check["message"])
    assert check["message"][-1].endswith("which is not in this copy")
