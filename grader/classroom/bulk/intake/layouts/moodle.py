"""Moodle's download ("Download all submissions" of an assignment), in its two forms:

    NAME_ID_assignsubmission_file/...             a folder for each student; older versions end it
                                                  with another "_"
    NAME_ID_assignsubmission_file_FILE            flat: "Download submissions in folders" is off
    NAME_ID_assignsubmission_onlinetext...        text typed into Moodle

ID is the number of the student in this assignment, which the grading worksheet calls
"Participant ID". With blind marking NAME is the word "Participant" (in Moodle's language); where
groups hand in, NAME and ID are the group's. Documented at
https://docs.moodle.org/en/Assignment_activity, and by the code that makes it,
mod/assign/classes/downloader.php of https://github.com/moodle/moodle.
"""

import re

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, Folder
from grader.classroom.bulk.intake.layouts.layout import Layout
from grader.classroom.course import student_id
from grader.classroom.course.person import Person

STUDENT = r"(?P<name>.+?)(?:_(?P<id>\d{1,20}))?_assignsubmission_(?P<plugin>file|onlinetext)"
FOLDER = re.compile(STUDENT + "_?", re.DOTALL)
FILE = re.compile(STUDENT + "_(?P<file>.+)", re.DOTALL)
BLIND = "Participant"


def own(_: Folder, children: list[Child]) -> list[Child]:
    return [child for child in children if _match(child)]


def _match(child: Child) -> re.Match[str] | None:
    if child.kind == "folder":
        return FOLDER.fullmatch(child.name)
    return FILE.fullmatch(child.name) if child.kind == "file" else None


def entries(folder: Folder, children: list[Child]) -> list[Entry]:
    matches = [(child, match) for child in children if (match := _match(child))]
    ids_by_name: dict[str, set[str]] = {}
    for _, match in matches:
        ids_by_name.setdefault(match["name"], set()).add(match["id"] or "")
    blind = BLIND in ids_by_name or _is_one_word(ids_by_name)
    found: dict[str, Entry] = {}
    for child, match in matches:
        name, number = match["name"], match["id"] or ""
        student = student_id.of_name(f"{name}_{number}" if number else name)
        entry = found.setdefault(student, Entry(student, archive=folder.zip))
        entry.people = (Person(name="" if blind else name, lms=number),)
        if child.kind == "file":
            entry.paths |= folder.paths(child, match["file"])
        else:
            typed = match["plugin"] == "onlinetext"
            entry.paths |= folder.paths(child, "onlinetext" if typed else "")
    return list(found.values())


def _is_one_word(ids_by_name: dict[str, set[str]]) -> bool:
    """Whether all of a class of three or more are called the same: then nobody is."""
    return len(ids_by_name) == 1 and max(map(len, ids_by_name.values())) > 2


LAYOUT = Layout("Moodle's download", own, entries, unmistakable=True)
