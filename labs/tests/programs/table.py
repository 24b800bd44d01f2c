"""Writes RESULTS.md from the outcomes that run.py left: `before.csv` of an older version of the
simulator, `outcomes.csv` of this one."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
RIGHT = ("right", "waived")
HEAD = """# Programs of other projects on the simulator

Written by `make programs-table` from `before.csv` and `outcomes.csv`. Do not edit.

The programs are unmodified; `programs.toml` lists their repositories, commits, files and
arguments. `make programs FROM=folder` runs them again. *Right* is an exit status of 0, no failure
in the output, and the program's own "passed" where it has one. A program that says itself what this
device lacks (a second GPU) is *waived* and counts as right. A program that *needs* a library or a
feature which the simulator refuses by name is not expected to run. *Before* is the simulator
before it ran programs of others; it stopped each after 100 s.

| repository | commit | programs | need a library | of the others: right before | right now | |
|---|---|---|---|---|---|---|
"""


def outcomes(name: str) -> dict[str, dict[str, str]]:
    """The rows of a file of run.py by the program's name."""
    with (HERE / name).open(newline="") as file:
        return {row["program"]: row for row in csv.DictReader(file)}


def main() -> None:
    before, now = outcomes("before.csv"), outcomes("outcomes.csv")
    lines, total = [], Counter[str]()
    for repository in tomllib.loads((HERE / "programs.toml").read_text())["repository"]:
        name = repository["name"]
        rows = [row for row in now.values() if row["program"].split("/")[0] == name]
        free = [row for row in rows if not row["needs"]]
        was = sum(before.get(r["program"], {}).get("outcome") in RIGHT for r in free)
        right = sum(row["outcome"] in RIGHT for row in free)
        counts = Counter(programs=len(rows), free=len(free), was=was, right=right)
        total += counts
        lines.append(row_of(f"[{name}]({repository['url']})", repository["commit"][:8], counts))
    lines.append(row_of("all", "", total))
    text = HEAD + "\n".join(lines)
    for title, needed in (("Not right", False), ("Need a library or a feature", True)):
        text += f"\n\n## {title}\n\n| program | outcome | reason |\n|---|---|---|\n"
        text += "\n".join(
            f"| {r['program']} | {r['outcome']} | {r['needs'] if needed else cell(r['reason'])} |"
            for r in now.values()
            if bool(r["needs"]) == needed and (needed or r["outcome"] not in RIGHT)
        )
    (HERE / "RESULTS.md").write_text(text + "\n")


def row_of(name: str, commit: str, counts: Counter[str]) -> str:
    share = f"{counts['right'] / counts['free']:.0%}" if counts["free"] else "–"
    needing = counts["programs"] - counts["free"]
    numbers = [counts["programs"], needing, counts["was"], counts["right"]]
    return f"| {name} | {commit} | " + " | ".join(map(str, numbers)) + f" | {share} |"


def cell(text: str) -> str:
    """Text of a compiler or a program inside a table."""
    return "".join(c if c.isprintable() else "?" for c in text).replace("|", "\\|")


if __name__ == "__main__":
    main()
