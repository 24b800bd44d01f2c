"""The hash of every file of the course that can decide a grade: a part of the key of a kept grade.

Every file counts unless its name is excluded here, so a new package or a new type of file cannot be
forgotten. A file that counts without need costs a grading after it changes; a forgotten one would
keep a stale grade. The hash does not depend on where the course lies, nor on what is left behind by
running or editing it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from fnmatch import translate
from functools import cache
from pathlib import Path

from grader import paths

# At the top, what counts is listed instead: instructors may keep submissions and runs there.
TOP = ("Makefile", "datasets", "grade", "grader", "labs", "solutions")
EXCLUDED = (  # names of files and folders, at any depth
    "tests",
    "test_*",
    "reproduce",  # the experiments of the papers behind the labs
    "*.md",
    ".*",
    # left behind by Python, editors and patch
    "__pycache__",
    "*.pyc",
    "*~",
    "#*#",
    "*.swp",
    "*.bak",
    "*.orig",
    "*.rej",
)
_EXCLUDED = re.compile("|".join(map(translate, EXCLUDED)))
OF_A_LAB = re.compile(r"(lab\d+)[_.]")  # lab3_constant_mask/, lab3.toml


def digest(lab: str) -> bytes:
    """The hash for a lab ("lab3"), computed once per process."""
    return _computed_once(paths.ROOT, lab)


@cache
def _computed_once(root: Path, lab: str) -> bytes:
    return compute(root, lab)


def compute(root: Path, lab: str) -> bytes:
    """The hash for a lab of the course in `root`, as its files are now."""
    whole = hashlib.sha256()
    for path in sorted(_files(root, lab)):
        content = (root / path).read_bytes()
        whole.update(os.fsencode(path) + b"\0" + hashlib.sha256(content).digest())
    return whole.digest()


def _files(root: Path, lab: str) -> Iterator[str]:
    """The files that count, relative to `root`."""
    yield from (name for name in TOP if (root / name).is_file())
    for top in TOP:
        for folder, folders, names in os.walk(root / top):
            folders[:] = [name for name in folders if _counts(name, lab)]
            relative = os.path.relpath(folder, root)
            yield from (f"{relative}/{name}" for name in names if _counts(name, lab))


def _counts(name: str, lab: str) -> bool:
    owner = OF_A_LAB.match(name)
    if owner and owner[1] != lab:
        return False
    return _EXCLUDED.match(name) is None
