"""The zip that a student hands in, and the reasons to refuse or to warn."""

import os
import re
from collections.abc import Mapping

from grader import files
from grader.model import course_version, plain_text
from grader.model.submission import Submission
from grader.student import starter_files

VERSION = "version.txt"  # which version of the course the student has
CONFLICT = re.compile(rb"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)


def pack(submission: Submission, more: Mapping[str, bytes] | None = None) -> bytes:
    """A zip with the files that the lab asks for, the version of the course, and `more`. It is not
    compressed: the result would depend on the version of zlib."""
    contents = {name: submission.contents[name] for name in submission.lab.submit}
    version = {VERSION: f"convlabs {course_version.shown()}\n".encode()}
    return files.zipped(contents | version | dict(more or {}), stored=True)


def refusals(submission: Submission) -> list[str]:
    """Why these files must not be handed in, one sentence for each reason; [] where they may."""
    missing = [n for n in submission.lab.submit if n not in submission.contents]
    reasons = [*submission.problems, *submission.misnamed()]
    for name, content in submission.contents.items():
        if conflict := CONFLICT.search(content):
            line = content[: conflict.start()].count(b"\n") + 1
            where = f"{submission.path(name)}:{line}"
            reasons.append(f"{where} has a conflict marker of an unfinished merge")
    if not missing and set(_unsolved(submission)) == set(submission.lab.submit):
        reasons.append(f"{submission.shown} is still the unsolved starter")
    return reasons


def warnings(submission: Submission) -> list[str]:
    """What the student may have overlooked, but may hand in."""
    texts = [
        f"{submission.path(name)} is still the unsolved starter" for name in _unsolved(submission)
    ]
    if todos := submission.open_todos():
        count = f"{len(todos)} TODO{'s are' if len(todos) > 1 else ' is'}"
        texts.append(f"{count} still open; the first: {todos[0]}")
    for file in map(submission.file, submission.lab.submit):
        name = plain_text.name(file.name)
        for mark in (f".{file.name}.swp", f".#{file.name}", f"#{file.name}#"):
            if os.path.lexists(submission.folder / mark):
                texts.append(f"{name} seems to be open in an editor; is everything saved?")
                break
    return texts


def _unsolved(submission: Submission) -> list[str]:
    """The names of the files that do not differ from the starter."""
    original = starter_files.contents(submission.lab)
    return [n for n, content in submission.contents.items() if content == original[n]]
