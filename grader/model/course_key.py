"""The hash of every file of the course that can decide a grade: part of a cached grade's key.

Every file counts unless its name is excluded here, so a new package or a new type of file cannot be
forgotten. A file that counts without need costs a grading after it changes; a forgotten one would
keep a stale grade. The hash does not depend on where the course lies, nor on what is left behind by
running or editing it.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Iterator
from fnmatch import translate
from functools import cache
from pathlib import Path

from grader import paths

# At the top, what counts is listed instead: instructors may keep submissions and runs there.
TOP = ("Makefile", "datasets", "grade", "grader", "labs", "solutions")
# Packages that read finished grades, of grader/ and of classroom/.
AFTER = ("assistant", "commands", "release", "render", "schema", "student")
AFTER_IN_CLASS = ("course", "export", "page", "similarity")
EXCLUDED = (  # names of files and folders, at any depth
    "tests",
    "test_*",
    "studies",  # measurements that no grade needs
    *AFTER,
    *AFTER_IN_CLASS,
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
PARTS = {  # of the course, by the beginning of a path
    r"labs/lab\d+_\w+/(lab\.toml|calls\.py)": "the spec",
    r"solutions/[^/]+/hidden\.toml": "the hidden cases",
    r"solutions/": "the solution",
    r"datasets/": "the inputs",
    r"grader/": "the grader",
}
REST = "the course's programs"  # runner, timing, simulator, what builds them
PART_NAMES = (*PARTS.values(), REST)
# What the tables of lab.toml and hidden.toml say to readers. It decides no grade.
WORDS = {"title", "summary", "hints", "hint", "why", "rationale"}
_EXCLUDED = re.compile("|".join(map(translate, EXCLUDED)))
OF_A_LAB = re.compile(r"(lab\d+)[_.]")  # lab3_constant_mask/, lab3.toml


def digest(lab: str) -> bytes:
    """The hash for a lab ("lab3"), computed once per process."""
    return _whole(parts(lab))


def parts(lab: str) -> dict[str, str]:
    """The hash of each part of the course, in words, computed once per process: what changed can
    be distinguished from what did not."""
    return dict(_computed_once(paths.ROOT, lab))


@cache
def _computed_once(root: Path, lab: str) -> dict[str, str]:
    return compute_parts(root, lab)


def compute(root: Path, lab: str) -> bytes:
    """The hash for a lab of the course in `root`, as its files are now."""
    return _whole(compute_parts(root, lab))


def compute_parts(root: Path, lab: str) -> dict[str, str]:
    """As parts(), of the course in `root` as its files are now."""
    hashes = {name: hashlib.sha256() for name in PART_NAMES}
    for path in sorted(_files(root, lab)):
        part = next((name for start, name in PARTS.items() if re.match(start, path)), REST)
        content = _deciding(path, (root / path).read_bytes())
        hashes[part].update(os.fsencode(path) + b"\0" + hashlib.sha256(content).digest())
    return {name: each.hexdigest() for name, each in hashes.items()}


def _deciding(path: str, content: bytes) -> bytes:
    """What of a file can decide a grade: of a lab's TOML files, all but the words."""
    if not path.endswith(("/lab.toml", "/hidden.toml")):
        return content
    try:
        return repr(_without_words(tomllib.loads(content.decode("utf-8-sig")))).encode()
    except (ValueError, RecursionError):  # it cannot be graded by; msgspec says why
        return content


def _without_words(value: object) -> object:
    if isinstance(value, dict):
        return {k: _without_words(v) for k, v in sorted(value.items()) if k not in WORDS}
    return [_without_words(each) for each in value] if isinstance(value, list) else value


def _whole(hashes: dict[str, str]) -> bytes:
    return hashlib.sha256(repr(sorted(hashes.items())).encode()).digest()


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
