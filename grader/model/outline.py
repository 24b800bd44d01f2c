"""What can be said of a lab without grading it, read from labs/labN_*/lab.toml.

`./grade list` and `./grade hint` run before anything is installed, so this module uses the standard
library alone. spec.py reads and checks all of the file.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader import paths


class SpecError(Exception):
    """A lab.toml that is missing, damaged or contradicts itself. The course's fault, never the
    student's."""


@dataclass(frozen=True)
class Part:
    """A part of a lab, and its hints from the gentlest to the last."""

    id: str
    title: str
    hints: tuple[str, ...]


@dataclass(frozen=True)
class Outline:
    """A lab's name, the files that a student edits, and its parts. `folder` is labN_*."""

    id: str
    title: str
    folder: str
    submit: tuple[str, ...]
    parts: tuple[Part, ...]


def available() -> dict[str, Path]:
    """Every lab by its id ("lab3"), in order, with the path of its lab.toml."""
    files = {f.parent.name.split("_")[0]: f for f in paths.LABS.glob("lab*_*/lab.toml")}
    return {lab: files[lab] for lab in in_order(files)}


def in_order(labs: Iterable[str]) -> list[str]:
    """The labs by their numbers, each once: lab2 before lab10."""
    return sorted(set(labs), key=lambda lab: (int(re.sub(r"\D", "", lab) or 0), lab))


def load(lab_id: str) -> Outline:
    """The outline of a lab. Raises SpecError when its file is missing or damaged."""
    file = available().get(lab_id)
    if file is None:
        raise SpecError(f"there is no {lab_id} in labs/")
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        return Outline(
            id=str(table["id"]),
            title=str(table["title"]),
            folder=file.parent.name,
            submit=tuple(map(str, table["submit"])),
            parts=tuple(
                Part(str(part["id"]), str(part["title"]), tuple(map(str, part["hints"])))
                for part in table["part"]
            ),
        )
    except KeyError as missing:
        problem: object = f"the key {missing} is missing"
    # tomllib's own error is a ValueError.
    except (OSError, ValueError, TypeError, RecursionError) as damage:
        problem = damage
    raise SpecError(f"{file.relative_to(paths.ROOT)}: {problem}")


def title(lab_id: str) -> str:
    """The title of a lab; "" where the course, unlike an earlier run, has no such lab."""
    try:
        return load(lab_id).title
    except SpecError:
        return ""
