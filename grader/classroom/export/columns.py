"""Filling the column of a lab in an instructor's own gradebook: what is alike in Canvas and
Moodle."""

import re
from dataclasses import dataclass, field

from grader.classroom.course.final import Final
from grader.classroom.export import grades as grading
from grader.classroom.export.cells import CellsError, Sheet
from grader.classroom.export.grades import Grades
from grader.classroom.export.matching import Matches
from grader.model import spec
from grader.model.plain_text import line


@dataclass
class Filled:
    """A gradebook with the grades in it, and what the instructor must know, a line each."""

    data: bytes
    lines: list[str] = field(default_factory=list)


def names_lab(title: str, lab: str) -> bool:
    """Does the title of an assignment name the lab, as "Lab 3: masks", "lab03" or its title do?"""
    plain = " ".join(re.findall(r"\w+", title.casefold().replace("_", " ")))
    known = spec.load(lab).title.casefold()
    number = re.fullmatch(r"([a-z]+)(\d+)", lab)
    if plain == " ".join(re.findall(r"\w+", known)):
        return True
    if number is None:
        return lab in plain.split()
    pattern = rf"\b{number[1]} ?0*{int(number[2])}(?!\d)"
    return re.search(pattern, plain) is not None


def check_rows(sheet: Sheet, rows: list[int], width: int, name: str) -> None:
    """Raises CellsError when a row has another number of cells than the header."""
    for row in rows:
        have = len(sheet.rows[row])
        if have != width:
            raise CellsError(
                f"{name}, line {sheet.line(row)}: {have} cells, but the first line has {width}; "
                "is the file damaged?"
            )


def check_twice(sheet: Sheet, matches: Matches, name: str) -> None:
    """Raises CellsError when two rows are the same person."""
    for one, other, value in matches.twice:
        raise CellsError(
            f"{name}: lines {sheet.line(one)} and {sheet.line(other)} are the same student "
            f'("{line(value)}"); remove one of them'
        )


def points(grades: Grades, grade: Final, possible: float) -> str:
    """What a grade is worth in a column of so many points; "" is none."""
    share = grades.share(grade)
    return "" if share is None else grading.number(share * possible)


def kept(cells: int) -> str:
    """The end of a line: how many cells of students without a grade had something in them."""
    if not cells:
        return ""
    return "; 1 cell keeps what was in it" if cells == 1 else f"; {cells} cells keep what they had"


def possible_points(text: str) -> float | None:
    """The points of a column, written with a point or a comma; None: no number above 0."""
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if 0 < number < 1e9 else None
