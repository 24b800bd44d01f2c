"""Does noise change a grade?  `make timing-experiment N=50`, about N / 2 minutes.

Grades the speed of a right, a borderline and a slow file of labs 1 and 8 N times each, while a busy
loop runs on every core, and prints how often each verdict occurred. Exits 1 when a right file
failed or a slow one passed. The tables in timing.md are its output.

`make timing-experiment N=5 ONLY="lab1:B lab1:C"` takes other parts than lab 1's B and lab 8's B.
"""

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from grader import paths
from grader.execute import backend
from grader.grading import pipeline
from grader.model import spec
from grader.model import submission as submissions
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.known_submissions import entries

VERDICTS = ("pass", "fail", "uncertain", "error")
FORBIDDEN = {("right", "fail"), ("slow", "pass")}
FILES = ("right", "borderline", "slow")
# What makes a solution do part of its work twice: three rows in seven, or as much of each section.
ROW = "correlate_row(image, width, height, mask, radius, border, y, out + (size_t)y * width);\n"
CALL = "        function(rgb + 3 * first, left < section ? left : section, w, grey + first);\n"
COUNT = "(left < section ? left : section)"
PART = CALL.replace(COUNT[1:-1], f"{COUNT} * 3 / 7 / SECTION * SECTION")
EDITS = {
    ("lab1", "borderline"): (ROW, f"for (int n = y % 7 < 3 ? 2 : 1; n > 0; n--)\n    {ROW}"),
    ("lab8", "borderline"): (CALL, CALL + PART),
    ("lab8", "slow"): (CALL, CALL + CALL),
}


def sources(folder: Path) -> dict[tuple[str, str], Path]:
    """The folder of each file of each lab. right: the solution; borderline: 7/10 of its speed;
    slow: about half of it."""
    folders = {("lab1", "slow"): entries.write(entries.find("lab1/right-gather-by-row"))}
    for (name, kind), (old, new) in EDITS.items():
        lab = spec.load(name)
        copy = shutil.copytree(paths.SOLUTIONS / lab.folder, folder / name / kind)
        file = copy / lab.submit[0]
        text = file.read_text()
        assert old in text, f"the solution of {name} has changed: see EDITS"
        file.write_text(text.replace(old, new))
        folders[name, kind] = copy
    for name in ("lab1", "lab8"):
        folders[name, "right"] = paths.ROOT / "solutions"
    return folders


def graded(lab_id: str, part: str, source: str) -> tuple[str, float | None]:
    """The verdict and the ratio of a part's speed check. To be called in another process than the
    one that started the busy loops: the launcher kills all orphans of the process that uses it."""
    lab = spec.load(lab_id)
    name = next(s.name for s in lab.speed if s.part == part)
    submission = submissions.find(lab, source)
    plan = plan_for(lab, backend.choose(lab, "auto"), pattern=name)
    result = pipeline.grade(plan, submission, Observer())
    (check,) = (c for c in result.checks if c.kind == "speed")
    return check.verdict, check.details.get("ratio")


def main(count: int, parts: list[str]) -> int:
    cores = len(os.sched_getaffinity(0))
    checks = [(lab, part) for lab, _, part in (w.partition(":") for w in parts)]
    verdicts: Counter[tuple[str, str, str, str]] = Counter()
    ratios: dict[tuple[str, str, str], list[float]] = {}
    began = time.monotonic()
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(cores)]
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as grader,
        ):
            files = sources(Path(folder))
            for number in range(count):
                for lab, part in checks:
                    for name in FILES:
                        source = str(files[lab, name])
                        verdict, ratio = grader.submit(graded, lab, part, source).result()
                        verdicts[lab, part, name, verdict] += 1
                        ratios.setdefault((lab, part, name), []).extend([ratio] if ratio else [])
                print(f"{number + 1} of {count}", file=sys.stderr)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    seconds = time.monotonic() - began
    print(f"N = {count} gradings of each, {cores} cores, {cores} busy loops, {seconds:.0f} s\n")
    print(f"| lab | part | file | {' | '.join(VERDICTS)} | ratios |")
    print("|---|---|---|" + "---|" * (len(VERDICTS) + 1))
    for (lab, part, name), measured in ratios.items():
        counts = " | ".join(str(verdicts[lab, part, name, v]) for v in VERDICTS)
        span = f"{min(measured):.2f} to {max(measured):.2f}" if measured else "none"
        print(f"| {lab} | {part} | {name} | {counts} | {span} |")
    return int(any(verdicts[*check, name, v] for name, v in FORBIDDEN for check in checks))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:] or ["lab1:B", "lab8:B"]))
