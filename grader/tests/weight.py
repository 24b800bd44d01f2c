"""What the tree weighs, and whether it keeps its limits: `make weight`.

Counted are the lines of sources by suffix and, so that renaming hides none, of every text in a
folder of tests. Data is not counted: measurements, archives, pictures, locks and pages of text.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
LIMITS = {"files": 2_000, "product": 95_000, "tests": 75_000}
SOURCES = {
    *(".py", ".c", ".h", ".cu", ".cuh", ".cpp", ".S", ".mk"),
    *(".sh", ".js", ".css", ".toml", ".html"),
}
DATA = {".json", ".csv", ".tsv", ".lock", ".svg", ".png", ".md", ".out", ".zip", ".gz", ".xz"}
MEASURED = {"machine.txt"}  # beside measurements


def kind(path: PurePosixPath) -> str:
    is_test = "tests" in path.parts[:-1] or path.is_relative_to("labs/studies")
    return "tests" if is_test else "product"


def is_counted(path: PurePosixPath) -> bool:
    if path.suffix in DATA or path.name in MEASURED:
        return False
    return path.suffix in SOURCES or kind(path) == "tests"


def weigh(root: Path, paths: list[str]) -> dict[str, Counter[str]]:
    """Files, lines of product and lines of tests by folder, two levels deep."""
    table: dict[str, Counter[str]] = {}
    for name in paths:
        path = PurePosixPath(name)
        row = table.setdefault("/".join(path.parent.parts[:2]) or ".", Counter())
        row["files"] += 1
        if is_counted(path):
            row[kind(path)] += len((root / path).read_bytes().splitlines())
    return table


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [name for name in listed.stdout.decode().split("\0") if name]
    table = weigh(ROOT, [name for name in paths if (ROOT / name).is_file()])
    total = sum(table.values(), Counter())
    print(f"{'':32}" + "".join(f"{column:>10}" for column in LIMITS))
    largest = sorted(table.items(), key=lambda item: -item[1]["product"] - item[1]["tests"])
    rows = [*largest, ("all", total), ("at most", Counter(LIMITS))]
    for folder, row in rows:
        print(f"{folder:32}" + "".join(f"{row[column]:10,}" for column in LIMITS))
    heavy = [column for column, most in LIMITS.items() if total[column] > most]
    if heavy:
        print(f"make weight: too many: {', '.join(heavy)}", file=sys.stderr)
    return int(bool(heavy))


if __name__ == "__main__":
    sys.exit(main())
