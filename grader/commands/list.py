"""`./grade list`: how far the student has come, and what is next."""

from __future__ import annotations

from dataclasses import dataclass

from grader import paths
from grader.commands import common
from grader.model import spec
from grader.model import submission as submissions
from grader.student import progress, starter_files

HEADINGS = ("lab", "title", "best", "not measured", "when", "status")


@dataclass(frozen=True)
class Row:
    """One lab. `next`: what to do about it; "" when nothing can be done."""

    cells: tuple[str, str, str, str, str, str]
    begun: bool
    done: bool
    next: str


def labs(colour: common.ColourOption = common.Colour.auto) -> None:
    """Your best score in each lab so far, and the next step."""
    rows = [row(lab_id) for lab_id in spec.available()]
    print(render(rows, common.coloured(colour)))


def row(lab_id: str) -> Row:
    """How one lab stands. A spec that is damaged is said, and stops no other."""
    try:
        lab = spec.load(lab_id)
    except spec.SpecError:
        status = f"cannot be graded; ./grade {lab_id} says why"
        return Row((lab_id, "", "", "", "", status), False, False, "")
    record = progress.read(lab_id)
    status, next_step = _standing(lab, record)
    begun = _touched(lab)
    if record is None:
        return Row((lab_id, lab.title, "", "", "", status), begun, False, next_step)
    best = record.best
    points = f"{best.score.earned:g}/{best.score.measured:g}"
    rest = f"{best.score.total - best.score.measured:g}"
    when = f"{best.when:%Y-%m-%d %H:%M}"
    return Row((lab_id, lab.title, points, rest, when, status), begun, best.full(), next_step)


def _standing(lab: spec.Lab, record: progress.Record | None) -> tuple[str, str]:
    """Status and next step."""
    try:
        submission = submissions.find(lab, str(paths.STARTER / lab.folder))
    except submissions.SourceError:
        return "its starter is missing", f"./grade reset {lab.id}"
    if submission.problems:
        return submission.problems[0], f"./grade reset {lab.id}"
    grade_it = f"make {lab.id} && ./grade {lab.id}"
    if not _touched(lab):
        edit = " and ".join(f"starter/{lab.folder}/{name}" for name in lab.submit)
        return "not begun", f"read handouts/{lab.id}.md, edit {edit}, then {grade_it}"
    if record is None:
        return "begun, not graded yet", grade_it
    if not record.last.of(submission):
        return "changed since it was last graded", f"./grade {lab.id}"
    if record.last.full():
        return "full marks of what was measured", f"./grade submit {lab.id}"
    failed = record.last.failed
    if failed is None:
        return "graded", f"./grade {lab.id}"
    again = f"./grade {lab.id} -k '{failed.name}'"
    if failed.part is None:
        return f"fails: {failed.name}", f"./grade {lab.id}"
    return f"fails: {failed.part}  {failed.name}", f"{again}, or ./grade hint {lab.id}"


def _touched(lab: spec.Lab) -> bool:
    try:
        return bool(starter_files.changed(lab, paths.STARTER / lab.folder))
    except OSError:  # nothing to compare with: a damaged copy of the course
        return True


def render(rows: list[Row], colour: bool) -> str:
    """The table, and the next step: in the first lab that is begun and not done, else in the first
    that is not."""
    table = [HEADINGS, *(row.cells for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADINGS))]
    lines = []
    for number, cells in enumerate(table):
        padded = (f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True))
        line = ("  " + "  ".join(padded)).rstrip()
        done = number > 0 and rows[number - 1].done
        style = "1" if number == 0 else "32" if done else ""
        lines.append(f"\x1b[{style}m{line}\x1b[0m" if colour and style else line)
    left = sorted((row for row in rows if row.next and not row.done), key=lambda row: not row.begun)
    if left:
        lines.append(f"next: {left[0].next}")
    elif rows:
        lines.append("every lab has full marks of what was measured; ./grade submit labN packs one")
    return "\n".join(lines)
