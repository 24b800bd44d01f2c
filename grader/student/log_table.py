"""The story of a lab as text: what was tried, why, and what it changed."""

import textwrap
from collections import Counter
from datetime import datetime

from grader.model import plain_text
from grader.model.grade_record import Call, Entry
from grader.student import grade_log
from grader.student.grade_log import Log

MOST_ASKED = 12  # kinds of calls between two grades
CANNOT = (
    "Editing, moving or removing a record is detected. The log cannot prove who wrote the "
    "program, that no "
    "grade was made in another copy, or that the clock was right; and recreating the whole log "
    "leaves no trace. Nothing in it names its owner: another student's log is detected only if "
    "both are handed in."
)


def table(log: Log, width: int) -> str:
    """The story, what it cannot prove, and what is wrong with it."""
    lines = [story(log, width), "", *textwrap.wrap(CANNOT, width)]
    if log.problems:
        lines += ["", "The log was tampered with, or is damaged:"]
        lines += [f"  {plain_text.line(problem, 200)}" for problem in log.problems]
    return "\n".join(lines)


def story(log: Log, width: int, most: int | None = None) -> str:
    """The grades, the oldest first: change, result, what became of it; below, why, and the counters
    that changed; between them, what an assistant asked for. most: of the grades, the last ones."""
    lines = [f"{'':>4}  {'when (UTC)':16}  {'lines':>10}  {'checks':>8}  {'points':>9}  change"]
    left_out = max(len(log.entries) - most, 0) if most is not None else 0
    before = log.entries[left_out - 1].number if left_out else 0
    for place in range(left_out, len(log.entries)):
        number = log.entries[place].number
        lines += _calls([c for c in log.calls if before < c.number < number], width)
        lines += _entry(log.entries, place, width)
        before = number
    return "\n".join([*lines, *_calls([c for c in log.calls if c.number > before], width)])


def _calls(calls: list[Call], width: int) -> list[str]:
    """What an assistant asked for between two grades, each once."""
    if not calls:
        return []
    asked = Counter(plain_text.line(f"{call.tool} {call.about}".strip(), 60) for call in calls)
    said = [text if count == 1 else f"{text} ({count} times)" for text, count in asked.items()]
    shown = plain_text.few(said, MOST_ASKED)
    return textwrap.wrap(
        f"an assistant asked: {shown}", width, initial_indent=" " * 6, subsequent_indent=" " * 8
    )


def _entry(entries: list[Entry], place: int, width: int) -> list[str]:
    entry, before = entries[place], entries[place - 1] if place else None
    points = f"{entry.earned:g}/{entry.measured:g}"
    kept = grade_log.kept(entries, place)
    lines = [
        f"{entry.number:>4}  {_when(entry.when):16}  {entry.change.words():>10}  "
        f"{entry.passed:>3}/{entry.checks:<4}  {points:>9}  {kept}".rstrip()
    ]
    details = ["an assistant asked for this grade"] if entry.by else []
    details += [f'why: "{plain_text.line(entry.why, 300)}"'] if entry.why else []
    if entry.selected:
        details.append(f"only the checks that match '{plain_text.line(entry.selected, 60)}'")
    for name, value in entry.counters.items():
        old = before.counters.get(name) if before else None
        if old is not None and old != value:
            details.append(f"{plain_text.line(name, 100)}: {old:.4g} -> {value:.4g}")
    for name, value in entry.predicted.items():
        old = before.predicted.get(name) if before else None
        if old is not None and abs(old - value) > 0.01 * old:
            details.append(f"predicted, {plain_text.line(name, 100)}: {old:.4g} -> {value:.4g} us")
    if entry.failed:
        failed = [plain_text.line(name, 100) for name in entry.failed]
        details.append(f"fails: {plain_text.few(failed, 1)}")
    for detail in details:
        lines += textwrap.wrap(detail, width, initial_indent=" " * 6, subsequent_indent=" " * 8)
    return lines


def _when(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M}"
    except ValueError:
        return "?"
