"""Lab 8's expert computes exactly what lab.h says with every instruction set: SSSE3, AVX2 and
AVX-512 where this processor has them, and NEON, under qemu where this is not an Arm processor."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured

HERE = Path(__file__).parent
LAB = "lab8_grayscale"
CROSS = "aarch64-linux-gnu-gcc"
# As a submission: no vectors but those that the file has itself.
FLAGS = ("-std=gnu11", "-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fopenmp")


def checked(compiler: str, folder: Path, *run: str, flags: tuple[str, ...] = ()) -> set[str]:
    """The conversions that the program compared with the rule; it fails if one differs."""
    program = folder / "expert_grey"
    includes = [f"-I{paths.ROOT / 'labs' / LAB}", f"-I{paths.ROOT / 'solutions' / LAB}"]
    source = str(HERE / "expert_grey.c")
    subprocess.run(
        [compiler, *FLAGS, *flags, "-Wall", "-Werror", *includes, "-o", str(program), source],
        check=True,
    )
    process = captured.run([*run, str(program)])
    assert process.returncode == 0, process.stdout + process.stderr
    return {line.removeprefix("checked ") for line in process.stdout.splitlines()}


def test_every_instruction_set_of_this_processor(tmp_path: Path) -> None:
    of_machine = {"x86_64": "ssse3", "aarch64": "neon"}.get(platform.machine())
    names = checked("gcc", tmp_path)
    assert {"plain", "best", of_machine or "plain"} <= names


def test_neon_under_qemu(tmp_path: Path) -> None:
    emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if not shutil.which(CROSS):
        pytest.skip(f"no {CROSS} (Debian: gcc-aarch64-linux-gnu)")
    if not emulator:
        pytest.skip("no qemu-aarch64 (Debian: qemu-user)")
    assert "neon" in checked(CROSS, tmp_path, emulator, flags=("-static",))
