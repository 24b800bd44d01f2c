"""Draws the figures of the handouts as SVG. The same drawing gives the same bytes.

python -m handouts.drawing            write handouts/figures/*.svg
python -m handouts.drawing --check    change nothing; name the figures that differ: exit 1

`python -m handouts.drawing.terminal` draws grade.svg, which moves: it runs the grader.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from handouts.drawing import (
    badges,
    lab1,
    lab2,
    lab3,
    lab4,
    lab5,
    lab6,
    lab7,
    lab8,
    performance,
    prediction,
    shared_memory,
)
from handouts.drawing.canvas import Drawing

FOLDER = Path(__file__).resolve().parent.parent / "figures"
LABS = (lab1, lab2, lab3, lab4, lab5, lab6, lab7, lab8)
MODULES = (*LABS, shared_memory, performance, prediction, badges)


def figures() -> dict[str, Callable[[], Drawing]]:
    """Every figure by the name of its file: each function that takes nothing and returns a Drawing.
    Raises ValueError where two have one name."""
    all_of_them: dict[str, Callable[[], Drawing]] = {}
    for name, function in (pair for module in MODULES for pair in vars(module).items()):
        if getattr(function, "__annotations__", None) == {"return": Drawing}:
            if name in all_of_them:
                raise ValueError(f"two figures are called {name}")
            all_of_them[name] = function
    return all_of_them


def main(folder: Path, arguments: list[str]) -> int:
    """Writes the figures, or compares them. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m handouts.drawing", description="Draw the figures of the handouts."
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; name the figures that differ"
    )
    check = parser.parse_args(arguments).check
    folder.mkdir(exist_ok=True)
    differing = []
    for name, draw in figures().items():
        path, svg = folder / f"{name}.svg", draw().svg()
        if not path.is_file() or path.read_text(encoding="utf-8") != svg:
            differing.append(f"handouts/figures/{name}.svg")
            if not check:
                path.write_text(svg, encoding="utf-8")
    for name in differing:
        print(
            f"{name} is not what its script draws; run python -m handouts.drawing"
            if check
            else f"wrote {name}"
        )
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main(FOLDER, sys.argv[1:]))
