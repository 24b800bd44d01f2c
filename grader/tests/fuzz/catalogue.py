"""The targets, by name: those in targets/ read with Python, those in c/ with C."""

import importlib
from collections.abc import Iterator
from pathlib import Path

from grader.tests.fuzz import c_seeds

HERE = Path(__file__).parent
PYTHON = sorted(file.stem for file in (HERE / "targets").glob("[a-z]*.py"))
C = sorted(c_seeds.SEEDS)
TARGETS = [*PYTHON, *C]


def seeds(name: str) -> Iterator[bytes]:
    """The inputs that a target begins with."""
    if name in C:
        return c_seeds.SEEDS[name]()
    first: Iterator[bytes] = importlib.import_module(f"grader.tests.fuzz.targets.{name}").seeds()
    return first
