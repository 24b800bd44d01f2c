"""The places of TODOs that a page quotes from a grade: each must still hold a TODO of the starter.

A change of a solution moves the lines of its starter; the whole quotation is compared with a real
grade by a test, which takes longer (grader/tests/handouts/test_handouts.py).
"""

import re
from pathlib import Path

PLACE = re.compile(r"\bTODOs? (?:at|are still open; the first:) (starter/\S+):(\d+)")
TODO = re.compile(r"\bTODO \d+\b")


def stale(page: str, root: Path) -> list[tuple[int, str]]:
    """The lines of a page's text that name a place without a TODO, and the place. root: the
    folder that has starter/."""
    return [
        (number, f"{place[1]}:{place[2]}")
        for number, line in enumerate(page.splitlines(), 1)
        for place in PLACE.finditer(line)
        if not _has_todo(root / place[1], int(place[2]))
    ]


def _has_todo(file: Path, number: int) -> bool:
    lines = file.read_text().splitlines() if file.is_file() else []
    return 0 < number <= len(lines) and bool(TODO.search(lines[number - 1]))
