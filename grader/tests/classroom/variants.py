"""Grades the course's solution in every variant of every lab that has some, and prints a table.

    build/venv/bin/python -m grader.tests.classroom.variants [--draw 100] [lab3 ...]

--draw: those that so many students would get, instead of all there are. Exit status 1 if any has
less than full marks on everything measured.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from grader import paths
from grader.model import outline, spec, variant
from grader.model.lab import Lab


def every(lab: Lab) -> list[dict[str, int]]:
    """All values that students of a lab can get."""
    chosen = itertools.product(*lab.varies.values()) if lab.varies else ()
    return [dict(zip(lab.varies, values, strict=True)) for values in chosen]


def drawn(lab: Lab, count: int) -> list[dict[str, int]]:
    """Those of so many students, each once."""
    found: list[dict[str, int]] = []
    for number in range(count):
        numbers = variant.draw(lab, "a course", f"student{number}@example.org")
        found += [numbers] if numbers and numbers not in found else []
    return found


def hand_in(lab: Lab, stated: dict[str, int], given: dict[str, int], folder: Path) -> None:
    """The solution as a student hands it in who states these values and was given those."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in lab.submit:
        text = (paths.SOLUTIONS / lab.folder / name).read_text(encoding="utf-8")
        (folder / name).write_text("\n".join([*variant.lines(stated), text]), encoding="utf-8")
    (folder / variant.FILE).write_text("\n".join(variant.lines(given)) + "\n", encoding="utf-8")


def graded(lab: Lab, folder: Path) -> dict[str, Any]:
    """The result of ./grade, as convlabs-grade/v1."""
    argv = [sys.executable, str(paths.ROOT / "grade"), lab.id, "--src", str(folder)]
    argv += ["--no-speed", "--no-correct", "--json", str(folder / "result.json")]
    subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    result: dict[str, Any] = json.loads((folder / "result.json").read_bytes())
    return result


def failed(result: dict[str, Any]) -> list[str]:
    """The names of the checks that it did not pass."""
    return [check["name"] for check in result["checks"] if check["verdict"] != "pass"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Grades the solution in every variant.")
    parser.add_argument("labs", nargs="*", metavar="lab3")
    parser.add_argument("--draw", type=int, help="of so many students, instead of all there are")
    arguments = parser.parse_args()
    short = 0
    for lab in map(spec.load, arguments.labs or outline.available()):
        chosen = drawn(lab, arguments.draw) if arguments.draw else every(lab)
        for numbers in chosen:
            with tempfile.TemporaryDirectory() as place:
                hand_in(lab, numbers, numbers, Path(place))
                result = graded(lab, Path(place))
            missed = failed(result)
            short += bool(missed)
            said = "; ".join(missed) or "full marks"
            print(f"{lab.id}  {variant.in_words(numbers)}  {said}", flush=True)
    return short > 0


if __name__ == "__main__":
    sys.exit(main())
