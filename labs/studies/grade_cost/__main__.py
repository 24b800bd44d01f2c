"""Grades the solution of each lab, as a file that was never graded, and prints what that takes:
`make bench-grade`. Only on an idle machine do the seconds mean something.

Columns: wall seconds until the first verdict, the first case, the score and the end; the share of
this machine's cores that was used until the score; processor seconds by stage (measured.py).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from grader import paths
from grader.model import spec
from grader.model.lab import Lab
from grader.release.contents import all_labs
from labs.studies.grade_cost.measured import MAIN, PARTS, STAGES

COLUMNS = (MAIN, PARTS, *dict.fromkeys(STAGES.values()), "other")
VERDICT = re.compile(r"^\s+(ok|FAIL|skip|\?\?)\b")
SCORE = re.compile(r"^\s+\d+(\.\d+)?/\d+\b")


@dataclass
class Grade:
    """What one grade took, in seconds."""

    verdict: float = 0
    case: float = 0
    score: float = 0
    end: float = 0
    used: dict[str, float] = field(default_factory=dict)

    @property
    def processor(self) -> float:
        return sum(self.used.values())


def new_copy(lab: Lab, folder: Path) -> Path:
    """The solution with a comment that no file had before, so that nothing of it is built."""
    for name in lab.submit:
        text = (paths.SOLUTIONS / lab.folder / name).read_text()
        (folder / name).write_text(f"{text}\n// {time.time_ns()}\n")
    return folder


def grade(lab: Lab, root: Path) -> Grade:
    """Grades the solution with the checkout in `root`, and notes when which line appears."""
    with tempfile.TemporaryDirectory() as made:
        source, used = new_copy(lab, Path(made)), Path(made) / "used.json"
        measured = [sys.executable, "-P", "-m", "labs.studies.grade_cost.measured", str(used)]
        argv = measured if root == paths.ROOT else [str(root / "grade")]
        before, began, found = os.times(), time.monotonic(), Grade()
        command = [*argv, lab.id, "--src", str(source)]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            verdicts = 0
            for line in process.stdout:
                now = time.monotonic() - began
                verdicts += bool(VERDICT.match(line))
                found.verdict = found.verdict or (now if verdicts else 0)
                found.case = found.case or (now if " A  " in line and verdicts else 0)
                found.score = now if SCORE.match(line) else found.score
        found.end = time.monotonic() - began
        after = os.times()
        if used.exists():
            found.used = json.loads(used.read_text())
        else:
            found.used = {"all": sum(after[2:4]) - sum(before[2:4])}
        return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m labs.studies.grade_cost")
    parser.add_argument("labs", nargs="*", default=all_labs(paths.ROOT))
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout")
    parser.add_argument("--times", type=int, default=1, help="grades of each; the fastest counts")
    options = parser.parse_args()
    roots = [root.resolve() for root in (options.against, paths.ROOT) if root]
    print(f"{'':6}{'verdict':>8}{'case':>7}{'score':>7}{'end':>7}{'cores':>7}{'all':>7}  ", end="")
    print("".join(f"{column:>14}" for column in COLUMNS))
    for name in options.labs:
        lab = spec.load(name)
        totals = []
        for root in roots:
            grades = [grade(lab, root) for _ in range(options.times)]
            best = min(grades, key=lambda each: each.processor)
            totals.append(best.processor)
            busy = best.processor / (os.cpu_count() or 1) / best.end
            times = f"{best.verdict:8.2f}{best.case:7.2f}{best.score:7.2f}{best.end:7.2f}"
            stages = "".join(f"{best.used.get(column, 0):14.2f}" for column in COLUMNS)
            label = name if root == paths.ROOT else "before"
            print(f"{label:6}{times}{busy:7.0%}{best.processor:7.2f}  {stages}", flush=True)
        if len(totals) == 2:
            print(f"{'':6}{totals[1] / totals[0]:.2f} of the processor seconds", flush=True)


if __name__ == "__main__":
    main()
