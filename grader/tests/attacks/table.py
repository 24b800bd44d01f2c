"""The table of what came of the attacks: RESULTS.md beside this file."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader import paths
from grader.tests.attacks.judge import Outcome

FILE = Path(__file__).with_name("RESULTS.md")
HEAD = """\
# Attacks, and what stopped them

Made by `make attacks`, which makes every attack and fails if one gets through. *Stopped by* is read
from the grade: the first wall that showed. *Verdict* is the grade: points earned and measured, or
that the file does not build. The state of the machine is compared before and after each attack.
*Made* is the day, as `make attacks UPDATE=yes` makes only attacks that have no row or survived.
"""
COLUMNS = ("attack", "group", "stopped by", "verdict", "seconds", "made")
SURVIVED = "**survived**: "
UNCHECKED_TITLE = "## If the check of source and objects missed them"
UNCHECKED_HEAD = f"""\
{UNCHECKED_TITLE}

Made by `make attacks-unchecked`: the attacks that this check refuses, graded as if it had refused
nothing. *Stopped by* is the wall behind it. What *survived* rests on the check alone. Most programs
do the right work once their attack has succeeded, and earn its points then: they show that it is
possible, within its own process and sandbox, and not that it reached anything outside.
"""


def line(outcome: Outcome) -> str:
    """A row as text for a terminal."""
    mark = "SURVIVED" if outcome.survived else "stopped"
    text = f"{mark:<9}{outcome.seconds:5.1f} s  {outcome.group:<9}{outcome.name}"
    return "\n".join(
        [
            f"{text}  [{outcome.stopped_by}; {outcome.verdict}]",
            *(f"           {s}" for s in outcome.survived),
        ]
    )


def report(outcomes: Sequence[Outcome], head: str = HEAD) -> str:
    """RESULTS.md, or a table of the same form under another head."""
    groups = list(dict.fromkeys(o.group for o in outcomes))
    lines = [head, "| group | attacks | stopped | seconds |", "|---|---|---|---|"]
    for group in [*groups, ""]:
        here = [o for o in outcomes if o.group == group or not group]
        held = sum(not o.survived for o in here)
        total = sum(o.seconds for o in here)
        lines.append(f"| {group or 'all'} | {len(here)} | {held} | {total:.0f} |")
    return "\n".join([*lines, "", *_rows(outcomes)]) + "\n"


def unchecked_report(outcomes: Sequence[Outcome]) -> str:
    """The second part of RESULTS.md: without the check of source and objects."""
    held = sum(not o.survived for o in outcomes)
    lines = [UNCHECKED_HEAD, f"{held} of {len(outcomes)} were stopped.", ""]
    return "\n".join([*lines, *_rows(outcomes)]) + "\n"


def save(checked: str = "", unchecked: str = "") -> None:
    """Writes a part of RESULTS.md, or both; keeps the other part."""
    first, title, rest = FILE.read_text().partition(UNCHECKED_TITLE)
    FILE.write_text(f"{(checked or first).rstrip()}\n\n{unchecked or title + rest}".rstrip() + "\n")


def rows() -> Iterator[Outcome]:
    """What came of the attacks, as the first part of RESULTS.md has it."""
    for row in FILE.read_text().partition(UNCHECKED_TITLE)[0].splitlines():
        cells = [cell.replace("\\|", "|") for cell in re.split(r"^\| | \| | \|$", row)[1:-1]]
        if len(cells) == len(COLUMNS) and cells[0] not in ("---", COLUMNS[0]):
            name, group, wall, verdict, seconds, made = cells
            survived = [wall.removeprefix(SURVIVED)] if wall.startswith(SURVIVED) else []
            yield Outcome(name, group, wall, verdict, float(seconds), survived, made)


def _rows(outcomes: Sequence[Outcome]) -> list[str]:
    """A table with a row for each attack."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for o in outcomes:
        wall = SURVIVED + "; ".join(o.survived) if o.survived else o.stopped_by
        wall = _without_places(wall)
        cells = (o.name, o.group, wall, o.verdict, f"{o.seconds:.1f}", o.made)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def _without_places(text: str) -> str:
    """The text without the names of folders that differ from machine to machine and run to run."""
    text = text.replace(f"{paths.ROOT}/", "")
    return re.sub(r"(build/run|/tmp)/[^\s:;,]+", r"\1/...", text)
