"""Makes starter/ from solutions/, and checks that every exercise is whole.

    solutions/starters.py            write starter/labN_*/ (what was there is replaced) and the
                                     copy in labs/labN_*/starter/, from which `./grade reset`
                                     restores it: what students get has no solutions/
    solutions/starters.py --check    change nothing; say what is wrong, exit 1 when something is

A solution marks what the student is to write:

    /* TODO 1: return the sum of a and b.  (about 1 line) */
    // BEGIN SOLUTION
    // STARTER: (void)a, (void)b;
    // STARTER: return 0;
    return a + b;
    // END SOLUTION

The starter keeps the comment and has the STARTER lines in place of the region. The size in the
comment counts the lines of the region that are neither blank nor STARTER lines.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END, STARTER = "// BEGIN SOLUTION", "// END SOLUTION", "// STARTER:"
HINTS = 3  # a part has this many
SLACK = 3  # lines that "about" may be off


@dataclass(frozen=True)
class Exercise:
    """One region of a solution, with what its comment says about it."""

    line: int  # of BEGIN SOLUTION, from 1
    number: int | None  # TODO n; None when no numbered TODO stands directly above
    promised: int | None  # (about n lines)
    lines: int  # that it really has
    stand_in: list[str]  # what the starter has instead


class MarkerError(Exception):
    """Markers that do not pair up. The message names the line."""


def _todo_above(above: list[str]) -> tuple[int | None, int | None]:
    """The number and the promised size of the comment that ends right above a region."""
    start = len(above)
    if start and above[-1].rstrip().endswith("*/"):
        while start and "/*" not in above[start - 1]:
            start -= 1
        start -= 1
    comment = " ".join(line.strip().lstrip("* ") for line in above[start:])
    todo = re.match(r"/?\*? ?TODO (\d+):", comment)
    size = re.search(r"\(about (\d+) lines?\)", comment)
    return (int(todo[1]) if todo else None, int(size[1]) if size else None)


def split(text: str) -> tuple[str, list[Exercise]]:
    """The starter of a solution, and the exercises in it. Raises MarkerError."""
    kept: list[str] = []
    found: list[Exercise] = []
    region: list[str] | None = None
    begin = 0
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare == BEGIN:
            if region is not None:
                raise MarkerError(f"line {number}: {BEGIN} inside the region of line {begin}")
            region, begin = [], number
        elif bare == END:
            if region is None:
                raise MarkerError(f"line {number}: {END} without {BEGIN}")
            stand_in = [r.replace(f"{STARTER} ", "", 1) for r in region if STARTER in r]
            code = [r for r in region if STARTER not in r and r.strip()]
            found.append(Exercise(begin, *_todo_above(kept), len(code), stand_in))
            kept += stand_in
            region = None
        elif region is not None:
            region.append(line)
        else:
            kept.append(line)
    if region is not None:
        raise MarkerError(f"line {begin}: {BEGIN} without {END}")
    return "\n".join(kept) + "\n", found


def exercise_problems(exercises: list[Exercise]) -> list[str]:
    """What is wrong with the exercises of one file, each line beginning with "line n"."""
    problems = [] if exercises else ["line 1: no exercise in this file"]
    for expected, exercise in enumerate(exercises, 1):
        where = f"line {exercise.line}"
        if exercise.number != expected:
            problems.append(f"{where}: no comment 'TODO {expected}:' right above the region")
        if exercise.promised is None:
            problems.append(f"{where}: the TODO does not say '(about N lines)'")
        elif abs(exercise.promised - exercise.lines) > SLACK:
            problems.append(
                f"{where}: 'about {exercise.promised} lines', but it has {exercise.lines}"
            )
        if not exercise.stand_in:
            problems.append(f"{where}: no '{STARTER}' line, so the starter has nothing here")
    return problems


def lab_problems(spec: dict[str, Any], folder: str, root: Path = ROOT) -> list[str]:
    """What is wrong with one lab, its starter compared with what it must be."""
    problems = []
    for part in spec["part"]:
        hints = [hint for hint in part.get("hints", []) if hint.strip()]
        if len(hints) != HINTS or len(part["hints"]) != HINTS:
            problems.append(f"labs/{folder}/lab.toml: part {part['id']} must have {HINTS} hints")
    if not (root / "solutions" / folder / "notes.md").is_file():
        problems.append(f"solutions/{folder}/notes.md is missing")
    for name in spec["submit"]:
        source = f"solutions/{folder}/{name}"
        try:
            starter, exercises = split((root / source).read_text())
        except FileNotFoundError:
            problems.append(f"{source} is missing")
            continue
        except MarkerError as mistake:
            problems.append(f"{source}, {mistake}")
            continue
        problems += [f"{source}, {problem}" for problem in exercise_problems(exercises)]
        problems += [
            f"{source}: '{marker}' would be left in the starter"
            for marker in ("BEGIN SOLUTION", "END SOLUTION", "STARTER")
            if marker in starter
        ]
        for target in targets(folder, name):
            if not (root / target).is_file():
                problems.append(f"{target} is missing; run `make starters`")
            elif (root / target).read_text() != starter:
                problems.append(f"{target} is not what {source} gives; run `make starters`")
    return problems


def targets(folder: str, name: str) -> tuple[str, str]:
    """Where a starter stands: what the student edits, and the copy that stays as it is."""
    return f"starter/{folder}/{name}", f"labs/{folder}/starter/{name}"


def solved(text: str) -> str:
    """A solution without the marks that only this file needs."""
    lines = text.splitlines()
    return "\n".join(s for s in lines if s.strip() not in (BEGIN, END) and STARTER not in s) + "\n"


def specs(root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """Every lab.toml by the name of its lab's folder."""
    return {
        file.parent.name: tomllib.loads(file.read_text())
        for file in sorted((root / "labs").glob("lab*_*/lab.toml"))
    }


def problems(root: Path = ROOT) -> list[str]:
    """All that is wrong, one line each."""
    labs = specs(root)
    found = [p for folder, spec in labs.items() for p in lab_problems(spec, folder, root)]
    wanted = {
        t for folder, spec in labs.items() for n in spec["submit"] for t in targets(folder, n)
    }
    places = [root / "starter", *(root / "labs" / folder / "starter" for folder in labs)]
    present = {str(f.relative_to(root)) for p in places for f in p.rglob("*") if not f.is_dir()}
    return found + [f"{stray} belongs to no lab" for stray in sorted(present - wanted)]


def write(root: Path = ROOT) -> list[str]:
    """Writes every starter whose content changes. Returns their names."""
    written = []
    for folder, spec in specs(root).items():
        for name in spec["submit"]:
            text, _ = split((root / "solutions" / folder / name).read_text())
            for target in targets(folder, name):
                file = root / target
                if not file.is_file() or file.read_text() != text:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text)
                    written.append(target)
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description="Make starter/ from solutions/.")
    parser.add_argument("--check", action="store_true", help="change nothing, report, exit 1")
    arguments = parser.parse_args()
    try:
        if not arguments.check:
            for name in write():
                print(f"wrote {name}")
        found = problems()
    except (OSError, MarkerError) as problem:
        found = [str(problem)]
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
