"""Autolab's handins, as "Download all submissions" gives them or as they lie on its server:

    EMAIL_VERSION_FILE                    all students in one folder
    EMAIL/VERSION_FILE                    a folder for each student

Of each student the highest version counts; version 0 is an unofficial submission. Autolab's own
files beside the handins (annotated_..., ..._autograde.txt) are left out. Documented at
https://docs.autolabproject.com, and by app/models/submission.rb of
https://github.com/autolab/Autolab.
"""

import re

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, Folder
from grader.classroom.bulk.intake.layouts.layout import Layout
from grader.classroom.course import student_id
from grader.classroom.course.person import Person

EMAIL = r"(?P<email>[^@/\s]+@[^@/_\s]+)"
FILE = re.compile(EMAIL + r"_(?P<version>\d{1,9})_(?P<file>.+)", re.DOTALL)
HANDIN = re.compile(r"(?P<version>\d{1,9})_(?P<file>.+)", re.DOTALL)
AUTOLABS = re.compile(r"(annotated_.+|.*autograde\.txt)", re.DOTALL)


def own(folder: Folder, children: list[Child]) -> list[Child]:
    return [child for child in children if _is_own(folder, child)]


def _is_own(folder: Folder, child: Child) -> bool:
    if child.kind == "file":
        return FILE.fullmatch(child.name) is not None
    if child.kind != "folder" or not re.fullmatch(EMAIL, child.name):
        return False
    try:
        children = folder.open(child).children()
    except OSError:
        return False
    inside = [c for c in children if not AUTOLABS.fullmatch(c.name)]
    return bool(inside) and all(c.kind == "file" and HANDIN.fullmatch(c.name) for c in inside)


def entries(folder: Folder, children: list[Child]) -> list[Entry]:
    handins: dict[str, list[tuple[int, str, Folder, Child]]] = {}
    for child in children:
        if child.kind == "folder":
            inside = folder.open(child)
            files = [(HANDIN.fullmatch(c.name), c) for c in inside.children()]
            email, where = child.name, inside
        else:
            match = FILE.fullmatch(child.name)
            files, where = [(match, child)], folder
            email = match["email"] if match else ""
        for match, file in files:
            if match is not None and not AUTOLABS.fullmatch(match["file"]):
                handin = (int(match["version"]), match["file"], where, file)
                handins.setdefault(email, []).append(handin)
    return [_entry(folder, email, handins[email]) for email in sorted(handins)]


def _entry(folder: Folder, email: str, handins: list[tuple[int, str, Folder, Child]]) -> Entry:
    student = student_id.of_name(email)
    entry = Entry(student, people=(Person(email=email),), archive=folder.zip)
    last = max(version for version, _, _, _ in handins)
    for version, name, where, child in handins:
        if version == last:
            entry.paths |= where.paths(child, name)
    if last > 1:
        entry.note("resubmitted")
    return entry


LAYOUT = Layout("Autolab's handins", own, entries)
