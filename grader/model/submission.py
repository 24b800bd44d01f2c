"""A submission: the files of one lab, read once from a folder or named by one of them."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from grader import files, paths
from grader.model import plain_text, todos

if TYPE_CHECKING:  # ./grade list, which imports this, runs before msgspec is installed
    from grader.model.lab import Lab


class SourceError(Exception):
    """--src names no submission: a usage error."""


@dataclass(frozen=True)
class Submission:
    """The files of one lab from one folder. `contents` has them under the lab's names.

    shown: the folder as messages name it. problems: why files cannot be graded, in words. home:
    where the submission is built; None for build/<lab>, which keeps the last few builds. own_names:
    the files' own names, by the lab's, where they are others.
    """

    lab: Lab
    folder: Path
    shown: str
    contents: dict[str, bytes]
    problems: list[str]
    home: Path | None = None
    own_names: Mapping[str, str] = field(default_factory=dict)

    def file(self, name: str) -> Path:
        """Where the lab's file of that name is."""
        return self.folder / self.own_names.get(name, name)

    def path(self, name: str) -> str:
        """How messages name the lab's file of that name: the folder and the file's own name."""
        return f"{self.shown}/{plain_text.name(self.own_names.get(name, name))}"

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.contents.get(name, b"")).hexdigest()

    def line(self, file: str, number: int) -> str:
        """The text of a source line, fit for a message; "" when the file is not one of the
        submission's."""
        name = next((name for name in self.contents if self.path(name) == file), "")
        lines = self.text(name).splitlines()
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return plain_text.line(text, 100)

    def text(self, name: str) -> str:
        """The text of one of the files; "" when it is missing."""
        return self.contents.get(name, b"").decode(errors="replace")

    def misnamed(self) -> list[str]:
        """Advice about files that look like a missing one under another name, such as
        "Cpu_Loop.c" or "cpu_loop (1).c"."""
        if self.own_names:
            return []  # --src named the very file
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
                and other not in self.lab.submit
            ]
            advice += [f"there is '{plain_text.name(o)}': rename it to {name}" for o in alike[:3]]
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
        """The source location, "folder/file:line", of every numbered TODO that is still open."""
        return [
            f"{self.path(name)}:{todo.line}"
            for name in self.contents
            for todo in todos.open_in(self.text(name))
        ]

    def first_todo(self, file: str, part: str) -> str:
        """The location of the first open TODO below the part's heading, else of the first in the
        file; "" when none is open. What the first part needs may be above its heading."""
        text = self.text(file)
        still_open = todos.open_in(text)
        first = re.search(r"---- part (\w+):", text)
        own = [todo for todo in still_open if todo.part == part and first and first[1] != part]
        return next((f"{self.path(file)}:{todo.line}" for todo in [*own, *still_open]), "")

    def needed_todo(self, file: str, functions: Sequence[str]) -> str:
        """The first open TODO of a function that those call, in words; "" when there is none."""
        needed = todos.needed(self.text(file), functions)
        return next((f"{todo.function}() at {self.path(file)}:{todo.line}" for todo in needed), "")


def find(lab: Lab, src: str) -> Submission:
    """The submission at `src`: a folder with the lab's files, one that holds a folder labN_* or, as
    a bulk run's of a student, labN, or a file, whatever its name, in place of the lab's file with
    that suffix.

    Raises SourceError when it is none of them.
    """
    source, shown = Path(src), plain_text.name(src)
    if not source.is_absolute() and not os.path.lexists(source):
        source = paths.ROOT / src  # ./grade works from anywhere; `starter` is the course's
    if not os.path.lexists(source):
        raise SourceError(f"there is no file or folder {shown}")
    if not os.path.isdir(source):
        return _of_file(lab, source, shown)
    inside = sorted(p for p in (*source.glob(f"{lab.id}_*"), source / lab.id) if p.is_dir())
    if any((source / name).exists() for name in lab.submit):
        folder = source
    elif inside:
        folder = inside[0]
    elif source.name.startswith(f"{lab.id}_"):
        folder = source  # the right folder, but the file is missing
    else:
        raise SourceError(
            f"{shown} is a folder that contains neither {', '.join(lab.submit)} nor a folder "
            f"{lab.id}_*; name your file, or the folder with it: ./grade {lab.id} --src PATH"
        )
    contents, problems = read_files(folder, lab.submit)
    return Submission(lab, folder, _shown(folder), contents, problems)


def _of_file(lab: Lab, file: Path, shown: str) -> Submission:
    """The submission whose file with one suffix is `file`. The lab's other files are taken from its
    folder: one of the same stem if there is one, as expert.c beside expert.cu, else one of the
    lab's own name. Raises SourceError."""
    endings = Counter(Path(name).suffix for name in lab.submit)
    if file.suffix not in endings:
        raise SourceError(
            f"{lab.id} grades {' and '.join(lab.submit)}: --src takes a file that ends in "
            f"{' or '.join(endings)}, and {shown} does not"
        )
    if file.name not in lab.submit and endings[file.suffix] > 1:
        raise SourceError(
            f"{lab.id} grades {' and '.join(lab.submit)}: {shown} could be either; name the folder "
            "with all of them"
        )
    try:
        files.read_regular(file)
    except OSError as problem:
        raise SourceError(f"{shown} {problem.strerror or problem}") from problem
    own_names = {}
    for name in lab.submit:
        alike = file.with_suffix(Path(name).suffix)
        if endings[alike.suffix] == 1 and os.path.lexists(alike):
            own_names[name] = alike.name
    own_names = {name: own for name, own in own_names.items() if own != name}
    contents, problems = read_files(file.parent, lab.submit, own_names)
    return Submission(
        lab, file.parent, _shown(file.parent), contents, problems, own_names=own_names
    )


def read_files(
    folder: Path, names: Sequence[str], own_names: Mapping[str, str] | None = None
) -> tuple[dict[str, bytes], list[str]]:
    """The contents of the files of those names that can be read, and in words why the others, or
    the empty ones, cannot be graded. own_names: as of a Submission."""
    shown = _shown(folder)
    contents: dict[str, bytes] = {}
    problems: list[str] = []
    for name in names:
        try:
            own = (own_names or {}).get(name, name)
            contents[name] = files.read_regular(folder / own)
        except OSError as problem:
            problems.append(f"{shown}/{plain_text.name(own)} {problem.strerror or problem}")
        else:
            if not contents[name].strip():
                problems.append(f"{shown}/{plain_text.name(own)} is empty")
            if what := files.no_source(contents[name]):
                problems.append(f"{shown}/{plain_text.name(own)} is {what}")
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
    return plain_text.name(str(resolved))
