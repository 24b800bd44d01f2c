"""Tests the simulator on aarch64, under qemu-user: same results, counters and findings.

    labs/tests/aarch64.py

Needs g++-aarch64-linux-gnu and qemu-user-static. Builds the runtime and programs for aarch64, runs
them, and compares the sums and counters of the ground truth with those of a GPU and Nsight Compute,
and the findings in some programs with planted bugs with what their folders say: two of each kind
of planted bug, and some correct ones. The exit status is 1 if something differs from x86-64.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.execute import profile  # noqa: E402 - needs the path set above

HOME = ROOT / "build" / "aarch64"
TOOL = "aarch64-linux-gnu-"
NSIGHT = ROOT / "labs" / "studies" / "nsight"
CHECKS = ROOT / "labs" / "studies" / "checks"


def make(*arguments: str, names: dict[str, str] | None = None) -> None:
    """Runs the Makefile's rules with the compiler for aarch64."""
    argv = ["make", "-s", f"BUILD={HOME}", f"CC={TOOL}gcc", f"CXX={TOOL}g++", f"AR={TOOL}ar"]
    argv += ["FMA=", "NATIVE=", f"PYTHON={sys.executable}", *arguments]
    subprocess.run(argv, cwd=ROOT, check=True, env=os.environ | (names or {}))


def build(source: Path, traced: bool) -> Path:
    """Builds a program from one file. Returns its path."""
    home = HOME / "program" / f"{source.stem}-{'traced' if traced else 'plain'}"
    (home / "src").mkdir(parents=True, exist_ok=True)
    shutil.copy(source, home / "src" / "0.cu")
    flags = ["TRACED=1"] if traced else []
    make("program", f"PROGRAM={home}", "FILES=0.cu", *flags, names={"NAME0": str(source)})
    return home / "program"


def run(program: Path, *arguments: str, **variables: Path | str) -> str:
    """What a program prints under qemu."""
    emulator = shutil.which("qemu-aarch64-static") or "qemu-aarch64"
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    argv = [emulator, "-L", "/usr/aarch64-linux-gnu", str(program), *arguments]
    process = subprocess.run(argv, env=environment, capture_output=True, check=False)
    return process.stdout.decode()


def sums(name: str) -> bool:
    """Are the results those of the GPU, except for the kernel that ptxas compiles wrongly?"""
    ours = run(build(NSIGHT / f"{name}.cu", traced=False)).splitlines()
    theirs = (NSIGHT / f"{name}.out").read_text().splitlines()
    wrong = [a.split()[0] for a, b in zip(ours, theirs, strict=True) if a != b]
    print(f"{name}: {len(theirs) - len(wrong)} of {len(theirs)} sums equal {wrong or ''}")
    return wrong == ["k_const_uniform"] * (name == "kernels2")


def counters(name: str) -> tuple[int, int]:
    """How many counter values of a ground-truth program equal Nsight Compute's, and of how many."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "profile.jsonl"
        program = build(NSIGHT / f"{name}.cu", traced=True)
        run(program, CONVLABS_SIM_PROFILE=raw, CONVLABS_SIM_FINDINGS=Path(folder) / "findings")
        kernels = profile.profile(program, profile.read_launches(raw.read_bytes()), []).kernels
    with (NSIGHT / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    equal = total = 0
    for row, kernel in zip(rows, kernels, strict=True):
        for counter in list(row)[4:]:
            total += 1
            equal += int(row[counter]) == getattr(kernel.counters, counter)
    print(f"{name}: {equal} of {total} counter values equal Nsight Compute's")
    return equal, total


def programs_of(source: Path) -> list[str]:
    return re.findall(r"^PROGRAM\((\w+)\)", source.read_text(), re.MULTILINE)


def finds(source: Path, program: str) -> bool:
    """Does the run of a program with a planted bug report the bug that its file names?"""
    kind = "correct" if source.parent.name == "correct" else source.stem
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "findings.jsonl"
        built = build(source, traced=True)
        run(built, program, CONVLABS_SIM_CHECK="1", CONVLABS_SIM_FINDINGS=raw)
        lines = raw.read_text().splitlines() if raw.exists() else []
    errors = {json.loads(line)["kind"] for line in lines if '"severity":"error"' in line}
    right = not errors if kind == "correct" else kind in errors
    if not right:
        print(f"{source.relative_to(CHECKS)}, {program}: found {sorted(errors)}")
    return right


def main() -> int:
    if not shutil.which(f"{TOOL}g++"):
        print(f"{TOOL}g++ is missing: apt-get install g++-aarch64-linux-gnu qemu-user-static")
        return 2
    make("runtime")
    right = sums("kernels") and sums("kernels2")
    equal = [counters("kernels")[0], counters("kernels2")[0]]
    chosen = [(file, name) for file in CHECKS.glob("bugs/*.cu") for name in programs_of(file)[:2]]
    correct = [(file, name) for file in CHECKS.glob("correct/*.cu") for name in programs_of(file)]
    as_expected = [finds(file, name) for file, name in [*chosen, *correct[::4]]]
    print(f"checks: {sum(as_expected)} of {len(as_expected)} programs as expected")
    return 0 if right and all(as_expected) and all(equal) else 1


if __name__ == "__main__":
    sys.exit(main())
