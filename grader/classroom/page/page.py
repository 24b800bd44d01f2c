"""The class page as HTML: one file without requests to a network, which works without scripts."""

import base64
import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from grader.classroom.bulk import class_records, comparison
from grader.classroom.bulk import names as naming
from grader.classroom.bulk.history import Past
from grader.classroom.bulk.names import Names
from grader.classroom.bulk.store import Store
from grader.classroom.course import students
from grader.classroom.course.final import Final
from grader.classroom.course.students import Student
from grader.classroom.page import charts, checks, reasons
from grader.classroom.page import content as contents
from grader.classroom.page.content import Content, Everybody, LabFigures
from grader.model import plain_text
from grader.render import html, page_templates
from grader.student import log_table

HERE = Path(__file__).resolve().parent / "templates"
NAMED = 3  # students that are named with a reason
FLAGS = {"late": "L", "set by hand": "H", "unsure": "?", "attempt": "A", "file": "F"}
MEANINGS = {
    "late": "late",
    "set by hand": "points set by hand",
    "unsure": "a check could not be decided",
    "attempt": "an earlier attempt counts",
    "file": "how a file was accepted",
}


@dataclass(frozen=True)
class Flag:
    """A letter in a cell of the table of students, with what it means there."""

    letter: str
    kind: str
    text: str


@dataclass(frozen=True)
class Cell:
    """One student and lab. share: for sorting; None: there is no grade. href: "" without a link."""

    text: str
    share: float | None
    href: str
    title: str
    flags: list[Flag]
    kinds: str  # of the flags and the status, for the filter


class Pages:
    """The addresses of the pages of single grades. folder: where the class page will be."""

    def __init__(self, store: Store, names: Names, folder: Path) -> None:
        self._run, self._folder, self._names = store.folder.resolve(), folder.resolve(), names

    def href(self, final: Final) -> str:
        """The address of a student's report, or of the feedback where there is no report; "" beside
        a pseudonym, and where there is neither."""
        if not self._names.are_real:
            return ""
        folder = self._run / final.student.id / final.lab
        for name in ("report.html", "feedback.txt"):
            if (folder / name).is_file():
                path = os.path.relpath(folder / name, self._folder)
                # "./": a first part such as "a:b" would be taken for a scheme.
                return "./" + quote(os.fsencode(path))
        return ""


def page(store: Store, folder: Path, pseudonyms: bool) -> str:
    """The page of a run. folder: where the file will be, for its links. Raises StoreError,
    SettingsError, and sqlite3.OperationalError."""
    course = class_records.rules(store)
    grades = class_records.finals(store, course)
    everybody = students.students(store.submissions(), course)
    names = Names(everybody, naming.key(store) if pseudonyms else None)
    content = contents.content(store, grades, course, names)
    numbers = store.history.numbers()
    moved = _moved(store, numbers, {each.id: each for each in everybody})
    pages = Pages(store, names, folder)
    script = (HERE / "class.js").read_text(encoding="utf-8")
    text = _template().render(
        content=content,
        names=names,
        run=numbers[-1] if numbers else None,
        moved=moved,
        at=store.history.at(numbers[-1]).astimezone(course.zone()) if numbers else None,
        zone=course.timezone or "UTC",
        has_rules=bool(store.setting(class_records.COURSE)),
        plots=_plots(content),
        cells=_cells(content, names, pages),
        href=pages.href,
        kinds=html.KINDS,
        words=html.WORDS,
        flags=[(letter, MEANINGS[kind]) for kind, letter in FLAGS.items()],
        whole=reasons.WHOLE,
        why=contents.why,
        log_cannot=log_table.CANNOT,
        named=NAMED,
        least=checks.LEAST,
        style=page_templates.style(html.STYLE, HERE / "class.css"),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return plain_text.document(text)


@dataclass(frozen=True)
class Moved:
    """A grade that is not what the run before gave."""

    student: Student
    lab: str
    before: str
    after: str
    why: str


def _moved(store: Store, numbers: list[int], everybody: dict[str, Student]) -> list[Moved]:
    """What changed since the run before, for the students who are still there."""
    if len(numbers) < 2:
        return []
    found = comparison.changes(store, numbers[-2], numbers[-1])
    return [
        Moved(
            everybody[each.student],
            each.lab,
            _worth(each.before),
            _worth(each.after),
            ", ".join(each.causes) or "the course's rules, or by hand",
        )
        for each in found
        if each.moved and each.student in everybody
    ]


def _worth(past: Past | None) -> str:
    if past is None:
        return "not there"
    return past.status if past.points is None else f"{number(past.points)} of {past.out_of:g}"


@cache
def _template() -> jinja2.Template:
    environment = page_templates.environment(HERE)
    environment.filters |= {
        "number": number,
        "sort_key": sort_key,
        "percent": percent,
        "duration": duration,
    }
    return environment.get_template("class.html")


def number(value: float | None) -> str:
    """At most two decimals; "" for None."""
    return "" if value is None else f"{round(value, 2):g}"


def sort_key(value: float | None) -> str:
    """A figure as the page's script reads it; "" for None."""
    return "" if value is None else f"{value:.6g}"


def percent(value: float | None) -> str:
    """A share as a whole number of per cent, of which only all is 100 and only nothing 0."""
    if value is None:
        return ""
    whole = round(100 * value)
    if 0 < value < 1:
        whole = min(max(whole, 1), 99)
    return f"{whole} %"


def duration(seconds: float | None) -> str:
    """ "1.2 s", "35 ms", "2.1 h"; "" for None."""
    if seconds is None:
        return ""
    for least, factor, unit in ((7200, 3600, "h"), (120, 60, "min"), (1, 1, "s")):
        if seconds >= least:
            return f"{seconds / factor:.1f} {unit}"
    return f"{1000 * seconds:.0f} ms"


def _plots(content: Content) -> dict[str, Markup]:
    """The charts by the id of a lab; "course" and "labs" of the whole course."""
    plots = {}
    for lab in content.labs:
        if lab.shares:
            label = f"Points in {lab.id}. {_in_words(lab.shares, 'grades')}"
            plots[lab.id] = charts.histogram(f"plot-{lab.id}", label, lab.shares, "students")
    if content.totals:
        label = f"Result in the course. {_in_words(content.totals, 'students')}"
        plots["course"] = charts.histogram("plot-course", label, content.totals, "students")
    with_grades = {lab.id: lab.shares for lab in content.labs if lab.shares}
    if len(with_grades) > 1:
        medians = ", ".join(f"{lab.id} {percent(lab.median)}" for lab in content.labs if lab.shares)
        label = f"Points of each lab. Medians: {medians}"
        plots["labs"] = charts.boxes("plot-labs", label, with_grades)
    return plots


def _in_words(shares: list[float], what: str) -> str:
    ordered = sorted(shares)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return (
        f"{len(shares)} {what}: median {percent(middle)}, "
        f"lowest {percent(ordered[0])}, highest {percent(ordered[-1])}"
    )


def _cells(content: Content, names: Names, pages: Pages) -> dict[tuple[str, str], Cell]:
    """The cells of the table of students, by the student's id and the lab."""
    return {
        (row.student.id, lab.id): _cell(content, lab, final, names, pages.href(final))
        for lab in content.labs
        for row, final in _of_lab(content.rows, lab)
    }


def _of_lab(rows: list[Everybody], lab: LabFigures) -> list[tuple[Everybody, Final]]:
    return [(row, final) for row in rows for final in row.finals if final.lab == lab.id]


def _cell(content: Content, lab: LabFigures, final: Final, names: Names, href: str) -> Cell:
    key = final.student.id, final.lab
    flags = [Flag(FLAGS[n.kind], n.kind, names.text(n.text)) for n in content.notes[key]]
    result = final.result
    unsure = [c.name for c in result.checks if c.verdict == "uncertain"] if result else []
    if unsure:
        flags.append(Flag(FLAGS["unsure"], "unsure", f"could not be decided: {unsure[0]}"))
    if final.points is None:
        text: str = final.status
    else:
        text = number(final.points) + ("" if lab.out_of else f"/{number(final.out_of)}")
    kinds = [flag.kind for flag in flags] + [final.status]
    title = "" if final.points is not None else names.text(contents.why(final))
    return Cell(text, final.share, href, title, flags, ",".join(kinds))
