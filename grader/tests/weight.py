"""Counts files and lines by wing and checks their limits: `make weight`, also in lint.

Counted are the lines of sources by suffix and, so that renaming hides none, of every text in a
folder of tests. Data is not counted: measurements, archives, pictures, locks and pages of text. Nor
are the handouts, their code and their tests, which every lab that is added makes longer.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
# They only ever go down: what is added must fit, or something else goes.
LIMITS = {"files": 1_894, "product": 126_886, "tests": 100_394}
SIMULATOR, COURSE, EVIDENCE = "the simulator", "the course and its grader", "the evidence"
WINGS = {  # by the folder, the longest that fits; whatever is in none belongs to the course
    "labs/sim": SIMULATOR,
    "labs/tests/sim": SIMULATOR,
    "labs/studies": EVIDENCE,
    "labs/tests/studies": EVIDENCE,
    "labs/tests/programs": EVIDENCE,
}
NOT_COUNTED = ("handouts", "grader/tests/handouts")
SOURCES = {
    *(".py", ".c", ".h", ".cu", ".cuh", ".cpp", ".S", ".mk"),
    *(".sh", ".js", ".css", ".toml", ".html"),
}
DATA = {".json", ".csv", ".tsv", ".lock", ".svg", ".png", ".md", ".out", ".zip", ".gz", ".xz"}
MEASURED = {"machine.txt"}  # beside measurements


def wing(path: PurePosixPath) -> str:
    return next((WINGS[str(f)] for f in path.parents if str(f) in WINGS), COURSE)


def kind(path: PurePosixPath) -> str:
    is_test = "tests" in path.parts[:-1] or wing(path) == EVIDENCE
    return "tests" if is_test else "product"


def is_counted(path: PurePosixPath) -> bool:
    if path.suffix in DATA or path.name in MEASURED:
        return False
    return path.suffix in SOURCES or kind(path) == "tests"


def weigh(root: Path, paths: list[str]) -> dict[tuple[str, str], Counter[str]]:
    """Files, lines of product and lines of tests, by wing and by folder two levels deep."""
    table: dict[tuple[str, str], Counter[str]] = {}
    for name in paths:
        path = PurePosixPath(name)
        if any(path.is_relative_to(folder) for folder in NOT_COUNTED):
            continue
        folder = "/".join(path.parent.parts[:2]) or "."
        row = table.setdefault((wing(path), folder), Counter())
        row["files"] += 1
        if is_counted(path):
            row[kind(path)] += len((root / path).read_bytes().splitlines())
    return table


def _print(name: str, row: Counter[str]) -> None:
    print(f"{name:32}" + "".join(f"{row[column]:10,}" for column in LIMITS))


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [name for name in listed.stdout.decode().split("\0") if name]
    table = weigh(ROOT, [name for name in paths if (ROOT / name).is_file()])
    total = sum(table.values(), Counter())
    heavy = [column for column, most in LIMITS.items() if total[column] > most]
    if heavy or "--quiet" not in sys.argv:
        print(f"{'':32}" + "".join(f"{column:>10}" for column in LIMITS))
        for name in (SIMULATOR, COURSE, EVIDENCE):
            folders = {folder: row for (of, folder), row in table.items() if of == name}
            _print(name, sum(folders.values(), Counter()))
            for folder in sorted(folders, key=lambda f: -sum(folders[f].values())):
                _print(f"  {folder}", folders[folder])
        _print("all", total)
        _print("at most", Counter(LIMITS))
    if heavy:
        print(f"make weight: too many: {', '.join(heavy)}", file=sys.stderr)
    return int(bool(heavy))


if __name__ == "__main__":
    sys.exit(main())
