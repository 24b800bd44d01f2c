"""The students' pages in one zip, one page for each student and lab, named as an LMS wants them.

Moodle: NAME_NUMBER_assignfeedback_file_report.html, for "Upload multiple feedback files in a zip";
NUMBER is the participant's. mod/assign/feedback/file/importziplib.php of
https://github.com/moodle/moodle takes the name apart at its underscores; see also
https://docs.moodle.org/en/File_feedback.

Canvas: the names that its download gave the submitted files, for the guide "How do I upload all
student submissions for an assignment?" (https://community.canvaslms.com/t5/Instructor-Guide/), with
".html" behind. Canvas finds the student and the submission by the two numbers in the name alone:
infer_comment_context_from_filename in app/models/assignment.rb of
https://github.com/instructure/canvas-lms.

The same grades give the same bytes.
"""

import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import escape

from grader import files
from grader.classroom.course.final import Final
from grader.classroom.course.students import Student
from grader.classroom.export import feedback
from grader.classroom.export.cells import CellsError
from grader.classroom.export.grades import Grades
from grader.model import plain_text

CANVAS = re.compile(r".+?(?:_LATE)?_(?P<user>\d{1,20})_\d{1,20}_(?!link).+", re.DOTALL)
ODD = re.compile(r'[_/\\:*?"<>|]+')
PLAIN = "<!doctype html>\n<meta charset=utf-8>\n<title>{title}</title>\n<pre>{text}</pre>\n"


@dataclass
class Packed:
    """A zip, how many pages it holds, and the students who cannot be named in it."""

    data: bytes
    pages: int
    left_out: list[str] = field(default_factory=list)


def pack(grades: Grades, form: str, submissions: Path | None = None) -> Packed:
    """form: "moodle", "canvas", or another for STUDENT/LAB/report.html. submissions: Canvas's
    download, a folder or zip, whose names it needs. Raises CellsError and OSError."""
    if form in ("moodle", "canvas") and len(grades.labs) != 1:
        raise CellsError(
            f"the feedback is for one assignment: say with --lab which one of "
            f"{', '.join(grades.labs)}"
        )
    name: Callable[[Final], str] = _plain
    if form == "moodle":
        name = _moodle
    elif form == "canvas":
        originals = _originals(submissions)
        name = lambda grade: _canvas(grade.student, originals)  # noqa: E731
    members: dict[str, bytes] = {}
    left_out = []
    for grade in grades.every:
        path = name(grade) if grade.status != "missing" or grade.override else ""
        if not path and grade.status != "missing":
            left_out.append(grade.student.id)
        elif path:
            members[path] = page(grades, grade)
    data = files.zipped(dict(sorted(members.items())), level=1)
    return Packed(data, len(members), left_out)


def page(grades: Grades, grade: Final) -> bytes:
    """The report; where the run made none, feedback.txt as a page."""
    if made := feedback.report(grades.store, grade):
        return made
    text = escape(feedback.feedback(grade))
    return PLAIN.format(title=grade.lab, text=text).encode(errors="replace")


def _plain(grade: Final) -> str:
    return f"{_encodable(grade.student.id)}/{grade.lab}/report.html"


def _moodle(grade: Final) -> str:
    number = grade.student.person.lms
    if not re.fullmatch(r"[0-9]{1,20}", number):
        return ""
    name = ODD.sub(" ", plain_text.line(grade.student.person.name, 100)).strip(" .~")
    return f"{_encodable(name or 'Participant')}_{number}_assignfeedback_file_report.html"


def _canvas(student: Student, originals: dict[str, str]) -> str:
    original = originals.get(student.person.lms, "")
    return f"{_encodable(original)}.html" if original else ""


def _originals(submissions: Path | None) -> dict[str, str]:
    """One name of Canvas's download for each student's number: the first of them."""
    if submissions is None:
        raise CellsError(
            "Canvas takes feedback only under the names of the files that it gave: "
            "add --submissions with the folder or zip that you downloaded"
        )
    found: dict[str, str] = {}
    for name in sorted(_listed(submissions)):
        match = CANVAS.fullmatch(name)
        if match and plain_text.name(name) == name:
            found.setdefault(match["user"], name)
    if not found:
        raise CellsError(
            f"{submissions} has no files as Canvas names them: NAME_USER_ATTACHMENT_FILE"
        )
    return found


def _listed(submissions: Path) -> Iterator[str]:
    if submissions.is_dir():
        yield from os.listdir(submissions)
        return
    try:
        with zipfile.ZipFile(submissions) as archive:
            yield from (name.rpartition("/")[2] for name in archive.namelist())
    except zipfile.BadZipFile as problem:
        raise CellsError(f"{submissions} is neither a folder nor a zip: {problem}") from problem


def _encodable(name: str) -> str:
    """A name of a file that is no UTF-8 cannot be in a zip."""
    return name.encode(errors="replace").decode()
