"""The hints of a part, one stage at a time."""

import re

from grader.model import submission as submissions
from grader.model.grade_record import Entry
from grader.model.outline import Outline, Part
from grader.student import starter_files
from grader.student.grade_log import Log

GIVEN = re.compile(r"([A-Z]) ([1-9][0-9]?)")  # what a call's record says: part and number


def number_of_next(lab: Outline, part: Part, log: Log) -> int:
    """The hint that comes next: one further than the last, if the student has worked since then,
    which a grade of changed files shows; else the last one again. Of a log that was tampered with,
    nothing is believed."""
    if log.problems:
        return 1
    given = [c for c in log.calls if c.tool == "hint" and c.about.startswith(f"{part.id} ")]
    if not given:
        return 1
    last = GIVEN.fullmatch(given[-1].about)
    number = min(int(last[2]), len(part.hints)) if last else 1
    worked = any(e.number > given[-1].number and _has_changed(lab, e) for e in log.entries)
    return min(number + 1, len(part.hints)) if worked else number


def _has_changed(lab: Outline, entry: Entry) -> bool:
    if not entry.change.first:
        return bool(entry.change.added or entry.change.removed)
    return entry.files != submissions.digests(starter_files.contents(lab))


def text(lab: Outline, part: Part, number: int) -> list[str]:
    said = " ".join(part.hints[number - 1].split())
    lines = [f"{lab.id} {part.id}, {part.title}: hint {number} of {len(part.hints)}", said]
    if number < len(part.hints):
        lines.append("the next one comes once the file has changed and is graded again")
    return lines
