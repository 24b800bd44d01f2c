"""What is graded: the files of one lab from one place, read once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader import files, paths

if TYPE_CHECKING:  # ./grade list, which imports this, runs before msgspec is installed
    from grader.model.spec import Lab


class SourceError(Exception):
    """--src names no such place: a usage error."""


@dataclass(frozen=True)
class Submission:
    """The files of one lab from one place. `shown` is the folder as the student knows it."""

    lab: Lab
    folder: Path
    shown: str
    contents: dict[str, bytes]
    problems: list[str]  # why a file cannot be graded, in words
    home: Path | None = None  # where it is built; None: build/<lab>, which keeps the last few

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.contents.get(name, b"")).hexdigest()

    def line(self, file: str, number: int) -> str:
        """The text of a line that a message is about, fit to be shown; "" when it is not ours."""
        name = Path(file).name
        if file != f"{self.shown}/{name}":
            return ""
        lines = self.contents.get(name, b"").decode(errors="replace").splitlines()
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return "".join(c if c.isprintable() else "?" for c in text)[:100]

    def misnamed(self) -> list[str]:
        """Files that look like a missing one under another name: "Cpu_Loop.c", "cpu_loop (1).c"."""
        try:
            others = sorted(f.name for f in self.folder.iterdir() if f.is_file())
        except OSError:
            return []
        found = []
        for name in (Path(n) for n in self.lab.submit if n not in self.contents):
            alike = [
                other
                for other in others
                if other.lower().startswith(name.stem.lower())
                and name.suffix.lower() in other.lower()
                and other != name.name
            ]
            found += [f"there is '{harmless(o)}': rename it to {name}" for o in alike[:3]]
        return found

    def remedies(self) -> list[str]:
        """What to do about the problems."""
        found = [f"{self.lab.id} is graded from {', '.join(self.lab.submit)}", *self.misnamed()]
        if any(not content.strip() for content in self.contents.values()):
            found.append("is it saved in your editor?")
        if self.shown == f"starter/{self.lab.folder}" and not self.misnamed():
            found.append(f"./grade reset {self.lab.id} puts the unsolved file back")
        return found

    def open_todos(self) -> list[str]:
        """ "shown/file:line" of every numbered TODO that is still there."""
        return [
            f"{self.shown}/{name}:{number}"
            for name in self.contents
            for number in self._lines_with(name, r"\bTODO \d+\b")
        ]

    def first_todo(self, file: str, part: str) -> str:
        """The first below the part's heading in a file, else in all of it; "" when there is none.
        What the first part needs may stand above its heading."""
        todos = self._lines_with(file, r"\bTODO \d+\b")
        heading = self._lines_with(file, rf"---- part {part}:")
        first = self._lines_with(file, r"---- part \w+:")[:1] == heading[:1]
        below = [] if first else [n for n in todos if heading and n > heading[0]]
        return f"{self.shown}/{file}:{[*below, *todos][0]}" if todos else ""

    def _lines_with(self, file: str, pattern: str) -> list[int]:
        lines = self.contents.get(file, b"").decode(errors="replace").splitlines()
        return [number for number, line in enumerate(lines, 1) if re.search(pattern, line)]


def find(lab: Lab, src: str) -> Submission:
    """The submission at `src`: a folder with the lab's files, or one with a folder labN_*.

    Raises SourceError when there is neither.
    """
    place = Path(src)
    if not place.is_absolute() and not place.exists():
        place = paths.ROOT / src  # ./grade works from anywhere; `starter` is the course's
    if not place.is_dir():
        raise SourceError(f"{src} is not a folder")
    inside = sorted(p for p in place.glob(f"{lab.id}_*") if p.is_dir())
    if any((place / name).exists() for name in lab.submit):
        folder = place
    elif inside:
        folder = inside[0]
    elif place.name.startswith(f"{lab.id}_"):
        folder = place  # the right folder, with the file missing
    else:
        raise SourceError(
            f"{src} holds neither {', '.join(lab.submit)} nor a folder {lab.id}_*; "
            f"name the folder with your file: ./grade {lab.id} --src PATH"
        )
    contents, problems = read(folder, lab.submit)
    return Submission(lab, folder, _shown(folder), contents, problems)


def read(folder: Path, names: Sequence[str]) -> tuple[dict[str, bytes], list[str]]:
    """The contents of the files of those names that can be read, and in words why the others, or
    the empty ones, cannot be graded."""
    contents: dict[str, bytes] = {}
    problems: list[str] = []
    for name in names:
        try:
            contents[name] = files.read_regular(folder / name)
        except OSError as problem:
            problems.append(f"{_shown(folder)}/{name} {problem.strerror or problem}")
        else:
            if not contents[name].strip():
                problems.append(f"{_shown(folder)}/{name} is empty")
    return contents, problems


def digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    """The SHA-256 of each file by its name, in hexadecimal."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}


def _shown(folder: Path) -> str:
    """The folder's name for messages and #line: relative where that is shorter, always harmless."""
    resolved = folder.resolve()
    for base in (paths.ROOT, Path.cwd().resolve()):
        if resolved.is_relative_to(base):
            resolved = resolved.relative_to(base)
            break
    return harmless(str(resolved))


def harmless(name: str) -> str:
    """A file's name as it may stand in a #line and on a terminal."""
    return "".join(c if c.isprintable() and c not in '"\\' else "?" for c in name)
