"""The likeness of a class, lab by lab: as text and as one page."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

import jinja2

from grader.classroom.similarity.given import Course
from grader.classroom.similarity.likeness import ComparedProgram, Likeness, Pair
from grader.classroom.similarity.regions import ComparedLine, Sides, sides
from grader.model import plain_text
from grader.render import page_templates

HERE = Path(__file__).resolve().parent / "templates"
MEANING = "Likeness is a reason to look, not a verdict."
MOST_SHOWN = 30  # pairs of a lab that the page shows side by side
MOST_COLUMNS = 200  # of a line of code
COLOURS = 6
Files = Callable[[ComparedProgram], dict[str, bytes]]


@dataclass(frozen=True)
class Shown:
    """A pair, with its lines where the page shows them. Names are as they are to be printed."""

    pair: Pair
    first: str
    second: str
    lines: int  # of the longest matching run
    sides: Sides | None


@dataclass(frozen=True)
class LabReport:
    """One lab. `groups`: the names of those who handed in the same bytes."""

    lab: str
    likeness: Likeness
    groups: list[list[str]]
    pairs: list[Shown]
    notes: list[str]
    of_solution: list[str]  # a line for each who has the course's own solution


def pseudonyms(students: Iterable[str]) -> Callable[[str], str]:
    """A name for each student that shows neither the name nor the alphabet's order. Whoever has the
    list of the class can compute it again: it hides names from a glance, not from a search."""
    order = sorted(set(students), key=lambda name: hashlib.sha256(name.encode()).digest())
    width = len(str(len(order)))
    names = {name: f"Student {number:0{width}}" for number, name in enumerate(order, 1)}
    return lambda student: names.get(student, student)


def lab_report(
    lab: str, found: Likeness, course: Course, files: Files, name: Callable[[str], str]
) -> LabReport:
    """Reads the shown pairs' files and finds the regions that match."""
    pairs = []
    for number, pair in enumerate(found.pairs):
        both = None
        if number < MOST_SHOWN:
            both = sides(files(pair.first), files(pair.second), course)
        names = name(pair.first.student), name(pair.second.student)
        pairs.append(Shown(pair, *names, both.longest if both else 0, both))
    groups = [[name(each) for each in (p.student, *p.same)] for p in found.groups]
    notes = []
    for note in found.notes:
        student, _, rest = note.partition(": ")
        notes.append(f"{name(student)}: {rest}")
    groups.sort(key=lambda group: (-len(group), group))
    solved = [
        f"{name(student)}: {_in_words(parts)} of the course's own solution, perhaps renamed"
        for program, parts in found.of_solution
        for student in (program.student, *program.same)
    ]
    return LabReport(lab, found, groups, pairs, notes, solved)


def _in_words(parts: dict[str, float]) -> str:
    """ "part A (100%) and part C (93%)"."""
    return " and ".join(f"{part} ({share:.0%})" for part, share in parts.items())


def background(found: Likeness) -> str:
    """How alike the programs of the lab are without any copy, in words."""
    if found.pair_count == 0:
        return f"{found.compared} of {found.programs} submissions could be compared: no pair"
    return (
        f"{found.compared} different programs of {found.programs} submissions, "
        f"{found.pair_count} pairs: the typical score is {found.typical:.0%}, "
        f"1 of 100 is above {found.high:.0%}; listed from {found.threshold:.0%}"
    )


def text(labs: list[LabReport]) -> str:
    """The table for a terminal."""
    lines = [
        "score: how much of the shorter program's own code the other one has;",
        "run: the longest shared passage; above: how far the score stands out in this lab.",
        MEANING,
    ]
    for report in labs:
        lines += ["", f"{report.lab}: {background(report.likeness)}"]
        lines += [f"  {plain_text.line(text, 200)}" for text in report.of_solution]
        for group in report.groups:
            lines.append(f"  identical files: {', '.join(plain_text.line(n, 60) for n in group)}")
        if report.pairs:
            lines.append("   score      run  above  pair")
        for shown in report.pairs:
            names = " - ".join(plain_text.line(n, 60) for n in (shown.first, shown.second))
            run = f"{shown.lines} lines" if shown.sides else f"{shown.pair.run} words"
            others = len(shown.pair.first.same) + len(shown.pair.second.same)
            more = f"  (and {others} with identical files)" if others else ""
            lines.append(
                f"  {shown.pair.score:6.0%} {run:>8} {shown.pair.outlier:6.1f}  {names}{more}"
            )
        if not (report.pairs or report.groups or report.of_solution):
            lines.append("  no pair stands out")
        lines += [f"  {plain_text.line(note, 200)}" for note in report.notes]
    return "\n".join(lines)


def page(labs: list[LabReport]) -> bytes:
    """The page: one file without requests."""
    rendered = _template().render(
        labs=labs,
        meaning=MEANING,
        background=background,
        by_file=_by_file,
        colour=lambda region: region % COLOURS,
        cut=_cut,
        style=page_templates.style(HERE / "similarity.css"),
    )
    return plain_text.document(rendered).encode(errors="replace")


@lru_cache(maxsize=10_000)
def _cut(line: str) -> str:
    """A line of code as the page shows it; most lines come again in other pairs."""
    return plain_text.line(line, MOST_COLUMNS)


def _by_file(lines: list[ComparedLine]) -> list[tuple[str, list[ComparedLine]]]:
    return [(name, list(group)) for name, group in groupby(lines, key=lambda line: line.file)]


@cache
def _template() -> jinja2.Template:
    return page_templates.environment(HERE).get_template("similarity.html")
