"""Canvas's download ("Download Submissions" of an assignment): one folder of files

    NAME[_LATE]_USER_ATTACHMENT_FILE      an uploaded file; USER and ATTACHMENT are numbers
    NAME[_LATE]_USER_text.html            text typed into Canvas; _link.html for a link
    [LATE_]anon_ID_ATTACHMENT_FILE        where the assignment is graded anonymously

NAME is the sortable name in lower case, without spaces and signs. A file that was handed in again
is called FILE-1, FILE-2, ...: Canvas keeps the names of one student's files different. Documented
by the code that makes it, lib/content_zipper.rb of https://github.com/instructure/canvas-lms, and
the guide "How do I download all student submissions for an assignment?" of Canvas's community.
"""

import re

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, Folder
from grader.classroom.bulk.intake.layouts.layout import Layout
from grader.classroom.course import student_id
from grader.classroom.course.person import Person

FILE = re.compile(
    r"(?P<name>.+?)(?P<late>_LATE)?_(?P<user>\d{1,20})_"
    r"(?:(?P<attachment>\d{1,20})_(?P<file>.+)|(?P<typed>(?:text|link)\.html))",
    re.DOTALL,
)
ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon)_(?P<user>[A-Za-z0-9]{1,20})_"
    r"(?:(?P<attachment>\d{1,20})_(?P<file>.+)|(?P<typed>(?:text|link)\.html))",
    re.DOTALL,
)
RESUBMITTED = re.compile(r"-\d+(?=\.[^.]*$)")  # what Canvas adds to a file's name


def own(_: Folder, children: list[Child]) -> list[Child]:
    return [child for child in children if child.kind == "file" and _match(child)]


def _match(child: Child) -> re.Match[str] | None:
    return ANONYMOUS.fullmatch(child.name) or FILE.fullmatch(child.name)


def entries(folder: Folder, children: list[Child]) -> list[Entry]:
    """Of a file that was handed in more than once, the last counts: it has the highest number."""
    found: dict[str, Entry] = {}
    latest: dict[tuple[str, str], int] = {}
    for child in children:
        match = _match(child)
        assert match is not None
        student = student_id.of_name(f"{match['name']}_{match['user']}")
        entry = found.setdefault(student, Entry(student, archive=folder.zip))
        entry.people = (_person(match),)
        if match["late"]:
            entry.note("late")
        name = match["typed"] or match["file"]
        file = RESUBMITTED.sub("", name)
        if file != name or (student, file) in latest:
            entry.note("resubmitted")
        number = int(match["attachment"] or 0)
        if number >= latest.get((student, file), 0):
            latest[student, file] = number
            entry.paths |= folder.paths(child, file)
    return list(found.values())


def _person(match: re.Match[str]) -> Person:
    if match.re is ANONYMOUS:
        return Person(lms=match["user"])
    return Person(name=match["name"], lms=match["user"])


LAYOUT = Layout("Canvas's download", own, entries)
