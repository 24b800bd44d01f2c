"""A submission as a download has it, before any of its files is opened."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.classroom.course.person import Person


@dataclass
class Entry:
    """One submission, of a student or of a group. `paths`: the folder, under the name ""; or the
    files, under the name that each has in the submission. None: nothing was handed in.
    `archive`: the zip of the whole class whose members `paths` are; None: they are on the disk."""

    student: str  # the id, which names the folder of the grades
    paths: dict[str, Path] = field(default_factory=dict)
    problem: str = ""  # why it is rejected unopened
    notes: list[str] = field(default_factory=list)
    people: tuple[Person, ...] = ()  # who gets the grade; empty: nobody but the id is known
    submitted: datetime | None = None  # with a time zone; None: the download does not say
    archive: Path | None = None
    takes: tuple[tuple[str, str, str], ...] = ()  # files of another name that count: takes.py
    stated: str = ""  # the same by the roster, as its file has it

    def note(self, text: str) -> None:
        """Adds a note, once."""
        if text not in self.notes:
            self.notes.append(text)
