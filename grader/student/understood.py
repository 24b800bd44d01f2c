"""Which kinds of questions a student has answered rightly: a small record a lab, for `./grade ask`
and `list`.

Like the record of grades it is the student's own note and decides no grade. The standard library
alone, because `list` runs before anything is installed.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field

from grader import files, paths
from grader.student.progress import DAMAGE

SCHEMA = "convlabs-understood/v1"


@dataclass
class Answered:
    """A kind of question in one part. row: right answers since the last wrong one; 0: not yet."""

    part: str
    kind: str
    right: int = 0
    wrong: int = 0
    row: int = 0


@dataclass
class Understood:
    """What was answered in a lab, the earliest first."""

    lab: str
    answered: list[Answered] = field(default_factory=list)

    def note(self, part: str, kind: str, right: bool) -> None:
        entry = next((a for a in self.answered if (a.part, a.kind) == (part, kind)), None)
        if entry is None:
            self.answered.append(entry := Answered(part, kind))
        entry.right += right
        entry.wrong += not right
        entry.row = entry.row + 1 if right else 0

    def asked(self, part: str) -> int:
        """How many questions about a part were answered."""
        return sum(a.right + a.wrong for a in self.answered if a.part == part)

    def again(self, part: str) -> list[str]:
        """The kinds of a part that were not answered rightly the last time."""
        return [a.kind for a in self.answered if a.part == part and not a.row]

    def words(self) -> str:
        """Such as "5 of 6"; "" where nothing was answered."""
        known = sum(a.row > 0 for a in self.answered)
        return f"{known} of {len(self.answered)}" if self.answered else ""


def read_understood(lab: str) -> Understood:
    """A lab's record; an empty one where there is none, or where it is damaged."""
    try:
        table = json.loads(files.read_regular(paths.PROGRESS / f"{lab}.ask.json"))
        if table["schema"] != SCHEMA:
            return Understood(lab)
        found = [
            Answered(
                str(a["part"]), str(a["kind"]), *(int(a[n]) for n in ("right", "wrong", "row"))
            )
            for a in table["answered"]
        ]
        return Understood(lab, found)
    except DAMAGE:
        return Understood(lab)


def keep(record: Understood) -> str | None:
    """Writes the record. Returns why it could not, in words."""
    target = paths.PROGRESS / f"{record.lab}.ask.json"
    table = dataclasses.asdict(record) | {"schema": SCHEMA}
    try:
        paths.PROGRESS.mkdir(parents=True, exist_ok=True)
        files.replace(target, (json.dumps(table, indent=2) + "\n").encode())
    except OSError as problem:
        return f"{target.relative_to(paths.ROOT)} cannot be written: {problem.strerror}"
    return None
