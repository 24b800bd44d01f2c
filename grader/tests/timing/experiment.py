"""Does noise decide a grade?  `make timing-experiment N=50`, about N minutes.

Grades the speed of three lab 1 files N times each beside busy loops, one for every core, and prints
how often each verdict came: a right one must never fail, a slow one never pass. Exits 1 when one
did. timing.md has a table made by it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter

from grader import paths

FILES = {
    "right": "solutions",
    "borderline": "grader/tests/timing/borderline",
    "slow": "grader/tests/zoo/lab1/right-gather-by-row",
}
CHECKS = {"B": "speed of the loop order", "C": "speed of all cores"}
VERDICTS = ("pass", "fail", "uncertain", "error")
FORBIDDEN = {("right", "fail"), ("slow", "pass")}


def graded(source: str, pattern: str) -> tuple[str, float | None]:
    """The verdict of one check and the ratio that it found."""
    done = subprocess.run(
        [paths.ROOT / "grade", "lab1", "--src", source, "-k", pattern, "--json", "-"],
        capture_output=True,
        check=False,
    )
    (check,) = (c for c in json.loads(done.stdout)["checks"] if c["kind"] == "speed")
    return check["verdict"], check["details"].get("ratio")


def main(count: int) -> int:
    cores = len(os.sched_getaffinity(0))
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(cores)]
    seen: Counter[tuple[str, str, str]] = Counter()
    ratios: dict[tuple[str, str], list[float]] = {}
    began = time.monotonic()
    try:
        for number in range(count):
            for name, source in FILES.items():
                for part, pattern in CHECKS.items():
                    verdict, ratio = graded(source, pattern)
                    seen[name, part, verdict] += 1
                    ratios.setdefault((name, part), []).extend([ratio] if ratio else [])
            print(f"{number + 1} of {count}", file=sys.stderr)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    seconds = time.monotonic() - began
    print(f"N = {count} gradings of each, {cores} cores, {cores} busy loops, {seconds:.0f} s\n")
    print(f"| file | part | {' | '.join(VERDICTS)} | ratios found |")
    print("|---|---|" + "---|" * (len(VERDICTS) + 1))
    for name in FILES:
        for part in CHECKS:
            counts = " | ".join(str(seen[name, part, v]) for v in VERDICTS)
            found = ratios[name, part]
            span = f"{min(found):.2f} to {max(found):.2f}" if found else "none"
            print(f"| {name} | {part} | {counts} | {span} |")
    return int(any(seen[name, part, v] for name, v in FORBIDDEN for part in CHECKS))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
