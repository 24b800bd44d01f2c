"""Writes RESULTS.md from the outcomes that run.py left: `before.csv` of an older version of the
simulator, `outcomes.csv` of this one, `h200.csv` of a device; `hecbench.csv` is of hecbench.py."""

from collections import Counter
from pathlib import Path

from labs.tests.programs.run import RIGHT, OutcomeRow, rows_of, table

HERE = Path(__file__).resolve().parent
TABLES = {"Not right": "reason", "Broken": "broken", "Need a library or a feature": "needs"}
HEAD = """# Programs of other projects on the simulator

Written by `make programs-table` from `before.csv`, `outcomes.csv`, `h200.csv` and `hecbench.csv`.
Do not edit.

The programs are unmodified; `repositories.csv` lists their repositories and commits, `programs.csv`
their files and arguments. `make programs FROM=folder` runs them again, for 300 s each; those that
were *stopped* here had the time that their row names, some on a busy machine. *Right* is an exit
status of 0, no failure in the output, and the program's own "passed" where it has one. A program
that says itself what this device lacks (a second GPU) is *waived* and counts as right. A program
that *needs* a library or a feature which the simulator refuses by name is not expected to run, nor
is a *broken* one, which is not right on a device either. *Before* is the simulator before it ran
programs of others; it stopped each after 100 s.

`h200.csv` has the outcomes of the programs that need no library with nvcc 13.0 on an H200
(driver 580.159.04, 2026-11-22, `python -m labs.tests.programs.run --nvcc --supported --jobs 16
--seconds 60`). *Also there*: of the programs that end right there, how many do so here. Programs
with functions that CUDA 13 has removed do not build there.

| repository | commit | all | need a library | broken | right before | right now | | also there |
|---|---|---|---|---|---|---|---|---|
"""

BROKEN = ("wrong", "crashed", "does not build")
HECBENCH = """
## HeCBench

The programs of [HeCBench](https://github.com/zjin-lcf/HeCBench) at commit f27000a5, with the files,
options and arguments of their Makefiles (`hecbench.csv`, `make hecbench FROM=folder`); where one
does not end in time, with fewer repeats and smaller sizes. An outcome of *wrong* on the H200 may be
compute-sanitizer's. Each has 60 s: here on two cores; those that are *stopped* had eight of an
H200's host, too (2026-11-28), and 30 s on the GPU. All that had been right, 301, ran again with the
same arguments after the rules for the order of evaluation (2026-11-28, 16 to 32 cores, up to ten
programs at a time; two cores for three of them): 299 are right; simplemoc and geglu do not end in
time. Below: those that are not right here, and why; where the time of one that does not end goes
was measured for 20 s of its run.

| programs | |
|---|--:|
"""


def main() -> None:
    before, now = rows_of(HERE / "before.csv"), rows_of(HERE / "outcomes.csv")
    device = rows_of(HERE / "h200.csv")
    lines, total = [], Counter[str]()
    for repository in table(HERE / "repositories.csv"):
        name = repository["name"]
        rows = [row for row in now.values() if row["program"].split("/")[0] == name]
        free = [row for row in rows if not row["needs"] and not row["broken"]]
        counts = Counter(
            programs=len(rows),
            free=len(free),
            broken=sum(bool(row["broken"]) for row in rows),
            was=sum(is_right(before.get(row["program"])) for row in free),
            right=sum(is_right(row) for row in free),
            there=sum(is_right(device.get(row["program"])) for row in free),
            both=sum(is_right(row) and is_right(device.get(row["program"])) for row in free),
        )
        total += counts
        lines.append(row_of(f"[{name}]({repository['url']})", repository["commit"][:8], counts))
    lines.append(row_of("all", "", total))
    text = HEAD + "\n".join(lines)
    for title, column in TABLES.items():
        text += f"\n\n## {title}\n\n| program | outcome | reason |\n|---|---|---|\n"
        text += "\n".join(
            f"| {row['program']} | {row['outcome']} | {cell(row[column])} |"
            for row in now.values()
            if column_of(row) == column
        )
    (HERE / "RESULTS.md").write_text(f"{text}\n{hecbench(table(HERE / 'hecbench.csv'))}")


def hecbench(rows: list[OutcomeRow]) -> str:
    """The outcomes that hecbench.py left."""
    free = [row for row in rows if not row["needs"]]
    built = [row for row in free if row["here"] not in ("refused", "does not build")]
    right = [row for row in free if row["here"] in RIGHT]
    there = [row for row in free if row["gpu"] in RIGHT]
    broken = [row for row in free if row not in right and row["gpu"] in BROKEN]
    eight = [row for row in free if row not in right and row["eight"] in RIGHT]
    counts = {
        "all": len(rows),
        "need a library, a feature that the simulator refuses, or data": len(rows) - len(free),
        "the others": len(free),
        "of these build": len(built),
        "of these right": len(right),
        "of the others right with eight cores": len(eight),
        "of the others wrong on the H200, too": len(broken),
        "of these run on the H200, and right there": len(there),
        "of those right here": sum(row in right for row in there),
    }
    text = HECBENCH + "".join(f"| {name} | {count} |\n" for name, count in counts.items())
    text += "\n| program | arguments | here | eight cores | H200 | reason |\n"
    text += "|---|---|---|---|---|---|\n"
    for row in free:
        if row not in right:
            words = [row[c] for c in ("program", "arguments", "here", "eight", "gpu")]
            why = row["cause"] or row["gpu_reason"] or row["reason"]
            text += f"| {' | '.join(map(cell, words))} | {cell(why)} |\n"
    return text


def is_right(row: OutcomeRow | None) -> bool:
    return row is not None and row["outcome"] in RIGHT


def column_of(row: OutcomeRow) -> str | None:
    """The column that says why a program is not right; None for one that is."""
    if row["broken"]:
        return "broken"
    if row["needs"]:
        return "needs"
    return None if is_right(row) else "reason"


def row_of(name: str, commit: str, counts: Counter[str]) -> str:
    share = f"{counts['right'] / counts['free']:.0%}" if counts["free"] else "–"
    broken = counts["broken"]
    needing = counts["programs"] - counts["free"] - broken
    numbers = [counts["programs"], needing, broken, counts["was"], counts["right"]]
    cells = " | ".join(map(str, numbers))
    return f"| {name} | {commit} | {cells} | {share} | {counts['both']} of {counts['there']} |"


def cell(text: str) -> str:
    """Text of a compiler or a program inside a table."""
    return "".join(c if c.isprintable() else "?" for c in text).replace("|", "\\|")


if __name__ == "__main__":
    main()
