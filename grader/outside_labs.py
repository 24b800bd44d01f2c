"""Labs outside of this tree: `labs = ["../mylabs"]` in course.toml. The standard library alone.

A folder of that list is laid out as this tree is: labs/labN_*/, solutions/labN_*/, starter/labN_*/
and handouts/labN.md. Each of them gets a link here, so that all of the course finds it where labs
are; a link whose folder is no longer listed goes.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from grader import paths

COURSE = "course.toml"
KINDS = {"labs": "lab*_*", "solutions": "lab*_*", "starter": "lab*_*", "handouts": "lab*.md"}


class OutsideError(Exception):
    """Why labs outside of this tree cannot be used; names the file, and what to do."""


def folders() -> list[Path]:
    """Those that course.toml lists. Raises OutsideError."""
    file = paths.ROOT / COURSE
    try:
        listed = tomllib.loads(file.read_text(encoding="utf-8-sig")).get("labs", [])
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as problem:
        raise OutsideError(f"{COURSE}: {problem}") from problem
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise OutsideError(f'{COURSE}: `labs` is a list of folders, such as ["../mylabs"]')
    found = [(paths.ROOT / name).resolve() for name in listed]
    for name, folder in zip(listed, found, strict=True):
        if not (folder / "labs").is_dir():
            raise OutsideError(f"{COURSE}: '{name}' in `labs` has no folder labs/")
    return found


def links(root: Path) -> list[str]:
    """Where the labs outside of the tree in `root` are linked, by their paths in it. Raises
    OutsideError."""
    if root != paths.ROOT:
        return []
    return [str(there.relative_to(root)) for there, _ in _wanted(folders()) if there.is_symlink()]


def link() -> None:
    """Brings the links up to date. Raises OutsideError."""
    wanted = dict(_wanted(folders()))
    for kind, pattern in KINDS.items():
        for there in (paths.ROOT / kind).glob(pattern):
            if there.is_symlink() and there not in wanted and not there.is_relative_to(paths.BUILD):
                there.unlink()
    for there, target in wanted.items():
        if there.is_symlink() and there.resolve() == target:
            continue
        if there.is_symlink():
            there.unlink()
        if there.exists():
            where = there.relative_to(paths.ROOT)
            raise OutsideError(f"{where} is in this tree and in {target.parent}: rename one")
        there.parent.mkdir(exist_ok=True)
        there.symlink_to(target)


def _wanted(outside: list[Path]) -> Iterator[tuple[Path, Path]]:
    """Each link, and where it leads."""
    seen: dict[Path, Path] = {}
    for folder in outside:
        for kind, pattern in KINDS.items():
            for target in sorted((folder / kind).glob(pattern)):
                there = paths.ROOT / kind / target.name
                if there in seen:
                    raise OutsideError(f"{target} and {seen[there]} have one name: rename one")
                seen[there] = target
    yield from seen.items()
