"""Writes RESULTS.md from the outcomes that run.py left: `before.csv` of an older version of the
simulator, `outcomes.csv` of this one."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from labs.tests.programs.run import RIGHT, rows_of

HERE = Path(__file__).resolve().parent
TABLES = {"Not right": "reason", "Broken": "broken", "Need a library or a feature": "needs"}
HEAD = """# Programs of other projects on the simulator

Written by `make programs-table` from `before.csv` and `outcomes.csv`. Do not edit.

The programs are unmodified; `programs.toml` lists their repositories, commits, files and
arguments. `make programs FROM=folder` runs them again. *Right* is an exit status of 0, no failure
in the output, and the program's own "passed" where it has one. A program that says itself what this
device lacks (a second GPU) is *waived* and counts as right. A program that *needs* a library or a
feature which the simulator refuses by name is not expected to run, nor is a *broken* one, which is
not right on a device either. *Before* is the simulator before it ran programs of others; it stopped
each after 100 s.

| repository | commit | programs | need a library | broken | others: right before | right now | |
|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    before, now = rows_of(HERE / "before.csv"), rows_of(HERE / "outcomes.csv")
    lines, total = [], Counter[str]()
    for repository in tomllib.loads((HERE / "programs.toml").read_text())["repository"]:
        name = repository["name"]
        rows = [row for row in now.values() if row["program"].split("/")[0] == name]
        free = [row for row in rows if not row["needs"] and not row["broken"]]
        broken = sum(bool(row["broken"]) for row in rows)
        was = sum(before.get(r["program"], {}).get("outcome") in RIGHT for r in free)
        right = sum(row["outcome"] in RIGHT for row in free)
        counts = Counter(programs=len(rows), free=len(free), broken=broken)
        counts.update(was=was, right=right)
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
    (HERE / "RESULTS.md").write_text(text + "\n")


def column_of(row: dict[str, str]) -> str | None:
    """The column that says why a program is not right; None for one that is."""
    if row["broken"]:
        return "broken"
    if row["needs"]:
        return "needs"
    return None if row["outcome"] in RIGHT else "reason"


def row_of(name: str, commit: str, counts: Counter[str]) -> str:
    share = f"{counts['right'] / counts['free']:.0%}" if counts["free"] else "–"
    broken = counts["broken"]
    needing = counts["programs"] - counts["free"] - broken
    numbers = [counts["programs"], needing, broken, counts["was"], counts["right"]]
    return f"| {name} | {commit} | " + " | ".join(map(str, numbers)) + f" | {share} |"


def cell(text: str) -> str:
    """Text of a compiler or a program inside a table."""
    return "".join(c if c.isprintable() else "?" for c in text).replace("|", "\\|")


if __name__ == "__main__":
    main()
