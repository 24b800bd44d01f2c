"""A folder of a download, on the disk or inside a zip: its children, none of them opened.

A zip is listed once, in the sandbox (archive.py); nothing of it is unpacked to the disk.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from grader.classroom.bulk.intake import archive
from grader.classroom.bulk.intake.archive import OPENING, Member

Kind = Literal["folder", "file", "link", "other"]
# What file managers leave behind: no student has it for a name.
LEFTOVERS = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


@dataclass(frozen=True)
class Child:
    """A child of a folder. `path`: on the disk, or of the member of the zip."""

    name: str
    kind: Kind
    path: Path

    def is_archive(self) -> bool:
        return self.kind == "file" and self.name.lower().endswith(archive.SUFFIXES)


class Folder(Protocol):
    """A folder of a download."""

    @property
    def zip(self) -> Path | None:
        """The zip that the folder lies in; None: it is on the disk."""

    def children(self) -> list[Child]:
        """The children by name, without hidden ones and leftovers. Raises OSError."""

    def open(self, child: Child) -> Folder:
        """A child that is a folder."""

    def has_hidden_folder(self, child: Child, name: str) -> bool:
        """Whether a child that is a folder holds a folder of this name, such as .git."""

    def read(self, child: Child, most: int) -> bytes:
        """The content of a child that is a file. Raises OSError, also where it has more bytes."""

    def paths(self, child: Child, name: str = "") -> dict[str, Path]:
        """What an Entry gets as `paths` for a child, which is called `name` in the submission."""


def _is_shown(name: str) -> bool:
    return not name.startswith(".") and name not in LEFTOVERS


@dataclass(frozen=True)
class DiskFolder:
    """A folder on the disk."""

    path: Path
    zip: None = None

    def children(self) -> list[Child]:
        with os.scandir(self.path) as scan:
            shown = sorted(
                (entry for entry in scan if _is_shown(entry.name)),
                key=lambda entry: os.fsencode(entry.name),
            )
        return [Child(entry.name, _kind(entry), Path(entry.path)) for entry in shown]

    def open(self, child: Child) -> DiskFolder:
        return DiskFolder(child.path)

    def has_hidden_folder(self, child: Child, name: str) -> bool:
        inside = child.path / name
        return inside.is_dir() and not inside.is_symlink()

    def read(self, child: Child, most: int) -> bytes:
        with open(os.open(child.path, OPENING), "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise OSError(errno.EFBIG, f"{child.name} has more than {most >> 20} MB")
        return data

    def paths(self, child: Child, name: str = "") -> dict[str, Path]:
        return {name: child.path}


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


@dataclass
class _Branch:
    """A folder of a zip."""

    folders: dict[str, _Branch] = field(default_factory=dict)
    files: dict[str, Kind] = field(default_factory=dict)

    def below(self, prefix: str = "") -> dict[str, Kind]:
        """Every file below, by its path."""
        files = {prefix + name: kind for name, kind in self.files.items()}
        for name, branch in self.folders.items():
            files |= branch.below(f"{prefix}{name}/")
        return files


@dataclass(frozen=True)
class ZipFolder:
    """A folder inside a zip."""

    zip: Path
    branch: _Branch
    inside: Path = Path()

    @classmethod
    def listed(cls, file: Path, members: list[Member]) -> ZipFolder:
        """The top of a zip."""
        top = _Branch()
        for member in members:
            *folders, name = PurePosixPath(member.path.replace("\\", "/")).parts or ("",)
            if not {"/", "//", ".."}.isdisjoint((*folders, name)):
                continue  # it leads out of the zip
            branch = top
            for folder in folders:
                branch = branch.folders.setdefault(folder, _Branch())
            if member.problem == "is a folder":
                branch.folders.setdefault(name, _Branch())
            elif name:
                branch.files[name] = "link" if member.problem == "is a link" else "file"
        return cls(file, top)

    def children(self) -> list[Child]:
        folders: list[tuple[str, Kind]] = [(name, "folder") for name in self.branch.folders]
        files = [each for each in self.branch.files.items() if each[0] not in self.branch.folders]
        shown = sorted(each for each in [*folders, *files] if _is_shown(each[0]))
        return [Child(name, kind, self.inside / name) for name, kind in shown]

    def open(self, child: Child) -> ZipFolder:
        return ZipFolder(self.zip, self.branch.folders[child.name], self.inside / child.name)

    def has_hidden_folder(self, child: Child, name: str) -> bool:
        return name in self.branch.folders[child.name].folders

    def read(self, child: Child, most: int) -> bytes:
        opened = archive.members(self.zip, [str(child.path)])
        for file in opened.files:
            if not file.problem and len(file.content) <= most:
                return file.content
        raise OSError(errno.EIO, f"{child.name} in {self.zip.name} cannot be read")

    def paths(self, child: Child, name: str = "") -> dict[str, Path]:
        if child.kind != "folder":
            return {name: child.path}
        start = f"{name}/" if name else ""
        files = self.branch.folders[child.name].below()
        return {start + below: child.path / below for below in files if _is_visible(below)}


def _is_visible(path: str) -> bool:
    return all(_is_shown(part) for part in path.split("/"))
