"""Makes starter/ from solutions/, and checks that every exercise is complete.

    solutions/starters.py            write starter/labN_*/, replacing its old content
    solutions/starters.py --check    change nothing; print every problem, exit 1 if there is one

Markers in a solution enclose the code that the student has to write:

    /* TODO 1: return the sum of a and b.  (about 1 line) */
    // BEGIN SOLUTION
    // STARTER: (void)a, (void)b;
    // STARTER: return 0;
    return a + b;
    // END SOLUTION

The starter keeps the comment and replaces the region by its STARTER lines. The size in the comment
counts the lines of the region that are neither blank nor STARTER lines.
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
HINTS = 3  # per part
SLACK = 3  # how many lines the size in a comment may be wrong


@dataclass(frozen=True)
class Exercise:
    """One region of a solution, and what the comment above it promises."""

    line: int  # of BEGIN SOLUTION, from 1
    number: int | None  # the n of TODO n; None if there is no numbered TODO directly above
    promised: int | None  # the n of (about n lines)
    lines: int  # of code in the region
    stand_in: list[str]  # the lines of the starter that replace it


class MarkerError(Exception):
    """Markers that do not form pairs. The message names the line."""


def _todo_above(above: list[str]) -> tuple[int | None, int | None]:
    """The TODO number and the promised size, from the comment directly above a region."""
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
    """Returns the starter of a solution and the exercises in it. Raises MarkerError."""
    kept: list[str] = []
    exercises: list[Exercise] = []
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
            exercises.append(Exercise(begin, *_todo_above(kept), len(code), stand_in))
            kept += stand_in
            region = None
        elif region is not None:
            region.append(line)
        else:
            kept.append(line)
    if region is not None:
        raise MarkerError(f"line {begin}: {BEGIN} without {END}")
    return "\n".join(kept) + "\n", exercises


def exercise_problems(exercises: list[Exercise]) -> list[str]:
    """The problems of the exercises in one file. Each begins with "line n:"."""
    problems = [] if exercises else ["line 1: no exercise in this file"]
    for expected, exercise in enumerate(exercises, 1):
        where = f"line {exercise.line}"
        if exercise.number != expected:
            problems.append(f"{where}: no comment 'TODO {expected}:' directly above the region")
        if exercise.promised is None:
            problems.append(f"{where}: the TODO does not say '(about N lines)'")
        elif abs(exercise.promised - exercise.lines) > SLACK:
            problems.append(
                f"{where}: the TODO says 'about {exercise.promised} lines', "
                f"but there are {exercise.lines}"
            )
        if not exercise.stand_in:
            problems.append(f"{where}: no '{STARTER}' line, so the starter would be empty here")
    return problems


def lab_problems(spec: dict[str, Any], folder: str, root: Path = ROOT) -> list[str]:
    """The problems of one lab: in its hints, notes and exercises, and starters out of date."""
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
        target = f"starter/{folder}/{name}"
        if not (root / target).is_file():
            problems.append(f"{target} is missing; run `make starters`")
        elif (root / target).read_text() != starter:
            problems.append(f"{target} differs from what {source} generates; run `make starters`")
    return problems


def solved(text: str) -> str:
    """A solution without the markers and STARTER lines."""
    lines = text.splitlines()
    return "\n".join(s for s in lines if s.strip() not in (BEGIN, END) and STARTER not in s) + "\n"


def specs(root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """Every lab.toml, by the name of the folder of its lab."""
    return {
        file.parent.name: tomllib.loads(file.read_text("utf-8-sig"))
        for file in sorted((root / "labs").glob("lab*_*/lab.toml"))
    }


def problems(root: Path = ROOT) -> list[str]:
    """All problems of the course, one line each."""
    labs = specs(root)
    in_labs = [p for folder, spec in labs.items() for p in lab_problems(spec, folder, root)]
    expected = {f"starter/{folder}/{n}" for folder, spec in labs.items() for n in spec["submit"]}
    files = (file for file in (root / "starter").rglob("*") if not file.is_dir())
    present = {str(file.relative_to(root)) for file in files}
    return in_labs + [f"{stray} belongs to no lab" for stray in sorted(present - expected)]


def write(root: Path = ROOT) -> list[str]:
    """Writes every starter whose content has changed. Returns their paths."""
    written = []
    for folder, spec in specs(root).items():
        for name in spec["submit"]:
            text, _ = split((root / "solutions" / folder / name).read_text())
            file = root / "starter" / folder / name
            if not file.is_file() or file.read_text() != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                written.append(str(file.relative_to(root)))
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description="Make starter/ from solutions/.")
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; print every problem, exit 1 if there is one",
    )
    arguments = parser.parse_args()
    try:
        if not arguments.check:
            for name in write():
                print(f"wrote {name}")
        messages = problems()
    except (OSError, MarkerError) as problem:
        messages = [str(problem)]
    for message in messages:
        print(message, file=sys.stderr)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
