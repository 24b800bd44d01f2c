"""Fills the generated blocks of the handouts, README.md and CONTRIBUTING.md.

python -m handouts.facts            fill the blocks of these pages
python -m handouts.facts --check    change nothing; name each stale or broken block and each
                                    quoted TODO that has moved; exit 1 if any

Run it with the project's Python, build/venv/bin/python. A block begins with `<!-- KIND ARGUMENT:
begin -->` and ends with the same mark with `end`, each in a line of its own. The kinds, and the
files that fill them:

limits PART       limits of the technique checks of a part          labs/labN_*/lab.toml
checks all        the checks of a lab, with points                  labs/labN_*/lab.toml
mistakes all      what the grader names in a lab                    grader/diagnose/mistakes.toml
mistakes explained                  all of it, with pictures        grader/diagnose/mistakes.toml
experiment SOURCE [SIZE]            times in a source's experiment  labs/studies/reproduce/
source reproduced                   what a source published, too    labs/studies/reproduce/
timed bench       times next to baseline and libraries              labs/studies/bench/results/
counted sim       their counters on the simulator                   counted.json of this folder
bench results     a few times, in README.md         labs/studies/bench/results/
badges links      where the course runs, in README.md               pyproject.toml
packages grader   packages of CONTRIBUTING.md, by layers            pyproject.toml, docstrings
"""

import argparse
import sys
from pathlib import Path

from grader import files, paths
from grader.model.outline import SpecError
from handouts.facts import blocks, kinds, quoted_todos
from handouts.facts.blocks import Problem

COMMAND = "python -m handouts.facts"


def update(root: Path, name: Path, check: bool) -> list[str]:
    """Fills the blocks of the page root/name, or with `check` only compares them. Returns a line
    for each thing to tell: what is wrong with the page or, with `check`, stale."""
    page = root / name
    try:
        old = page.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        return [f"{name}: cannot be read: {error}"]
    new, problems, stale = blocks.fill(old, lambda block: kinds.content(page.name, block))
    found, _ = blocks.find(old.splitlines())
    problems += [
        Problem(len(old.splitlines()), wanted, "has no marks: this page needs the block")
        for wanted in kinds.missing(page.name, found)
    ]
    told = [_line(name, problem) for problem in problems]
    told += [
        f"{name}:{line}: quotes a TODO at {place}, where there is none: quote the grade again"
        for line, place in quoted_todos.stale(old, paths.ROOT)
    ]
    if check:
        told += [f"{_line(name, problem)}; run {COMMAND}" for problem in stale]
    elif new != old:
        try:
            files.replace(page, new.encode())
        except OSError as error:
            return [*told, f"{name}: cannot be written: {error}"]
        print(f"{name} written: {', '.join(problem.block for problem in stale)}")
    return told


def _line(page: Path, problem: Problem) -> str:
    return f"{page}:{problem.line}: the block '{problem.block}' {problem.text}"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description="Fill the generated blocks of the handouts, README.md and CONTRIBUTING.md.",
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; name each stale or broken block"
    )
    check = parser.parse_args().check
    try:
        told = [
            line
            for page in sorted(paths.ROOT.glob("handouts/*.md")) + sorted(paths.ROOT.glob("*.md"))
            for line in update(paths.ROOT, page.relative_to(paths.ROOT), check)
        ]
    except SpecError as error:
        told = [str(error)]
    for line in told:
        print(line)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
