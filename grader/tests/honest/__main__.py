"""Grades whole right programs and writes RESULTS.md: each must get all points that are measured.

    python -m grader.tests.honest [PART OF A NAME]

With a part of a name, RESULTS.md stays as it is.
"""

import os
import sys

from grader.tests.honest.test_honest import FOLDER
from grader.tests.honest.whole import lost, programs
from grader.tests.zoo import grading


def main(pattern: str = "") -> int:
    chosen = [program for program in programs() if pattern.lower() in str(program).lower()]
    good: dict[str, int] = {}
    bad = []
    with grading.processes(len(os.sched_getaffinity(0))) as pool:
        for program, (is_whole, said) in zip(chosen, pool.map(lost, chosen), strict=True):
            good[program.kind] = good.get(program.kind, 0) + is_whole
            bad += [] if is_whole else [f"{program}: {'; '.join(said)}"]
            print("ok  " if is_whole else "LOST", program, *([] if is_whole else said), flush=True)
    print(f"{sum(good.values())} of {len(chosen)} have all points that are measured")
    if not pattern:
        (FOLDER / "RESULTS.md").write_text(report(good, bad, len(chosen)))
    return 1 if bad or not chosen else 0


def report(good: dict[str, int], bad: list[str], count: int) -> str:
    rows = [f"| {kind} | {number} |" for kind, number in good.items()]
    return "\n".join([
        "# Right programs, graded whole",
        "",
        "Made by `python -m grader.tests.honest`, without timing.",
        "",
        "| programs | with all points |",
        "|---|---|",
        *rows,
        f"| of {count} | {sum(good.values())} |",
        *(f"\nLost: {line}" for line in bad),
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
