"""How long a student waits for a grade: `make bench-feedback`, a command and not a test.

Grades lab 3's solution N times in each situation and prints the medians: until the first verdict is
on the screen, until the grade is there, and the processor time, which another user's load does not
lengthen as it does the wall time.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass
from pathlib import Path

from grader import paths

LAB, FOLDER, FILE = "lab3", "lab3_constant_mask", "constant_mask.cu"
FIRST, ALL = 1.5, 5.0  # seconds: our goals on 2 cores


@dataclass(frozen=True)
class Timed:
    """One call of ./grade, in seconds."""

    first: float
    first_processor: float
    whole: float
    processor: float


def mirror(root: Path) -> Path:
    """A second copy of the course, so that starter/ can be a solution. Returns the file that the
    student would edit. What takes long to build (the environment, the simulator) is shared."""
    shutil.copytree(
        paths.ROOT / "grader",
        root / "grader",
        ignore=shutil.ignore_patterns("tests", "__pycache__"),
    )
    for name in ("grade", "Makefile"):
        shutil.copy2(paths.ROOT / name, root / name)
    (root / "build").mkdir()
    for name in ("labs", "datasets", "solutions", "build/venv", "build/datasets", "build/lib"):
        (root / name).symlink_to(paths.ROOT / name)
    file = root / "starter" / FOLDER / FILE
    file.parent.mkdir(parents=True)
    shutil.copy(paths.SOLUTIONS / FOLDER / FILE, file)
    return file


def processor(pid: int) -> float:
    """Seconds of processor time of a process and of the children that it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def grade(root: Path, *options: str) -> Timed:
    """Grades and times; ends the program when the solution does not get full marks."""
    start = time.monotonic()
    process = subprocess.Popen(
        [root / "grade", LAB, "--backend", "sim", *options], cwd=root, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()  # the heading
    verdict = process.stdout.readline()
    first = time.monotonic() - start
    first_used = processor(process.pid)
    process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    whole = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not verdict.startswith(b"  ok"):
        raise SystemExit(f"./grade {LAB} ended with {process.returncode} after {verdict!r}")
    return Timed(first, first_used, whole, used.ru_utime + used.ru_stime)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        file = mirror(root)
        grade(root)  # builds what comes with the lab
        results: dict[str, list[Timed]] = {}
        for number in range(rounds):
            for pattern in ([], ["-k", "97x61"]):
                with file.open("a") as edited:
                    edited.write(f"/* edit {number} {pattern} */\n")
                options = " ".join(pattern)
                for situation in ("after an edit", "unchanged"):
                    timed = grade(root, *pattern)
                    results.setdefault(f"{situation} {options}".strip(), []).append(timed)
    print(f"./grade {LAB}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {rounds} rounds")
    headings = ("first verdict", "processor", "all", "processor")
    print(f"{'medians, in seconds':22}" + "".join(f"{heading:>15}" for heading in headings))
    for situation, timings in results.items():
        medians = [statistics.median(c) for c in zip(*map(astuple, timings), strict=True)]
        print(f"{situation:22}" + "".join(f"{median:>15.2f}" for median in medians))
    print(f"goal on 2 free cores: the first verdict within {FIRST} s, all within {ALL} s")


if __name__ == "__main__":
    main()
