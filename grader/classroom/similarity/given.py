"""What the course itself gives for a lab: its fingerprints are nobody's own."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from grader import paths
from grader.classroom.similarity.fingerprints import Hashes, prints
from grader.classroom.similarity.names import Names, declared
from grader.classroom.similarity.normalise import normalise
from grader.model.lab import Lab
from grader.source.tree import parse

SOURCES = (".c", ".cu", ".h")
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
    def solutions_own(self) -> Hashes:
        """The fingerprints of the solution that nothing else of the course has, sorted."""
        others = [text for text in self.given if text not in self.solution.values()]
        found = [prints(normalise(text, self.names).segments).all for text in others]
        rest = np.concatenate([np.zeros(1, np.uint64), *found])
        segments = [s for t in self.solution.values() for s in normalise(t, self.names).segments]
        return np.setdiff1d(prints(segments).selected, rest)

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


def _texts(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        return {}
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.suffix in SOURCES}
