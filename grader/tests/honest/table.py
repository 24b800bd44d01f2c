"""The table of the right programs: RESULTS.md beside this file."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("RESULTS.md")
COLUMNS = "| program | points | seconds | made |"


class Row(NamedTuple):
    program: str  # kind: lab/name
    points: str  # earned / measured
    seconds: str  # on the clock, with the other jobs of its day
    made: str  # the day
    lost: str = ""  # what was said, where points are missing


def rows() -> dict[str, Row]:
    """What RESULTS.md says now."""
    text = FILE.read_text() if FILE.exists() else ""
    lost = dict(re.findall(r"^Lost: (.*?) \((.*)\)$", text, re.MULTILINE))
    cells = re.findall(r"^\| (.*: .*) \| (.*) \| (.*) \| (.*) \|$", text, re.MULTILINE)
    found = (Row(*row) for row in cells)
    return {row.program: row._replace(lost=lost.get(row.program, "")) for row in found}


def save(rows: Sequence[Row], count: int) -> None:
    kinds = Counter(row.program.partition(":")[0] for row in rows)
    good = Counter(row.program.partition(":")[0] for row in rows if not row.lost)
    FILE.write_text(
        "\n".join(
            [
                "# Right programs, graded whole",
                "",
                "Made by `python -m grader.tests.honest`, without timing. A habit is a file of",
                f"this folder in front of a solution. {len(rows)} of {count} programs have a row.",
                "",
                "| kind | programs | with all points |",
                "|---|---|---|",
                *(f"| {kind} | {number} | {good[kind]} |" for kind, number in kinds.items()),
                f"| all | {len(rows)} | {good.total()} |",
                "",
                *(f"Lost: {row.program} ({row.lost})\n" for row in rows if row.lost),
                COLUMNS,
                "|---|---|---|---|",
                *(f"| {' | '.join(row[:4])} |" for row in rows),
                "",
            ]
        )
    )
