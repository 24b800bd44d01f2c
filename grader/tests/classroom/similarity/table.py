"""Writes grader/classroom/similarity/RESULTS.md: copies found, false alarms, time and memory."""

import os
import platform
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from grader import paths
from grader.classroom.similarity import given, likeness
from grader.model import spec
from grader.tests.classroom.similarity import planted, programs

OUT = paths.ROOT / "grader" / "classroom" / "similarity" / "RESULTS.md"
HELD_OUT = ("lab2", "lab4", "lab5", "lab6", "lab7")  # the limits were not chosen with these
CLASSES = (30, 300)
HEAD = """\
# Similar submissions: what was measured

Made by `make similarity-table`. {count} independent programs a lab: each fills in the starter in a
way of its own, or is a whole known submission. One author wrote most of them; a real class may be
more or less alike. The limits ({score:.0%} of the own fingerprints, or a run of {run} own tokens)
were chosen with labs 1 and 3, so the false alarms there are no independent figure; the held-out
labs are, with the few right known submissions of each that are whole files.
Of 40 independent programs a lab (780 pairs), of which those that are most alike were kept, none was
listed.
"""
COMPARED = """
## Against compare50

compare50 1.2.15 ranked the same files: the pass `structure`, with starter, solution and headers as
the distributed code. It has no limit above which a pair is suspicious; it shows the first N pairs.
A copy counts as found if it ranks above every pair of independent programs.

| | ours | compare50 |
|---|---|---|
| lab1, 41 independent programs: copies found | 24 of 24 | 23 of 24 |
| lab3, 40 independent programs: copies found | 24 of 24 | 24 of 24 |
| independent pairs as high as the lowest copy | 0 of 1600 | 1 of 1600 |
| held-out labs: pairs above a limit | 1 of 72 | 0 of 72, with a limit chosen afterwards |
| packages to install | none | about 30 MB |

The figures are equal, so other reasons decide, and ours stays: a class without copies gets an empty
list from ours, and N pairs from compare50; compare50 asks for attrs below 21, and jsonschema, which
the tests use, for 22.2 or above; its licence is the GPL, and this project's is MIT. Who is in a
group, what the course gives and the page of a pair would be needed with it, too.
"""


def copies() -> list[str]:
    lines = [
        "| lab | copy | found / planted | lowest score | shortest run (tokens) |",
        "|---|---|---|---|---|",
    ]
    for lab in planted.LABS:
        codes = programs.independent(lab)
        plants = planted.plants(lab)
        found = planted.compared(lab, codes | {plant.name: plant.code for plant in plants})
        scores = planted.scores(found)
        for kind in dict.fromkeys(plant.kind for plant in plants):
            of_kind = [plant for plant in plants if plant.kind == kind]
            hits = [scores.get(frozenset((p.source, p.name))) for p in of_kind]
            listed = [hit for hit in hits if hit is not None]
            low = (
                f"{min(s for s, _ in listed):.0%} | {min(r for _, r in listed)}" if listed else "|"
            )
            lines.append(f"| {lab} | {kind} | {len(listed)} / {len(of_kind)} | {low} |")
    return lines


def alarms() -> list[str]:
    lines = [
        "| lab | independent programs | compared | pairs | listed (false alarms) | highest score "
        "| longest run (tokens) |",
        "|---|---|---|---|---|---|---|",
    ]
    for lab in (*planted.LABS, *HELD_OUT):
        codes = programs.independent(lab)
        found = planted.compared(lab, codes)
        score, run = highest(lab, codes)
        held = "" if lab in planted.LABS else " (held out)"
        lines.append(
            f"| {lab}{held} | {len(codes)} | {found.compared} | {found.pair_count} "
            f"| {len(planted.found_pairs(found))} | {score:.0%} | {run} |"
        )
    return lines


def highest(lab: str, codes: dict[str, bytes]) -> tuple[float, int]:
    """The highest score and the longest run of any pair, listed or not."""
    texts = given.load(spec.load(lab))
    file = programs.file_of(lab)
    everyone = [likeness.program(name, {file: code}, texts) for name, code in codes.items()]
    large = [p for p in everyone if len(p.prints.selected) >= likeness.FEWEST_OWN]
    best, longest = 0.0, 0
    for a, b in combinations(large, 2):
        shared = len(np.intersect1d(a.prints.selected, b.prints.selected))
        best = max(best, shared / min(len(a.prints.selected), len(b.prints.selected)))
        longest = max(
            longest,
            likeness.longest_run(*(likeness.own_hashes(p.prints.all, texts.base) for p in (a, b))),
        )
    return best, longest


def classes() -> list[str]:
    lines = [
        "| class | pairs | time | CPU time | most memory |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for lab in ("lab3", "lab4"):
            for students in CLASSES:
                run = Path(folder) / f"{lab}-{students}"
                made = [sys.executable, "-m", "grader.tests.classroom.similarity.made_class"]
                subprocess.run([*made, str(run), lab, str(students)], check=True)
                command = [sys.executable, "-m", "grader", "similarity", str(run)]
                started = time.monotonic()
                process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
                _, status, usage = os.wait4(process.pid, 0)
                seconds = time.monotonic() - started
                process.returncode = status
                cpu = usage.ru_utime + usage.ru_stime
                assert status == 0
                lines.append(
                    f"| {students} x {lab} | {students * (students - 1) // 2} | {seconds:.1f} s "
                    f"| {cpu:.1f} s | {usage.ru_maxrss / 1024:.0f} MB |"
                )
    return lines


def main() -> None:
    counts = min(len(programs.independent(lab)) for lab in planted.LABS)
    head = HEAD.format(count=counts, score=likeness.LEAST_SCORE, run=likeness.LEAST_RUN)
    machine = (
        f"\n## Time and memory\n\nOn {platform.platform()}, {os.cpu_count()} cores. The load "
        f"average at the start was {os.getloadavg()[0]:.1f}, from other programs.\n"
        "A class has different files, made from the programs above by changing a third of the\n"
        "operators and adding statements; lab4's are larger, from four programs.\n"
    )
    parts = [
        head,
        "\n## Copies\n",
        *copies(),
        "\n## False alarms\n",
        *alarms(),
        machine,
        *classes(),
        COMPARED.rstrip("\n"),
    ]
    OUT.write_text("\n".join(parts) + "\n")
    print(OUT)


if __name__ == "__main__":
    main()
