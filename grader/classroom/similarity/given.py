"""What the course itself gives for a lab: its fingerprints are nobody's own."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from grader import paths
from grader.classroom.similarity.fingerprints import Hashes, prints
from grader.classroom.similarity.names import Names, declared
from grader.classroom.similarity.normalise import normalise
from grader.classroom.similarity.syntax import Token
from grader.model.lab import Lab
from grader.source.tree import parse

SOURCES = (".c", ".cu", ".h")
HEADING = re.compile(rb"---- part (\w+):")
BORDERS = frozenset(["BORDER_ZERO", "BORDER_REPLICATE"])


@dataclass
class Course:
    """The texts of one lab. `given`: those of starter, solution, headers and baselines."""

    submit: list[str]
    starter: dict[str, bytes]
    solution: dict[str, bytes]
    given: list[bytes]
    names: Names

    @cached_property
    def solution_parts(self) -> dict[str, Hashes]:
        """By part, or by file where it has no headings, the k-grams of the solution's functions; 0
        for those that the rest of the course has, too. What is above the parts is left out."""
        others = [text for text in self.given if text not in self.solution.values()]
        found = [prints(normalise(text, self.names).segments).all for text in others]
        rest = np.concatenate([np.zeros(1, np.uint64), *found])
        segments: dict[str, list[list[Token]]] = {}
        for name, text in self.solution.items():
            parts = _parts(text)
            for segment in normalise(text, self.names).segments:
                part = parts[segment[0].row] if any(parts) else name
                segments.setdefault(part, []).append(segment)
        segments.pop("", None)
        every = {part: prints(own).all for part, own in segments.items()}
        return {part: np.where(np.isin(all_, rest), 0, all_) for part, all_ in every.items()}

    @cached_property
    def base(self) -> Hashes:
        """The k-grams of all that is given, sorted."""
        found = [prints(normalise(text, self.names).segments).all for text in self.given]
        return np.unique(np.concatenate([np.zeros(1, np.uint64), *found]))

    @cached_property
    def starter_lines(self) -> frozenset[bytes]:
        lines = (line.strip() for text in self.starter.values() for line in text.splitlines())
        return frozenset(line for line in lines if line)


def load(lab: Lab) -> Course:
    """Reads a lab's texts. Raises OSError."""
    folder = paths.LABS / lab.folder
    starter = _texts(paths.STARTER / folder.name)
    # Only the files to hand in: nobody arrives at tuned code by following the handout.
    every = _texts(paths.SOLUTIONS / folder.name)
    solution = {name: text for name, text in every.items() if name in lab.submit}
    common = [paths.LABS / "runtime" / name for name in ("mask.h", "border.h")]
    headers = [path.read_bytes() for path in [folder / "lab.h", *common] if path.exists()]
    baselines = [path.read_bytes() for path in sorted(folder.glob("baseline.c*"))]
    given = [*starter.values(), *solution.values(), *headers, *baselines]
    names = Names(BORDERS)
    for header in headers:
        root = parse(header)
        names.fixed |= declared(root)
        names.learn_macros(root)
    return Course(lab.submit, starter, solution, given, names)


def _parts(text: bytes) -> list[str]:
    """Of each line, the part whose heading is above it."""
    parts = [""]
    for each in text.splitlines():
        found = HEADING.search(each)
        parts.append(f"part {found[1].decode()}" if found else parts[-1])
    return parts[1:]


def _texts(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        return {}
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.suffix in SOURCES}
