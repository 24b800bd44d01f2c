"""A submission: the files of one lab from one folder, read once."""

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
    """--src names no folder with a submission: a usage error."""


@dataclass(frozen=True)
class Submission:
    """The files of one lab from one folder.

    shown: the folder as messages name it. problems: why files cannot be graded, in words. home:
    where the submission is built; None for build/<lab>, which keeps the last few builds.
    """

    lab: Lab
    folder: Path
    shown: str
    contents: dict[str, bytes]
    problems: list[str]
    home: Path | None = None

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.contents.get(name, b"")).hexdigest()

    def line(self, file: str, number: int) -> str:
        """The text of a source line, fit for a message; "" when the file is not one of the
        submission's."""
        name = Path(file).name
        if file != f"{self.shown}/{name}":
            return ""
        lines = self.contents.get(name, b"").decode(errors="replace").splitlines()
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return "".join(c if c.isprintable() else "?" for c in text)[:100]

    def text(self, name: str) -> str:
        """The text of one of the files; "" when it is missing."""
        return self.contents.get(name, b"").decode(errors="replace")

    def misnamed(self) -> list[str]:
        """Advice about files that look like a missing one under another name, such as
        "Cpu_Loop.c" or "cpu_loop (1).c"."""
        try:
            others = sorted(f.name for f in self.folder.iterdir() if f.is_file())
        except OSError:
            return []
        advice = []
        for name in (Path(n) for n in self.lab.submit if n not in self.contents):
            alike = [
                other
                for other in others
                if other.lower().startswith(name.stem.lower())
                and name.suffix.lower() in other.lower()
                and other != name.name
            ]
            advice += [f"there is '{harmless(o)}': rename it to {name}" for o in alike[:3]]
        return advice

    def remedies(self) -> list[str]:
        """What to do about the problems."""
        advice = [f"{self.lab.id} grades {', '.join(self.lab.submit)}", *self.misnamed()]
        if any(not content.strip() for content in self.contents.values()):
            advice.append("did you save it in your editor?")
        if self.shown == f"starter/{self.lab.folder}" and not self.misnamed():
            advice.append(f"./grade reset {self.lab.id} restores the unsolved file")
        return advice

    def open_todos(self) -> list[str]:
        """The source location, "folder/file:line", of every numbered TODO that is left."""
        return [
            f"{self.shown}/{name}:{number}"
            for name in self.contents
            for number in self._lines_with(name, r"\bTODO \d+\b")
        ]

    def first_todo(self, file: str, part: str) -> str:
        """The location of the first TODO below the part's heading, else of the first in the file;
        "" when none is left. What the first part needs may stand above its heading."""
        todos = self._lines_with(file, r"\bTODO \d+\b")
        heading = self._lines_with(file, rf"---- part {part}:")
        first = self._lines_with(file, r"---- part \w+:")[:1] == heading[:1]
        below = [] if first else [n for n in todos if heading and n > heading[0]]
        return f"{self.shown}/{file}:{[*below, *todos][0]}" if todos else ""

    def _lines_with(self, file: str, pattern: str) -> list[int]:
        lines = self.contents.get(file, b"").decode(errors="replace").splitlines()
        return [number for number, line in enumerate(lines, 1) if re.search(pattern, line)]


def find(lab: Lab, src: str) -> Submission:
    """The submission at `src`: a folder with the lab's files, or one that holds a folder labN_*.

    Raises SourceError when it is neither.
    """
    source = Path(src)
    if not source.is_absolute() and not source.exists():
        source = paths.ROOT / src  # ./grade works from anywhere; `starter` is the course's
    if not source.is_dir():
        raise SourceError(f"{src} is not a folder")
    inside = sorted(p for p in source.glob(f"{lab.id}_*") if p.is_dir())
    if any((source / name).exists() for name in lab.submit):
        folder = source
    elif inside:
        folder = inside[0]
    elif source.name.startswith(f"{lab.id}_"):
        folder = source  # the right folder, but the file is missing
    else:
        raise SourceError(
            f"{src} contains neither {', '.join(lab.submit)} nor a folder {lab.id}_*; "
            f"name the folder with your file: ./grade {lab.id} --src PATH"
        )
    contents, problems = read(folder, lab.submit)
    return Submission(lab, folder, _shown(folder), contents, problems)


def read(folder: Path, names: Sequence[str]) -> tuple[dict[str, bytes], list[str]]:
    """The contents of the files of those names that can be read, and in words why the others, or
    the empty ones, cannot be graded."""
    shown = _shown(folder)
    contents: dict[str, bytes] = {}
    problems: list[str] = []
    for name in names:
        try:
            contents[name] = files.read_regular(folder / name)
        except OSError as problem:
            problems.append(f"{shown}/{name} {problem.strerror or problem}")
        else:
            if not contents[name].strip():
                problems.append(f"{shown}/{name} is empty")
    return contents, problems


def digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    """The SHA-256 of each file by its name, in hexadecimal."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}


def _shown(folder: Path) -> str:
    """The folder's name for messages and #line: relative where possible, without characters that
    could break either."""
    resolved = folder.resolve()
    for base in (paths.ROOT, Path.cwd().resolve()):
        if resolved.is_relative_to(base):
            resolved = resolved.relative_to(base)
            break
    return harmless(str(resolved))


def harmless(name: str) -> str:
    """A file's name, made safe for a #line and for a terminal."""
    return "".join(c if c.isprintable() and c not in '"\\' else "?" for c in name)
