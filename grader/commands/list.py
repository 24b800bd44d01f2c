"""`./grade list`: how far the student has come, and what is next. The standard library alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from grader import paths
from grader.commands import output
from grader.commands.parser import Parser
from grader.model import outline
from grader.model import submission as submissions
from grader.model.outline import Outline, SpecError
from grader.student import progress, starter_files, understood

HEADINGS = ("lab", "title", "best", "not measured", "when", "status")


@dataclass(frozen=True)
class LabSummary:
    """One lab. `next`: what to do next; "" when nothing can be done."""

    cells: tuple[str, str, str, str, str, str]
    begun: bool
    done: bool
    next: str


def run(arguments: Sequence[str]) -> int:
    """Prints a table of the labs, and the next step. Returns the exit status."""
    parser = Parser("list")
    parser.add_colour()
    options = parser.parse_args(arguments)
    rows = [row(lab_id) for lab_id in outline.available()]
    print(render(rows, output.coloured(options.color)))
    records = [understood.read_understood(lab_id) for lab_id in outline.available()]
    if known := [f"{r.lab} {words}" for r in records if (words := r.words())]:
        print(f"understood, in kinds of questions that were asked: {', '.join(known)}")
    return 0


def row(lab_id: str) -> LabSummary:
    """How far the student is in one lab, or that its lab.toml is damaged."""
    try:
        lab = outline.load(lab_id)
    except SpecError:
        status = f"cannot be graded; ./grade {lab_id} says why"
        return LabSummary((lab_id, "", "", "", "", status), False, False, "")
    record = progress.read_progress(lab_id)
    begun = _edited(lab)
    status, next_step = _status(lab, record, begun)
    if record is None:
        return LabSummary((lab_id, lab.title, "", "", "", status), begun, False, next_step)
    best = record.best
    points = f"{best.score.earned:g}/{best.score.measured:g}"
    unmeasured = f"{best.score.total - best.score.measured:g}"
    when = f"{best.when:%Y-%m-%d %H:%M}"
    cells = (lab_id, lab.title, points, unmeasured, when, status)
    return LabSummary(cells, begun, best.full(), next_step)


def _status(lab: Outline, record: progress.Record | None, begun: bool) -> tuple[str, str]:
    """The status of a lab, and the next step."""
    folder = paths.STARTER / lab.folder
    if not folder.is_dir():
        return "its starter is missing", f"./grade reset {lab.id}"
    contents, problems = submissions.read_files(folder, lab.submit)
    if problems:
        return problems[0], f"./grade reset {lab.id}"
    grade_it = f"make {lab.id} && ./grade {lab.id}"
    if not begun:
        edit = " and ".join(f"starter/{lab.folder}/{name}" for name in lab.submit)
        return "not begun", f"read handouts/{lab.id}.md, edit {edit}, then {grade_it}"
    if record is None:
        return "started, not graded yet", grade_it
    if not record.last.of(contents):
        return "changed since it was last graded", f"./grade {lab.id}"
    if record.last.full():
        return "full marks on everything measured", f"./grade submit {lab.id}"
    failed = record.last.failed
    if failed is None:
        return "graded", f"./grade {lab.id}"
    if failed.part is None:
        return f"fails: {failed.name}", f"./grade {lab.id}"
    again = f"./grade {lab.id} -k '{failed.name}'"
    return f"fails: {failed.part}  {failed.name}", f"{again}, or ./grade hint {lab.id}"


def _edited(lab: Outline) -> bool:
    """Whether a file of the lab differs from its starter."""
    try:
        return bool(starter_files.changed(lab, paths.STARTER / lab.folder))
    except OSError:  # nothing to compare with: a damaged copy of the course
        return True


def render(rows: list[LabSummary], colour: bool) -> str:
    """The table, and the next step: in the first lab that is begun and not done, else in the first
    lab that is not done."""
    table = [HEADINGS, *(row.cells for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADINGS))]
    lines = []
    for number, cells in enumerate(table):
        padded = (f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True))
        line = ("  " + "  ".join(padded)).rstrip()
        done = number > 0 and rows[number - 1].done
        style = "1" if number == 0 else "32" if done else ""
        lines.append(f"\x1b[{style}m{line}\x1b[0m" if colour and style else line)
    todo = sorted((row for row in rows if row.next and not row.done), key=lambda r: not r.begun)
    if todo:
        lines.append(f"next: {todo[0].next}".replace(", then ", ",\n      then "))
    elif rows:
        packs = "./grade submit labN packs one"
        lines.append(f"every lab has full marks on everything measured; {packs}")
    return "\n".join(lines)
