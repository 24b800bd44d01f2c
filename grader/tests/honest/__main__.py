"""Grades whole right programs and writes RESULTS.md: each must get all points that are measured.

    python -m grader.tests.honest [PART OF A NAME]

They are the solutions, the experts, the right programs of the zoo, and each file of this folder in
front of a solution: whoever writes such code, too, loses nothing. With a part of a name, RESULTS.md
stays as it is.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.execute import backend
from grader.grading import pipeline
from grader.model import spec
from grader.model import submission as submissions
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.honest.test_honest import FOLDER, LABS
from grader.tests.solutions.test_graded_experts import one_file
from grader.tests.zoo import entries as zoo
from grader.tests.zoo import grading


@dataclass(frozen=True)
class Program:
    kind: str
    name: str
    lab: str
    files: dict[str, str]

    def __str__(self) -> str:
        return f"{self.kind}: {self.lab}/{self.name}"


def programs() -> Iterator[Program]:
    for lab_id in spec.available():
        folder, submit = paths.SOLUTIONS / spec.load(lab_id).folder, spec.load(lab_id).submit
        yield Program("solution", "solution", lab_id, {n: (folder / n).read_text() for n in submit})
        experts = {n: one_file(folder / f"expert{Path(n).suffix}") for n in submit}
        yield Program("expert", "expert", lab_id, experts)
    for entry in zoo.everything():
        if entry.verdict == "right":
            yield Program("zoo", entry.name, entry.lab, zoo.files(entry))
    for file in sorted(FOLDER.glob("*.c*")):
        lab = spec.load(LABS[file.suffix][0])
        (name,) = lab.submit
        solution = (paths.SOLUTIONS / lab.folder / name).read_text()
        yield Program("habit", file.name, lab.id, {name: file.read_text() + solution})


def lost(program: Program) -> tuple[bool, list[str]]:
    """Did it get all points that are measured? And what was said, where it did not."""
    lab = spec.load(program.lab)
    with tempfile.TemporaryDirectory(prefix="honest-") as folder:
        for name, text in program.files.items():
            (Path(folder) / name).write_text(text)
        plan = plan_for(lab, backend.choose(lab, "auto"), timed=False)
        result = pipeline.grade(plan, submissions.find(lab, folder), Observer())
    said = [
        f"{c.name}: {c.verdict}: {' '.join(c.message)[:300]}"
        for c in result.checks
        if c.verdict not in ("pass", "skip") or (c.verdict == "skip" and c.kind != "speed")
    ]
    return 0 < result.score.measured == result.score.earned, said


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
