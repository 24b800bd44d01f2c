"""`./grade export`: the grades of a run for a learning management system or another program."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, cast

import typer

from grader import files
from grader.classroom import export as exports
from grader.classroom.bulk import class_records
from grader.classroom.bulk import names as naming
from grader.classroom.bulk.names import Names
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.classroom.course import students
from grader.classroom.export import autolab, cells, feedback_zip, quiz
from grader.classroom.export import grades as grading
from grader.classroom.export.cells import CellsError
from grader.classroom.export.grades import Grades, Missing, Unmeasured
from grader.commands import output
from grader.commands.errors import UsageError
from grader.model.plain_text import line

FORMATS = (*exports.FORMATS, *quiz.FORMATS)


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS))] = "csv",
    book: Annotated[
        Path | None,
        typer.Option(
            "--gradebook",
            metavar="FILE",
            help="The file to fill in: Canvas's gradebook, or Moodle's grading worksheet.",
        ),
    ] = None,
    lab: Annotated[
        str, typer.Option("--lab", metavar="lab3", help="This lab alone; all if left out.")
    ] = "",
    column: Annotated[
        str,
        typer.Option(
            "--column",
            metavar="NAME",
            help="The gradebook's column for the lab; in Autolab, the problem.",
        ),
    ] = "",
    per_check: Annotated[
        bool, typer.Option("--per-check", help="A row for each check, in csv; its checks, in json.")
    ] = False,
    anonymous: Annotated[
        bool,
        typer.Option(
            "--anonymous", help="Pseudonyms in place of names, addresses and numbers; csv and json."
        ),
    ] = False,
    unmeasured: Annotated[
        str,
        typer.Option(
            metavar="|".join(grading.UNMEASURED),
            help="How to count points that were not measured: scale up the measured ones, give no "
            "grade, or count them as not earned.",
        ),
    ] = "scale",
    missing: Annotated[
        str,
        typer.Option(
            metavar="|".join(grading.MISSING), help="The grade where nothing was handed in."
        ),
    ] = "blank",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="PATH", help="The file to write; a folder if each student gets a file."
        ),
    ] = None,
    feedback: Annotated[
        Path | None,
        typer.Option(
            "--feedback",
            metavar="FILE.zip",
            help="Also write the students' pages, with the file names that the format needs.",
        ),
    ] = None,
    submissions: Annotated[
        Path | None,
        typer.Option(
            "--submissions",
            metavar="PATH",
            help="Canvas's download, whose names --feedback needs.",
        ),
    ] = None,
) -> None:
    """Write the grades of a run in the format of another program."""
    for text, known, what in (
        (form, FORMATS, "format"),
        (unmeasured, grading.UNMEASURED, "--unmeasured"),
        (missing, grading.MISSING, "--missing"),
    ):
        if text not in known:
            raise UsageError(f"there is no {what} {line(text)}; choose from {', '.join(known)}")
    _check_options(form, book, column, per_check, feedback, submissions, anonymous)
    if form in quiz.FORMATS:
        from grader.classroom.bulk import questions

        with run_folder.opened(run) as store:
            made = questions.kept(store, lab)
        if not made:
            raise UsageError(f"{run} has no questions; ./grade bulk --ask N generates them")
        for name, data in quiz.FORMATS[form](made):
            _write(target := out or run / "export" / name, data)
            output.say(f"wrote {target}; it contains answer keys: for instructors only")
        return
    with run_folder.opened(run) as store, _usable_cells():
        grades = grading.of(
            store,
            [lab] if lab else None,
            cast(Unmeasured, unmeasured),
            cast(Missing, missing),
            per_check,
            column,
        )
        if not grades.every:
            what = f"of {line(lab)}" if lab else "yet"
            raise UsageError(f"{run} has no grades {what}; ./grade bulk makes them")
        # Everything is made before anything is written.
        packed = feedback_zip.pack(grades, form, submissions) if feedback else None
        if form in exports.GRADEBOOKS:
            assert book is not None
            _fill(grades, form, book, column, out)
        elif anonymous:
            grades, text = _without_names(store, grades, form)
            _whole(out, text.encode())
        else:
            _render(grades, form, out or (run / "export" / form), out)
        if form == "autolab" and (students := autolab.without_address(grades)):
            output.say(f"not in the CSV, because they have no address: {grading.few(students)}")
        for text in grading.warnings(grades):
            output.say(text)
        if packed and feedback:
            _write(feedback, packed.data)
            pages = "1 page" if packed.pages == 1 else f"{packed.pages} pages"
            output.say(f"wrote {feedback}: {pages}")
            if packed.left_out:
                names = grading.few(packed.left_out)
                output.say(f"no page, because the run does not know the {form} number: {names}")


@contextmanager
def _usable_cells() -> Iterator[None]:
    """Turns a CellsError, of a gradebook or of --column, into a UsageError."""
    try:
        yield
    except CellsError as problem:
        raise UsageError(str(problem)) from problem


def _check_options(
    form: str,
    book: Path | None,
    column: str,
    per_check: bool,
    feedback: Path | None,
    submissions: Path | None,
    anonymous: bool,
) -> None:
    """Raises UsageError for options that do not go together: none is silently ignored."""
    filled = form in exports.GRADEBOOKS
    if filled and book is None:
        own = "grading worksheet" if form == "moodle" else "gradebook"
        raise UsageError(f"{form} needs --gradebook FILE: your {own}, exported from {form}")
    wrong = [
        (book and not filled, "--gradebook", " and ".join(exports.GRADEBOOKS)),
        (column and not filled and form != "autolab", "--column", "canvas, moodle and autolab"),
        (per_check and form not in ("csv", "json"), "--per-check", "csv and json"),
        (submissions and form != "canvas", "--submissions", "canvas"),
        (anonymous and form not in ("csv", "json"), "--anonymous", "csv and json"),
    ]
    for problem, option, formats in wrong:
        if problem:
            raise UsageError(f"{option} is for the formats {formats}, not for {form}")
    if anonymous and feedback:
        raise UsageError("--feedback names the students: leave out --anonymous")
    if submissions and not feedback:
        raise UsageError("--submissions is for --feedback FILE.zip")


def _fill(grades: Grades, form: str, book: Path, column: str, out: Path | None) -> None:
    """Fills the gradebook in; prints it without `out`."""
    try:
        data = files.read_regular(book, cells.MOST_BYTES)
    except OSError as problem:
        raise UsageError(f"{book} {problem.strerror}") from problem
    filled = exports.GRADEBOOKS[form](grades, data, str(book), column)
    _whole(out, filled.data)
    for text in filled.lines:
        output.say(text)


def _render(grades: Grades, form: str, folder: Path, out: Path | None) -> None:
    if form in exports.WHOLE:
        for _, data in exports.WHOLE[form](grades):
            _whole(out, data)
        return
    written = []
    for name, data in exports.FOLDERS[form](grades):
        _write(folder / name, data, sync=False)
        written.append(folder / name)
    where = os.path.commonpath(written)
    output.say(f"{len(written)} files in {where}" if len(written) > 1 else f"wrote {where}")


def _without_names(store: Store, grades: Grades, form: str) -> tuple[Grades, str]:
    """The grades with pseudonyms, and the file for the whole class."""
    everybody = students.students(store.submissions(), class_records.rules(store))
    names = Names(everybody, naming.key(store))
    hidden = grading.anonymous(grades, names)
    ((_, data),) = exports.WHOLE[form](hidden)
    return hidden, names.nameless(data.decode())


def _whole(out: Path | None, data: bytes) -> None:
    """Writes a file for the whole class; prints it without `out`."""
    if out is None:
        sys.stdout.buffer.write(data)
        return
    _write(out, data)
    output.say(f"wrote {out}")


def _write(path: Path, data: bytes, sync: bool = True) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    files.update(path, data, sync=sync)
