"""What a student hands in: a zip of the lab's files, and what keeps them from being handed in."""

from __future__ import annotations

import io
import re
import zipfile

from grader.model.submission import Submission
from grader.student import starter_files

CONFLICT = re.compile(rb"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say: the same files, the same bytes


def pack(submission: Submission) -> bytes:
    """A zip with exactly the files that the lab asks for, at its root. It is not compressed: what a
    compressor makes depends on its version."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as archive:
        for name in submission.lab.submit:
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.create_system = 3  # Unix, wherever it is made
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, submission.contents[name])
    return data.getvalue()


def refusals(submission: Submission) -> list[str]:
    """Why these files must not be handed in, one reason each; [] when they may."""
    missing = [n for n in submission.lab.submit if n not in submission.contents]
    found = [*submission.problems, *submission.misnamed()]
    for name, content in submission.contents.items():
        if conflict := CONFLICT.search(content):
            line = content[: conflict.start()].count(b"\n") + 1
            found.append(f"{submission.shown}/{name}:{line} has the mark of an unfinished merge")
    if not missing and set(_unsolved(submission)) == set(submission.lab.submit):
        found.append(f"{submission.shown} is still the starter: nothing in it is yours")
    return found


def warnings(submission: Submission) -> list[str]:
    """What is worth a second look, and no reason to refuse."""
    found = [f"{submission.shown}/{name} is still the starter" for name in _unsolved(submission)]
    if todos := submission.open_todos():
        count = f"{len(todos)} TODO{'s are' if len(todos) > 1 else ' is'}"
        found.append(f"{count} still open; the first: {todos[0]}")
    for name in submission.lab.submit:
        for mark in (f".{name}.swp", f".#{name}", f"#{name}#"):
            if (submission.folder / mark).exists() or (submission.folder / mark).is_symlink():
                found.append(f"{name} is open in an editor, or was when it ended: is all saved?")
                break
    return found


def _unsolved(submission: Submission) -> list[str]:
    original = starter_files.contents(submission.lab)
    return [n for n, content in submission.contents.items() if content == original[n]]
