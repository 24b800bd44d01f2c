"""The key of a grade: the hash of all that goes into it. The same key, the same grade."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader import __version__, paths
from grader.model.spec import Lab
from grader.sandbox import bubblewrap


@dataclass(frozen=True)
class How:
    """What a run was asked for beyond the submissions. `seconds`: the limit of a case, in place of
    the lab's; None: the lab's own."""

    backend: str = "auto"
    timed: bool = True
    seconds: float | None = None
    pages: bool = True  # report.html for each


def key(lab: Lab, backend: str, how: How, contents: Mapping[str, bytes]) -> str:
    made = hashlib.sha256()
    tier = bubblewrap.tier(backend == "gpu")
    made.update(repr((course(lab.folder, lab.id), tier, backend, how.timed)).encode())
    made.update(repr((how.seconds, how.pages)).encode())
    for name, content in sorted(contents.items()):
        made.update(f"{name}\0{len(content)}\0".encode() + content)
    return made.hexdigest()


@cache
def course(folder: str, lab: str) -> str:
    """What of the course itself decides about a grade of that lab: the spec, public and hidden, the
    lab's and the simulator's code, and the modules that judge."""
    made = hashlib.sha256(__version__.encode())
    for file in _parts(folder, lab):
        made.update(f"{file.relative_to(paths.ROOT)}\0".encode() + file.read_bytes())
    return made.hexdigest()


def _parts(folder: str, lab: str) -> Iterator[Path]:
    yield paths.ROOT / "Makefile"
    hidden = paths.HIDDEN / f"{lab}.toml"
    if hidden.exists():
        yield hidden
    for place in (paths.LABS / folder, paths.LABS / "common", paths.LABS / "sim"):
        found = place.glob("*") if place.name == folder else place.rglob("*")
        yield from sorted(p for p in found if p.is_file() and "__pycache__" not in p.parts)
    for place in (paths.ROOT / "grader", paths.ROOT / "datasets"):
        yield from sorted(p for p in place.rglob("*.py") if "tests" not in p.parts)
