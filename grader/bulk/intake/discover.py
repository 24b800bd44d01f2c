"""Finds the submissions in a folder, without opening any.

A submission is a folder, a zip or a tarball that bears the student's name; or the files of one
student in Canvas's flat download: name[_LATE]_USER_ATTACHMENT_FILE.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from grader.bulk.intake import student_names
from grader.bulk.intake.archive import SUFFIXES

CANVAS = re.compile(
    r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<user>\d+)_(?P<attachment>\d+)_(?P<file>.+)", re.DOTALL
)
RESUBMITTED = re.compile(r"-\d+(?=\.[^.]*$)")  # what Canvas adds to a file's name


@dataclass
class Entry:
    """One student's submission. `paths`: the folder, under the name ""; or the files, under the
    name that each has in the submission."""

    student: str
    paths: dict[str, Path] = field(default_factory=dict)
    problem: str = ""  # why it is rejected unopened
    notes: list[str] = field(default_factory=list)


def discover(folder: Path) -> list[Entry]:
    """Every submission in a folder, by student. Raises OSError when it cannot be read."""
    with os.scandir(folder) as scan:
        children = sorted(
            (c for c in scan if not c.name.startswith(".") and c.name != "__MACOSX"),
            key=lambda child: os.fsencode(child.name),
        )
    entries: dict[str, Entry] = {}
    if children and all(map(_is_of_canvas, children)):
        _add_from_canvas(children, entries)
    else:
        for child in children:
            _add(child, entries)
    return [entries[student] for student in sorted(entries)]


def _add(child: os.DirEntry[str], entries: dict[str, Entry]) -> None:
    """A folder, or an archive whose name without its suffix is the student's."""
    name = child.name
    if not child.is_dir(follow_symlinks=False):
        suffix = next((s for s in reversed(SUFFIXES) if name.lower().endswith(s)), "")
        name = name[: len(name) - len(suffix)] or name
    student = student_names.student(name)
    if student in entries:
        entries[student].problem = "there are two submissions of this name"
        return
    entry = entries[student] = Entry(student, {"": Path(child.path)})
    if child.is_symlink():
        entry.problem = "the submission is a link"
    elif not child.is_dir(follow_symlinks=False) and not child.is_file(follow_symlinks=False):
        entry.problem = "the submission is neither a folder nor a file"


def _is_of_canvas(child: os.DirEntry[str]) -> bool:
    return child.is_file(follow_symlinks=False) and CANVAS.fullmatch(child.name) is not None


def _add_from_canvas(children: list[os.DirEntry[str]], entries: dict[str, Entry]) -> None:
    """Of a file that was handed in more than once, the last counts: it has the highest number."""
    latest: dict[tuple[str, str], int] = {}
    for child in children:
        match = CANVAS.fullmatch(child.name)
        assert match is not None
        student = student_names.student(f"{match['name']}_{match['user']}")
        entry = entries.setdefault(student, Entry(student))
        if match["late"] and "late" not in entry.notes:
            entry.notes.append("late")
        file = RESUBMITTED.sub("", match["file"])
        if int(match["attachment"]) >= latest.get((student, file), 0):
            latest[student, file] = int(match["attachment"])
            entry.paths[file] = Path(child.path)
