"""Finds the submissions in a folder or in the zip of a class, without opening any: recognizes the
layout of a download (layouts/).

The first layout to which every child of the folder belongs is the one. A folder of no such layout
has a folder, zip or tarball for each student.
"""

import errno
import os
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from grader.classroom.bulk.intake import archive
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, DiskFolder, Folder, ZipFolder
from grader.classroom.bulk.intake.layouts import (
    autolab,
    canvas,
    git_clones,
    gradescope,
    moodle,
    plain,
)
from grader.classroom.bulk.intake.layouts.layout import Layout
from grader.classroom.course.person import Person
from grader.model import plain_text

# Autolab's names would also be Canvas's: Canvas removes every "@".
LAYOUTS = tuple(module.LAYOUT for module in (gradescope, moodle, autolab, canvas, git_clones))
DEEPEST = 3  # folders or zips around a download
DOWNLOAD = "download"  # the name under which a run's store keeps what was recognized


OF_TOOLS = frozenset({".git", ".svn", ".hg", ".vscode", ".idea", ".cache", ".Trashes"})


@dataclass(frozen=True)
class Download:
    """What a folder of submissions holds. `doubt`: why it is of no other layout, or "". `unread`:
    folders that are not graded, because their names begin with a dot."""

    layout: str
    entries: list[Entry] = field(default_factory=list)
    doubt: str = ""
    unread: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line: "Canvas's download: 31 students, 2 of them late, 1 resubmitted"."""
        people = sum(max(1, len(entry.people)) for entry in self.entries)
        groups = sum(len(entry.people) > 1 for entry in self.entries)
        text = f"{self.layout}: {people} {'student' if people == 1 else 'students'}"
        if groups:
            text += f" in {len(self.entries)} submissions"
        late = sum("late" in entry.notes for entry in self.entries)
        again = sum("resubmitted" in entry.notes for entry in self.entries)
        counts = ((late, "late"), (again, "resubmitted"))
        noted = [f"{count} {what}" for count, what in counts if count]
        if noted:
            noted[0] = noted[0].replace(" ", " of them ", 1)
        if self.unread:
            names = ", ".join(map(plain_text.name, self.unread[:3]))
            names += f" and {len(self.unread) - 3} more" if len(self.unread) > 3 else ""
            noted.append(f"and not graded, as a name that begins with a dot is hidden: {names}")
        return ", ".join([text, *noted])


def download(place: Path) -> Download:
    """What a folder, or the zip of a class, holds. Raises OSError when it cannot be read or the
    machine is at fault; `strerror` says what is wrong with a zip."""
    folder: Folder = DiskFolder(place) if place.is_dir() else _zip(place)
    children = folder.children()
    known = _recognised(folder, children, DEEPEST)
    if known is None and folder.zip is not None:
        folder = _inner(folder)
        known = _of(plain.LAYOUT, folder, folder.children(), "")
    found = known or _of(plain.LAYOUT, folder, children, _doubt(folder, children))
    return replace(found, unread=_hidden_folders(place)) if place.is_dir() else found


def _hidden_folders(place: Path) -> tuple[str, ...]:
    with os.scandir(place) as scan:
        names = [e.name for e in scan if e.name.startswith(".") and e.is_dir(follow_symlinks=False)]
    return tuple(sorted(name for name in names if name not in OF_TOOLS))


def _zip(file: Path) -> ZipFolder:
    members, refused = archive.listing(file)
    if refused:
        raise OSError(errno.EINVAL, refused, str(file))
    return ZipFolder.listed(file, members)


def _recognised(folder: Folder, children: list[Child], deepest: int) -> Download | None:
    """The folder's own layout; or that of the one folder or zip in it, as a download lies there
    before or after it is unzipped. None: it is none that is known, or perhaps one student's."""
    for layout in LAYOUTS:
        if children and len(layout.own(folder, children)) == len(children):
            found = _of(layout, folder, children, "")
            inside_another = deepest < DEEPEST
            certain = layout.unmistakable or len(found.entries) > 1 or not inside_another
            return found if certain else None
    if len(children) != 1 or not deepest:
        return None
    try:
        inside = _only(folder, children[0])
        return _recognised(inside, inside.children(), deepest - 1) if inside else None
    except OSError:
        return None  # a student's, and cannot be read: collect() says so


def _only(folder: Folder, child: Child) -> Folder | None:
    """The only child of a folder, if it is a folder or a zip."""
    if child.kind == "folder":
        return folder.open(child)
    zipped = child.kind == "file" and child.name.lower().endswith(".zip") and folder.zip is None
    return _zip(child.path) if zipped else None


def _inner(folder: Folder) -> Folder:
    """Of a zip that has one folder for all students, that folder."""
    children = folder.children()
    if len(children) == 1 and children[0].kind == "folder":
        inside = folder.open(children[0])
        below = inside.children()
        if len(below) > 1 and all(c.kind == "folder" or c.is_archive() for c in below):
            return inside
    return folder


def _of(layout: Layout, folder: Folder, children: list[Child], doubt: str) -> Download:
    entries = sorted(layout.entries(folder, children), key=lambda entry: entry.student)
    for entry in entries:
        entry.people = tuple(map(_storable, entry.people))
    return Download(layout.name, entries, doubt)


def _storable(person: Person) -> Person:
    """The person without bytes that are no UTF-8, which a name of a file may have."""
    texts = msgspec.structs.asdict(person).items()
    return Person(**{kind: os.fsencode(text).decode(errors="replace") for kind, text in texts})


def _doubt(folder: Folder, children: list[Child]) -> str:
    """What keeps a folder from being of the layout that most of its children are of."""
    for layout in LAYOUTS:
        own = {child.name for child in layout.own(folder, children)}
        others = [child.name for child in children if child.name not in own]
        if own and len(own) > len(others):
            shown = " and ".join(f'"{plain_text.name(name)}"' for name in others[:2])
            shown += f" and {len(others) - 2} more" if len(others) > 2 else ""
            return (
                f"{len(own)} of {len(children)} names look like {layout.name}, but not {shown}: "
                "move what is not part of the download elsewhere, or each name counts as a student"
            )
    return ""
