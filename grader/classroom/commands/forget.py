"""`./grade forget`: deletes all that a run has of one student, and says what it cannot reach."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from grader import files
from grader.classroom.bulk import class_records, logs, questions
from grader.classroom.bulk.database import OWN_FOLDER
from grader.classroom.bulk.intake.discover import DOWNLOAD
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.classroom.course.students import Student
from grader.classroom.export import grades, publish
from grader.model.plain_text import line

LARGEST = 1 << 26  # bytes of a file that is searched


def forget(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    name: Annotated[
        str,
        typer.Argument(metavar="STUDENT", help="A name in the gradebook, an address or a number."),
    ],
) -> None:
    """Delete all that a run has of a student: files, grades, history, log, answers and pages."""
    with run_folder.opened(run) as store:
        one = run_folder.student(store, name)
        download = store.setting(DOWNLOAD).decode(errors="replace")
        store.forget(one, _settings(store, one))
        for place in (run / one.id, run / "letters" / f"{one.id}.txt"):
            shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        publish.write(grades.of(store))
        print(f"{line(one.id)} is deleted from {run}, with the history of grades")
        print("\n".join(_left(store, run, one, download)))


def _settings(store: Store, one: Student) -> list[str]:
    """Where the run keeps the logs and questions of a student's own submissions."""
    own = [each.student for each in one.submissions if len(each.people) <= 1]
    rows = [row for student in own for row in store.attempts(student)]
    return [
        name
        for row in rows
        for name in (questions.setting(row), logs.setting(row.student, row.lab))
    ]


def _left(store: Store, run: Path, one: Student, download: str) -> list[str]:
    """What a person has to do where this command does not reach."""
    texts = [text.encode() for text in one.names()]
    again = "names this student: delete it, or make it again"
    mention = [path for path in _files(run) if any(text in _content(path) for text in texts)]
    lines = [f"  {line(str(path))} {again}" for path in mention]
    if any(text in store.setting(class_records.COURSE) for text in texts):
        lines.append("  course.toml names this student: change it before the next ./grade bulk")
    where = f"the download, {line(download)}" if download else "the download"
    return [
        "not reached, and yours to delete:",
        *lines,
        f"  {where}, from which the next ./grade bulk would read the files again",
        "  what was sent or uploaded: gradebooks, letters, archives; and backups of the folder",
    ]


def _files(run: Path) -> list[Path]:
    """The files of a run that commands have written for people."""
    own = run / OWN_FOLDER
    return sorted(path for path in run.rglob("*") if path.is_file() and own not in path.parents)


def _content(path: Path) -> bytes:
    try:
        return files.read_regular(path, LARGEST, truncate=True)
    except OSError:
        return b""
